//! The kind of text that a file holds, by its name.

/// Families of languages with similar forms of definitions and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceLanguage {
    /// Python and what is indented like it.
    Python,
    /// JavaScript, TypeScript and what embeds them.
    Script,
    /// C and C++: definitions without a keyword, from the first column.
    C,
    /// Java, C#, Kotlin, Scala, Swift, Dart: members in classes.
    Classes,
    /// Languages whose definitions begin with a keyword: Rust, Go, Zig, Ruby, Elixir, PHP, Lua and others.
    Keywords,
    /// Shells.
    Shell,
    /// Haskell, OCaml, Elm, F#.
    Functional,
    /// Lisps.
    Lisp,
    /// Text for readers.
    Prose,
    /// Markup, settings and data.
    Data,
}

/// Returns the language of a file, by its name; code in general if its name is unknown.
pub(super) fn language_of(path: &str) -> SourceLanguage {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        let is_shouted = name.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte));
        return if is_shouted || is_told(name) { SourceLanguage::Prose } else { SourceLanguage::Shell };
    };
    match extension.to_ascii_lowercase().as_str() {
        "py" | "pyi" | "pyx" | "pxd" | "gd" => SourceLanguage::Python,
        "js" | "ts" | "jsx" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "coffee" => {
            SourceLanguage::Script
        }
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "ipp" | "inl" | "tcc" | "m"
        | "mm" | "cu" | "cuh" | "glsl" | "hlsl" | "y" | "l" => SourceLanguage::C,
        "java" | "kt" | "kts" | "scala" | "sc" | "cs" | "swift" | "dart" | "groovy" | "gradle" | "vala" => {
            SourceLanguage::Classes
        }
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "fish" | "mk" | "ac" | "m4" | "am" => SourceLanguage::Shell,
        "hs" | "lhs" | "ml" | "mli" | "elm" | "fs" | "fsi" | "fsx" | "purs" | "idr" | "agda" => {
            SourceLanguage::Functional
        }
        "clj" | "cljs" | "cljc" | "el" | "lisp" | "scm" | "rkt" | "edn" => SourceLanguage::Lisp,
        "md" | "rst" | "txt" | "adoc" | "asciidoc" | "org" | "tex" | "markdown" | "mdx" | "pod" | "texi"
        | "rdoc" | "1" | "3" | "5" | "7" | "8" | "sgml" | "po" | "pot" | "news" => SourceLanguage::Prose,
        "json" | "yaml" | "yml" | "toml" | "xml" | "html" | "htm" | "css" | "scss" | "less" | "svg"
        | "csv" | "tsv" | "lock" | "ini" | "cfg" | "conf" | "map" | "snap" | "sum" | "plist" | "ui"
        | "in" | "orig" | "xhtml" | "xsl" | "resx" | "properties" | "log" | "jsonl" | "ipynb" | "diff"
        | "patch" | "asm" | "s" | "ron" | "typed" | "rc" | "dtd" | "pem" | "crt" | "key" | "ld" | "def"
        | "vcxproj" | "csproj" | "sln" | "pbxproj" | "qrc" | "glade" => SourceLanguage::Data,
        // `ChangeLog.old`, `NEWS.2`.
        _ if is_told(name) => SourceLanguage::Prose,
        _ => SourceLanguage::Keywords,
    }
}

/// The names of languages, each with the endings of its files.
const LANGUAGE_NAMES: &[(&[&str], &[&str])] = &[
    (&["python"], &["py", "pyi", "pyx", "pxd"]),
    (&["javascript", "js"], &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]),
    (&["typescript", "ts"], &["ts", "tsx", "mts", "cts"]),
    (&["c"], &["c", "h"]),
    (&["c", "cpp", "cc"], &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx"]),
    (&["java"], &["java"]),
    (&["kotlin"], &["kt", "kts"]),
    (&["scala"], &["scala", "sc"]),
    (&["csharp"], &["cs"]),
    (&["swift"], &["swift"]),
    (&["dart"], &["dart"]),
    (&["rust"], &["rs"]),
    (&["go", "golang"], &["go"]),
    (&["zig"], &["zig"]),
    (&["ruby"], &["rb"]),
    (&["php"], &["php"]),
    (&["perl"], &["pl", "pm"]),
    (&["lua"], &["lua"]),
    (&["elixir"], &["ex", "exs"]),
    (&["haskell"], &["hs", "lhs"]),
    (&["ocaml"], &["ml", "mli"]),
    (&["clojure"], &["clj", "cljs", "cljc"]),
];

/// Returns the names of the language that a file is written in, by its ending, in lower case; none for text and data.
pub(super) fn language_names(path: &str) -> impl Iterator<Item = &'static str> {
    let ending = path.rsplit('/').next().unwrap_or(path).rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_of = move |endings: &&[&str]| endings.iter().any(|one| one.eq_ignore_ascii_case(ending));
    let rows = LANGUAGE_NAMES.iter().filter(move |(_, endings)| is_of(endings));
    rows.flat_map(|(names, _)| names.iter().copied())
}

/// Returns whether a file is known by its name to be for readers.
fn is_told(name: &str) -> bool {
    let names =
        ["changelog", "changes", "news", "history", "readme", "license", "copying", "authors", "todo"];
    let first = name.split(['.', '-', '_']).next().unwrap_or(name);
    names.iter().any(|known| first.eq_ignore_ascii_case(known))
}

impl SourceLanguage {
    /// Returns whether its files hold a program's code.
    pub(super) fn is_code(self) -> bool {
        !matches!(self, SourceLanguage::Prose | SourceLanguage::Data)
    }

    /// Returns whether a line, without the space before it, is a comment.
    pub(super) fn is_comment(self, line: &str) -> bool {
        let begins = |with: &[&str]| with.iter().any(|with| line.starts_with(with));
        match self {
            SourceLanguage::Python => begins(&["#"]),
            SourceLanguage::Shell => begins(&["#", "dnl "]),
            SourceLanguage::C | SourceLanguage::Script | SourceLanguage::Classes => {
                begins(&["//", "/*", "* ", "*/"]) || line == "*"
            }
            SourceLanguage::Keywords => {
                begins(&["//", "/*", "* ", "*/", "# ", "## ", "-- ", "--- ", "% ", "%% ", "; "])
                    || line == "*"
            }
            SourceLanguage::Functional => begins(&["-- ", "{-", "(*", "//", "--|"]),
            SourceLanguage::Lisp => begins(&[";"]),
            SourceLanguage::Prose | SourceLanguage::Data => false,
        }
    }
}
