//! What kind of text a file holds, by its name.

/// Families of languages that show their definitions and comments alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
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

/// The language of a file, by its name; code in general where its name says nothing.
pub(super) fn language(path: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        let is_shouted = name.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte));
        return if is_shouted || is_told(name) { Language::Prose } else { Language::Shell };
    };
    match extension.to_ascii_lowercase().as_str() {
        "py" | "pyi" | "pyx" | "pxd" | "gd" => Language::Python,
        "js" | "ts" | "jsx" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "coffee" => {
            Language::Script
        }
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "ipp" | "inl" | "tcc" | "m"
        | "mm" | "cu" | "cuh" | "glsl" | "hlsl" | "y" | "l" => Language::C,
        "java" | "kt" | "kts" | "scala" | "sc" | "cs" | "swift" | "dart" | "groovy" | "gradle" | "vala" => {
            Language::Classes
        }
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "fish" | "mk" | "ac" | "m4" | "am" => Language::Shell,
        "hs" | "lhs" | "ml" | "mli" | "elm" | "fs" | "fsi" | "fsx" | "purs" | "idr" | "agda" => {
            Language::Functional
        }
        "clj" | "cljs" | "cljc" | "el" | "lisp" | "scm" | "rkt" | "edn" => Language::Lisp,
        "md" | "rst" | "txt" | "adoc" | "asciidoc" | "org" | "tex" | "markdown" | "mdx" | "pod" | "texi"
        | "rdoc" | "1" | "3" | "5" | "7" | "8" | "sgml" | "po" | "pot" | "news" => Language::Prose,
        "json" | "yaml" | "yml" | "toml" | "xml" | "html" | "htm" | "css" | "scss" | "less" | "svg"
        | "csv" | "tsv" | "lock" | "ini" | "cfg" | "conf" | "map" | "snap" | "sum" | "plist" | "ui"
        | "in" | "orig" | "xhtml" | "xsl" | "resx" | "properties" | "log" | "jsonl" | "ipynb" | "diff"
        | "patch" | "asm" | "s" | "ron" | "typed" | "rc" | "dtd" | "pem" | "crt" | "key" | "ld" | "def"
        | "vcxproj" | "csproj" | "sln" | "pbxproj" | "qrc" | "glade" => Language::Data,
        // `ChangeLog.old`, `NEWS.2`.
        _ if is_told(name) => Language::Prose,
        _ => Language::Keywords,
    }
}

/// Whether a file is known by its name to be for readers.
fn is_told(name: &str) -> bool {
    let names =
        ["changelog", "changes", "news", "history", "readme", "license", "copying", "authors", "todo"];
    let first = name.split(['.', '-', '_']).next().unwrap_or(name);
    names.iter().any(|known| first.eq_ignore_ascii_case(known))
}

impl Language {
    /// Whether its files say what a program does.
    pub(super) fn is_code(self) -> bool {
        !matches!(self, Language::Prose | Language::Data)
    }

    /// Whether a line, without the space before it, is a comment.
    pub(super) fn is_comment(self, line: &str) -> bool {
        let begins = |with: &[&str]| with.iter().any(|with| line.starts_with(with));
        match self {
            Language::Python => begins(&["#"]),
            Language::Shell => begins(&["#", "dnl "]),
            Language::C | Language::Script | Language::Classes => {
                begins(&["//", "/*", "* ", "*/"]) || line == "*"
            }
            Language::Keywords => {
                begins(&["//", "/*", "* ", "*/", "# ", "## ", "-- ", "--- ", "% ", "%% ", "; "])
                    || line == "*"
            }
            Language::Functional => begins(&["-- ", "{-", "(*", "//", "--|"]),
            Language::Lisp => begins(&[";"]),
            Language::Prose | Language::Data => false,
        }
    }
}
