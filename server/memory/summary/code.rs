//! The definitions of a program's text, with what their comments say first: light rules for each language.

use std::sync::LazyLock;

use regex::Regex;

use super::{first_sentence, new_statement};
use crate::ports::{Statement, Style};

/// Definitions of one file.
const MOST: usize = 80;
/// The number of those, where they are narrated and not outlined.
const MOST_NARRATED: usize = 30;

/// The syntax of a language's definitions and comments.
struct LanguageRules {
    extensions: &'static [&'static str],
    /// Matches the line of a definition.
    definition: &'static str,
    /// The beginnings of a comment line.
    comments: &'static [&'static str],
    /// True where the comment is a string below the definition, as in Python.
    below: bool,
}

const LANGUAGES: [LanguageRules; 9] = [
    LanguageRules {
        extensions: &["rs"],
        definition: r"^(?:pub(?:\([^)]*\))? )?(?:default |async |const |unsafe |extern(?: \S+)? )*(?:fn|struct|enum|trait|union|type|mod|static|const|macro_rules!) \w|^impl\b",
        comments: &["///", "//!"],
        below: false,
    },
    LanguageRules {
        extensions: &["py", "pyi"],
        definition: r"^(?:async )?(?:def|class) \w",
        comments: &["#"],
        below: true,
    },
    LanguageRules {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        definition: r"^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*? ?\w|class \w|interface \w|type \w+.*=|enum \w|namespace \w)|^(?:export )?(?:const|let|var) \w+(?:: [^=]+)? = (?:async )?(?:function|\([^)]*\)(?:: [^=]+)? =>|\w+ =>)|^(?:public |private |protected |static |async |readonly |override |get |set )+\w+\(",
        comments: &["//", "*", "/*"],
        below: false,
    },
    LanguageRules {
        extensions: &["go"],
        definition: r"^(?:func|type) [\w(]",
        comments: &["//"],
        below: false,
    },
    LanguageRules {
        extensions: &["java", "kt", "kts", "cs", "swift", "scala", "dart", "php"],
        definition: r"^(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|override|async|data|suspend|virtual|partial|case) )*(?:class|interface|enum|record|object|struct|protocol|extension|trait|fun|func|function|def|namespace) \w|^(?:(?:public|private|protected|internal|static|final|abstract|override|async|virtual) )+[\w<>\[\], ?.]+ \w+\(",
        comments: &["///", "//", "*", "/*"],
        below: false,
    },
    LanguageRules {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"],
        definition: r"^(?:typedef )?(?:class|struct|enum|union|namespace) \w+[^;]*$|^(?:[A-Za-z_][\w:<>,*&]* +)+[*&]*[\w:~]+\([^;]*\)?[^;]*$|^#define \w+\(",
        comments: &["///", "//", "*", "/*"],
        below: false,
    },
    LanguageRules {
        extensions: &["rb", "rake"],
        definition: r"^(?:def|class|module) \w",
        comments: &["#"],
        below: false,
    },
    LanguageRules {
        extensions: &["lua"],
        definition: r"^(?:local )?function [\w.:]+|^(?:local )?[\w.]+ = function\(",
        comments: &["---", "--"],
        below: false,
    },
    LanguageRules {
        extensions: &["sh", "bash", "zsh"],
        definition: r"^(?:function )?[\w-]+ ?\(\)",
        comments: &["#"],
        below: false,
    },
];

static DEFINITIONS: LazyLock<[Option<Regex>; LANGUAGES.len()]> =
    LazyLock::new(|| std::array::from_fn(|at| Regex::new(LANGUAGES[at].definition).ok()));

/// A definition.
struct CodeDefinition {
    line: usize,
    indent: usize,
    signature: String,
    says: String,
}

/// Returns the definitions of a program; nothing where the language is not known, or no definition is found.
pub(super) fn code_statements(extension: &str, text: &str, style: Style) -> Option<Vec<Statement>> {
    let at = LANGUAGES.iter().position(|language| language.extensions.contains(&extension))?;
    let (language, pattern) = (&LANGUAGES[at], DEFINITIONS[at].as_ref()?);
    let mut lines: Vec<&str> = text.lines().collect();
    // The tests in a Rust file do not describe its purpose.
    if let Some(tests) = lines.iter().position(|line| *line == "#[cfg(test)]").filter(|_| extension == "rs")
        && lines.get(tests + 1).is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'))
    {
        lines.truncate(tests);
    }
    let mut found: Vec<CodeDefinition> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let body = line.trim_start();
        if !pattern.is_match(body) || language.comments.iter().any(|mark| body.starts_with(mark)) {
            continue;
        }
        let says = if language.below { docstring_below(&lines, at) } else { String::new() };
        let says = if says.is_empty() { comment_above(&lines, at, language) } else { says };
        let signature = definition_signature(body);
        found.push(CodeDefinition { line: at + 1, indent: line.len() - body.len(), signature, says });
    }
    if found.is_empty() {
        return None;
    }
    let mut told = Vec::new();
    let head = file_comment(&lines, language);
    if let (Some((line, says)), true) = (head, found[0].line > 1) {
        told.push(new_statement(says, line, 0));
    }
    let outline = style == Style::Schema;
    let most = if outline { MOST } else { MOST_NARRATED };
    if found.len() > most {
        // A reader looks for documented definitions and for the outermost ones.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|at| (found[*at].indent, found[*at].says.is_empty(), *at));
        order.truncate(most);
        let kept: std::collections::HashSet<usize> = order.into_iter().collect();
        let mut at = 0;
        found.retain(|_| {
            at += 1;
            kept.contains(&(at - 1))
        });
    }
    let mut above: Vec<usize> = Vec::new();
    for definition in found {
        above.retain(|indent| *indent < definition.indent);
        let depth = if outline { above.len() } else { 0 };
        above.push(definition.indent);
        let CodeDefinition { line, signature, says, .. } = definition;
        let text = if says.is_empty() { format!("`{signature}`") } else { format!("`{signature}`: {says}") };
        told.push(new_statement(text, line, depth));
    }
    Some(told)
}

/// The line of a definition, without what begins its body.
fn definition_signature(body: &str) -> String {
    let body = body.trim_end();
    let cut = body.strip_suffix("{}").unwrap_or(body).trim_end_matches(['{', ':', '=', '(', ' ']);
    // A backtick would end the code that it is in.
    cut.replace('`', "'")
}

/// The first sentence of the comment above a definition, attributes in between left out.
fn comment_above(lines: &[&str], at: usize, language: &LanguageRules) -> String {
    let mut comment: Vec<&str> = Vec::new();
    for line in lines[..at].iter().rev() {
        let body = line.trim();
        let attribute = body.starts_with("#[") || body.starts_with('@') || body.starts_with("#![");
        if attribute && comment.is_empty() {
            continue;
        }
        let Some(text) = comment_text(body, language) else { break };
        comment.push(text);
    }
    comment.reverse();
    paragraph_sentence(&comment)
}

/// Returns the comment of the text before its first definition.
fn file_comment(lines: &[&str], language: &LanguageRules) -> Option<(usize, String)> {
    let start = lines.iter().position(|line| !line.trim().is_empty() && !line.starts_with("#!"))?;
    if language.below && lines[start].trim_start().starts_with(['"', '\'']) {
        let says = read_docstring(&lines[start..]);
        return (!says.is_empty()).then_some((start + 1, says));
    }
    let comment: Vec<&str> =
        lines[start..].iter().map_while(|line| comment_text(line.trim(), language)).collect();
    // A comment right above a definition belongs to that.
    let apart = lines.get(start + comment.len()).is_some_and(|next| next.trim().is_empty());
    let ours = lines[start].trim_start().starts_with("//!");
    let says = paragraph_sentence(&comment);
    (!says.is_empty() && (apart || ours)).then_some((start + 1, says))
}

fn comment_text<'a>(body: &'a str, language: &LanguageRules) -> Option<&'a str> {
    let mark = language.comments.iter().find(|mark| body.starts_with(**mark))?;
    let text = body[mark.len()..].trim_start_matches(['*', '!', '/']).trim().trim_end_matches("*/").trim();
    Some(text)
}

/// The docstring below a definition.
fn docstring_below(lines: &[&str], at: usize) -> String {
    let open = lines[at..].iter().position(|line| line.trim_end().ends_with(':')).filter(|open| *open < 10);
    open.map_or_else(String::new, |open| read_docstring(lines.get(at + open + 1..).unwrap_or_default()))
}

fn read_docstring(lines: &[&str]) -> String {
    let Some(first) = lines.first().map(|line| line.trim().trim_start_matches(['r', 'u', 'f'])) else {
        return String::new();
    };
    let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|quote| first.starts_with(quote)) else {
        return String::new();
    };
    let mut text: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().take(40).enumerate() {
        let line = if at == 0 { &first[3..] } else { line.trim() };
        match line.find(quote) {
            Some(end) => {
                text.push(&line[..end]);
                break;
            }
            None => text.push(line),
        }
    }
    paragraph_sentence(&text)
}

/// The first sentence of the first paragraph.
fn paragraph_sentence(lines: &[&str]) -> String {
    let paragraph: Vec<&str> = lines
        .iter()
        .copied()
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    first_sentence(&paragraph.join(" ")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(extension: &str, text: &str) -> Vec<String> {
        let found = code_statements(extension, text, Style::Schema).unwrap();
        let line = |statement: &Statement| {
            format!("{}{}:{}", "  ".repeat(statement.depth), statement.line.unwrap(), statement.text)
        };
        found.iter().map(line).collect()
    }

    #[test]
    fn definitions_stand_with_what_is_said_of_them() {
        let rust = "//! Reads numbers. And more.\n\nuse x;\n\n/// A reader, e.g. of digits. It\n/// reads.\n#[derive(Debug)]\npub struct Reader {\n    at: u32,\n}\n\nimpl Reader {\n    /// Reads one.\n    pub fn read(&self) -> u32 {\n        1\n    }\n}\n// fn not() {}\n#[cfg(test)]\nmod tests {\n    fn check() {}\n}\n";
        assert_eq!(
            told("rs", rust),
            [
                "1:Reads numbers.",
                "8:`pub struct Reader`: A reader, e.g. of digits.",
                "12:`impl Reader`",
                "  14:`pub fn read(&self) -> u32`: Reads one.",
            ]
        );
        let python = "\"\"\"Sums.\"\"\"\nimport os\n\nclass Sum:\n    '''A sum.\n\n    More.'''\n    def add(self,\n            x):\n        \"\"\"Adds x. Twice.\"\"\"\n        pass\n\n# Helps.\ndef help(): pass\n";
        assert_eq!(
            told("py", python),
            [
                "1:Sums.",
                "4:`class Sum`: A sum.",
                "  8:`def add(self,`: Adds x.",
                "14:`def help(): pass`: Helps.",
            ]
        );
        let script = "/**\n * Parses it.\n * @param x\n */\nexport function parse(x: string): number {\n  return 1;\n}\nexport const twice = (x: number): number => x * 2;\nexport interface Shape {\n}\n";
        assert_eq!(
            told("ts", script),
            [
                "5:`export function parse(x: string): number`: Parses it.",
                "8:`export const twice = (x: number): number => x * 2;`",
                "9:`export interface Shape`",
            ]
        );
        let go = "package x\n\n// Run runs. Fast.\nfunc (s *Server) Run() error {\n\treturn nil\n}\n";
        assert_eq!(told("go", go), ["4:`func (s *Server) Run() error`: Run runs."]);
        let c = "/* Adds. */\nstatic int add(int a, int b)\n{\n  return add(a, b);\n}\nint declared(void);\n";
        assert_eq!(told("c", c), ["2:`static int add(int a, int b)`: Adds."]);
        assert_eq!(told("sh", "# Says hi.\nhi() {\n  echo hi\n}\n"), ["2:`hi()`: Says hi."]);
    }

    #[test]
    fn what_is_no_code_is_left_to_others() {
        assert!(code_statements("md", "fn x() {}", Style::Bullet).is_none());
        assert!(code_statements("rs", "// nothing\n", Style::Bullet).is_none());
        let many: String =
            (0..500).map(|at| format!("    fn inner{at}() {{}}\nfn outer{at}() {{}}\n")).collect();
        let found = code_statements("rs", &many, Style::Bullet).unwrap();
        assert_eq!(found.len(), MOST_NARRATED);
        assert!(found.iter().all(|statement| statement.text.contains("outer")));
        assert!(DEFINITIONS.iter().all(Option::is_some));
    }
}
