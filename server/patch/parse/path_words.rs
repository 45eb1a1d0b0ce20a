//! The words of prose that look like the path of a file.

/// How certainly a word is the path of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathLikeness {
    /// It has the extension of a file, or is the name of one by custom.
    Path,
    /// It may be a path or something else, such as `os.path` or `read/write`.
    Doubtful,
    /// It is a word.
    Word,
}

/// Extensions of text files.
const EXTENSIONS: &str = " ac adoc am asm astro awk bash bat bazel bib bzl c cc cfg clj cljs cmake cmd conf config cpp cs csproj css csv cts \
    cu cue cxx d dart dockerfile ejs el elm erb erl ex exs f f03 f90 fish fs fsx gd gemspec gleam go gradle graphql groovy h haml hbs hcl hh hpp hrl \
    hs htm html hxx idl in inc inl ipp ini ino ipynb j2 java jinja jl js json json5 jsonc jsonl jsp jsx kt kts less lean lhs lisp liquid lock lua \
    m m4 mak md mdx mjs mk ml mli mm mod mts mustache nim njk nix org pas patch php pl plist pm po pom pp prisma proto ps1 pug py pyi pyx \
    r rake rb rkt rs rst s sass sbt scala scm scss sh sln sol sql styl sum sv svelte svg swift t tcl tex tf tfvars tmpl toml tpl ts tsv tsx twig \
    txt v vb vhd vim vue wat wgsl xaml xhtml xml xsd xsl yaml yml zig zsh ";

/// Files without an extension, in lower case.
const BARE_NAMES: &str = " makefile gnumakefile dockerfile containerfile justfile rakefile gemfile procfile vagrantfile jenkinsfile \
    brewfile podfile fastfile pipfile cakefile guardfile caddyfile earthfile tiltfile license licence copying readme changelog \
    authors contributors notice codeowners maintainers install news todo version build workspace kconfig configure gradlew mvnw ";

/// Files whose name begins with a dot, beside those that end in `rc` or `ignore`.
const DOT_FILES: &str = " .env .envrc .flake8 .gitattributes .gitmodules .gitkeep .htaccess .mailmap .profile .editorconfig \
    .tool-versions .bash_profile .python-version .node-version .ruby-version .rspec ";

/// Words with a dot or a slash that are no paths, in lower case.
const NO_PATHS: &str = " e.g i.e etc. a.k.a u.s and/or or/and either/or n/a i/o w/o w/ tcp/ip input/output client/server read/write \
    on/off yes/no true/false key/value try/catch try/except he/she if/else start/stop open/close add/remove get/set before/after \
    old/new process.env node.js vue.js next.js nuxt.js react.js asp.net ";

/// Words that stand alone on a line above a block without naming a file, in lower case: languages, and titles.
const LONE_WORDS: &str = " python py rust javascript js jsx typescript ts tsx java c cpp csharp go golang ruby php swift kotlin scala bash \
    sh shell zsh fish powershell sql html css scss json yaml yml toml xml markdown md text txt plaintext diff patch lua perl r dart \
    elixir haskell search replace original updated code source then next also finally first second third last and or now before \
    after change changes fix fixes edit edits update updates example summary explanation here done note notes step result output \
    solution implementation imports import tests test usage details ";

/// Words that lead to the name of a file in prose, in lower case.
const LEAD_WORDS: &str = " in now update updates updated updating change changes changed changing edit edits editing modify modified \
    modifying file files for create created creating add added adding then next and also to from the finally at of new inside within \
    first second last patch fix here is this these into with on about remove delete rename replace move open see ";

/// Returns whether the words before a dot are those of an object's own field.
fn is_own(stem: &str) -> bool {
    ["self", "this", "super", "cls"].contains(&stem.split('.').next().unwrap_or_default())
}

fn holds(list: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && list.contains(&format!(" {} ", word.to_lowercase()))
}

/// Returns whether a file has such a name by custom, without an extension.
pub(super) fn is_bare_name(word: &str) -> bool {
    holds(BARE_NAMES, word)
}

/// Returns whether such a word names a file in the middle of prose, without an extension or quotes.
pub(super) fn is_plain_bare_name(word: &str) -> bool {
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let ordinary =
        ["install", "news", "todo", "version", "build", "workspace", "notice", "authors", "maintainers"];
    capital && is_bare_name(word) && !ordinary.contains(&word.to_lowercase().as_str())
}

/// Returns whether a word alone on a line is a language or a title.
pub(super) fn is_lone_word(word: &str) -> bool {
    holds(LONE_WORDS, word)
}

/// Returns whether a word leads to the name of a file.
pub(super) fn is_lead_word(word: &str) -> bool {
    holds(LEAD_WORDS, word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Returns the likeness of a word of prose, without the punctuation around it.
pub(super) fn path_likeness(word: &str) -> PathLikeness {
    if holds(NO_PATHS, word) || word.contains("://") || word.starts_with("www.") || word.ends_with("()") {
        return PathLikeness::Word;
    }
    let is_path = |part: &str| likeness_as_path(part) == PathLikeness::Path;
    match likeness_as_path(word) {
        // A path with something around it.
        PathLikeness::Word if word.split(is_sign).any(is_path) => PathLikeness::Doubtful,
        likeness => likeness,
    }
}

/// Returns whether a character is in no usual path.
pub(super) fn is_sign(c: char) -> bool {
    !(c.is_alphanumeric() || ['.', '_', '-', '/', '\\'].contains(&c))
}

fn likeness_as_path(word: &str) -> PathLikeness {
    const FORBIDDEN: [char; 15] =
        ['<', '>', '|', '"', '\'', '=', '{', '}', ';', ',', '*', '?', '!', '`', '%'];
    if word.contains(FORBIDDEN) {
        return PathLikeness::Word;
    }
    let components: Vec<&str> = word.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let Some(last) = components.last() else { return PathLikeness::Word };
    let nested = components.len() > 1;
    if !nested
        && (word.contains(['(', ')', '[', ']', ':', '$']) || last.contains('@') && !last.starts_with('@'))
    {
        return PathLikeness::Word;
    }
    if is_bare_name(last) && nested {
        return PathLikeness::Path;
    }
    match last.rsplit_once('.') {
        Some(("", rest)) => match () {
            () if holds(DOT_FILES, last) || rest.ends_with("rc") || rest.ends_with("ignore") => {
                PathLikeness::Path
            }
            () if nested => PathLikeness::Doubtful,
            () => PathLikeness::Word,
        },
        Some((stem, _)) if !nested && is_own(stem) => PathLikeness::Word,
        Some((_, extension)) if holds(EXTENSIONS, extension) => PathLikeness::Path,
        // A number, a version, an end of a sentence, or a field of an object.
        Some((_, extension)) => {
            let is_word = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
            let number = !extension.starts_with(|c: char| c.is_alphabetic());
            match number || !is_word(extension) {
                true if nested => PathLikeness::Doubtful,
                true => PathLikeness::Word,
                false => PathLikeness::Doubtful,
            }
        }
        None if nested && components.iter().all(|part| part.chars().any(char::is_alphabetic)) => {
            PathLikeness::Doubtful
        }
        None => PathLikeness::Word,
    }
}
