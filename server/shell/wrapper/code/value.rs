//! The value of an expression in a piece of code, if it is a literal text.

use std::collections::HashMap;

use super::CodeLanguage;
use super::calls::{split_list, string_end};
use crate::place::HOLE;

/// Assignments that are remembered.
const MOST: usize = 64;
/// Bytes of the longest expression that is looked at.
const LONGEST: usize = 64 << 10;
/// Expressions in expressions that are followed.
const DEEPEST: usize = 12;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextPiece {
    /// A literal in the code.
    Text(String),
    /// The home folder.
    Home,
    /// Not known before it runs.
    Unknown,
}

/// A variable of the shell that no script sets: its value is not known.
const UNKNOWN: &str = "\"$unknown_of_the_code\"";

impl TextPiece {
    /// Returns the part in the form that it has in a script that the code hands to a shell.
    pub(super) fn in_script(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Home => "$HOME".to_owned(),
            Self::Unknown => "$unknown_of_the_code".to_owned(),
        }
    }
}

/// Returns a word of a script.
pub(super) fn script_of(pieces: &[TextPiece]) -> String {
    let word = |piece: &TextPiece| match piece {
        TextPiece::Text(text) => format!("'{}'", text.replace('\'', "'\\''")),
        TextPiece::Home => "\"$HOME\"".to_owned(),
        TextPiece::Unknown => UNKNOWN.to_owned(),
    };
    match pieces.is_empty() {
        true => "''".to_owned(),
        false => pieces.iter().map(word).collect(),
    }
}

/// Returns a word of a script, a pattern of names of files.
pub(super) fn pattern_of(pieces: &[TextPiece]) -> String {
    let word = |piece: &TextPiece| match piece {
        TextPiece::Text(text) => {
            let text = text.replace("**/", "");
            let escaped = text.chars().map(|c| match c {
                c if c.is_alphanumeric() || "/._-*?[]~".contains(c) => c.to_string(),
                c => format!("\\{c}"),
            });
            escaped.collect()
        }
        other => script_of(std::slice::from_ref(other)),
    };
    pieces.iter().map(word).collect()
}

/// An expression as one word of a script.
pub(super) fn quoted_expression(language: CodeLanguage, expression: &str, names: &CodeNames) -> String {
    script_of(&evaluate_expression(language, expression, names))
}

/// The texts that names stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeNames(HashMap<String, Vec<TextPiece>>);

impl CodeNames {
    /// Finds the variables that the code assigns once: `name = 'text'`.
    pub(super) fn from_code(language: CodeLanguage, code: &str) -> Self {
        let mut names = Self::default();
        for statement in code.split([';', '\n']) {
            let Some((name, text)) = statement.split_once('=') else { continue };
            let name = ["const ", "let ", "var ", "my ", "local "]
                .iter()
                .fold(name.trim(), |name, word| name.strip_prefix(word).unwrap_or(name))
                .trim();
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let is_plain =
                !name.is_empty() && name.chars().all(is_name) && !text.starts_with(['=', '>', '~']);
            if !is_plain || names.0.len() >= MOST {
                continue;
            }
            let pieces = evaluate_expression(language, text, &names);
            let known = names.0.insert(name.to_owned(), pieces.clone());
            if known.is_some_and(|known| known != pieces) {
                names.0.insert(name.to_owned(), vec![TextPiece::Unknown]);
            }
        }
        names
    }
}

/// Returns the value of an expression, in parts.
pub(super) fn evaluate_expression(
    language: CodeLanguage,
    expression: &str,
    names: &CodeNames,
) -> Vec<TextPiece> {
    let mut pieces = ExpressionReader { language, names, depth: 0 }.read_expression(expression);
    pieces.dedup_by(|next, before| match (next, before) {
        (TextPiece::Text(next), TextPiece::Text(before)) => {
            before.push_str(next);
            true
        }
        (next, before) => *next == TextPiece::Unknown && *before == TextPiece::Unknown,
    });
    pieces
}

struct ExpressionReader<'n> {
    language: CodeLanguage,
    names: &'n CodeNames,
    depth: usize,
}

impl ExpressionReader<'_> {
    fn read_expression(&mut self, text: &str) -> Vec<TextPiece> {
        self.depth += 1;
        let text = text.trim();
        let pieces = match self.depth > DEEPEST || text.is_empty() || text.len() > LONGEST {
            true => vec![TextPiece::Unknown],
            false => self.read_joined(text),
        };
        self.depth -= 1;
        pieces
    }

    /// Parts that are put together by an operator.
    fn read_joined(&mut self, text: &str) -> Vec<TextPiece> {
        let signs: &[char] = match self.language {
            CodeLanguage::Perl | CodeLanguage::Php => &['.'],
            CodeLanguage::Python => &['+', '/'],
            _ => &['+'],
        };
        let parts = operator_parts(text, signs);
        let mut pieces = Vec::new();
        for (sign, part) in parts {
            if sign == Some('/') {
                pieces.push(TextPiece::Text("/".to_owned()));
            }
            pieces.extend(self.read_part(part.trim()));
        }
        pieces
    }

    fn read_part(&mut self, text: &str) -> Vec<TextPiece> {
        let compact: String = text.chars().filter(|c| !matches!(c, ' ' | '"' | '\'')).collect();
        if is_home(&compact) {
            return vec![TextPiece::Home];
        }
        if matches!(
            compact.as_str(),
            "os.getcwd()"
                | "process.cwd()"
                | "Dir.pwd"
                | "Path.cwd()"
                | "__dirname"
                | "getcwd()"
                | "Deno.cwd()"
        ) {
            return vec![TextPiece::Text(".".to_owned())];
        }
        if matches!(
            compact.as_str(),
            "os.sep" | "path.sep" | "chr(47)" | "String.fromCharCode(47)" | "File::SEPARATOR"
        ) {
            return vec![TextPiece::Text("/".to_owned())];
        }
        let lower = compact.to_lowercase();
        if ["mkdtemp", "mktmpdir", "tempdir(", "gettempdir", "tmpdir()", "sys_get_temp_dir"]
            .iter()
            .any(|name| lower.contains(name))
        {
            return vec![TextPiece::Text("/tmp/made".to_owned())];
        }
        if let Some(inner) = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            return from_home(vec![TextPiece::Text(inner.to_owned())]);
        }
        if let Some(pieces) = self.read_literal(text) {
            return pieces;
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return self.read_expression(inner);
        }
        if let Some(pieces) = self.names.0.get(text) {
            return pieces.clone();
        }
        self.read_call(text).unwrap_or_else(|| vec![TextPiece::Unknown])
    }

    /// A function that gives its argument back, or joins its arguments.
    fn read_call(&mut self, text: &str) -> Option<Vec<TextPiece>> {
        let open = text.find(['(', ' '])?;
        let name = text.get(..open)?.trim();
        let rest = text.get(open..)?.trim();
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest);
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let arguments = split_list(inner);
        match last {
            "join" | "resolve" | "normalize" | "Path" | "PurePath" | "PosixPath" | "joinpath" => {
                let mut pieces: Vec<TextPiece> = Vec::new();
                for argument in arguments {
                    if !pieces.is_empty() {
                        pieces.push(TextPiece::Text("/".to_owned()));
                    }
                    pieces.extend(self.read_expression(argument));
                }
                Some(pieces)
            }
            "expanduser" | "expand_path" | "glob" | "iglob" | "globSync" | "sync" => {
                Some(from_home(self.read_expression(arguments.first()?)))
            }
            "str" | "abspath" | "realpath" | "realpathSync" | "String" | "new" | "fspath" | "file"
            | "dirname" => {
                let pieces = self.read_expression(arguments.first()?);
                Some(if last == "dirname" { vec![TextPiece::Unknown] } else { pieces })
            }
            _ => None,
        }
    }

    /// A text between quotes, with what is put into it.
    fn read_literal(&mut self, text: &str) -> Option<Vec<TextPiece>> {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        let quotes = text.get(letters..)?;
        let is_prefix = letters <= 2 && text.get(..letters)?.chars().all(|c| "rRbBfFuU".contains(c));
        let quote = quotes.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
        if !is_prefix || string_end(quotes.as_bytes(), 0) != quotes.len() {
            return None;
        }
        let mark: String = [quote; 3].iter().collect();
        let width = if quotes.len() >= 6 && quotes.starts_with(&mark) { 3 } else { 1 };
        let inner = quotes.get(width..quotes.len().checked_sub(width)?)?;
        let is_raw = text.get(..letters)?.contains(['r', 'R']);
        let fills = match self.language {
            CodeLanguage::Python => text.get(..letters)?.contains(['f', 'F']),
            CodeLanguage::JavaScript => quote == '`',
            _ => quote != '\'',
        };
        Some(self.fill_placeholders(inner, is_raw, fills))
    }

    /// The parts of a text: `{name}`, `${name}`, `#{name}` and `$name` are put into it.
    fn fill_placeholders(&mut self, inner: &str, is_raw: bool, fills: bool) -> Vec<TextPiece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = inner;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            let open = match self.language {
                CodeLanguage::Python => "{",
                CodeLanguage::Ruby => "#{",
                _ => "${",
            };
            if c == HOLE {
                pieces.push(TextPiece::Text(std::mem::take(&mut text)));
                pieces.push(TextPiece::Unknown);
                rest = after;
            } else if c == '\\' && !is_raw {
                let (unescaped, left) = read_escape(after);
                text.push(unescaped);
                rest = left;
            } else if let Some(inside) = rest.strip_prefix(open).filter(|_| fills) {
                let (expression, left) = inside.split_once('}').unwrap_or((inside, ""));
                pieces.push(TextPiece::Text(std::mem::take(&mut text)));
                pieces.extend(self.read_expression(expression));
                rest = left;
            } else if fills && c == '$' && matches!(self.language, CodeLanguage::Perl | CodeLanguage::Php) {
                let length =
                    after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
                let name = rest.get(..=length).unwrap_or(rest);
                let bracket = rest
                    .get(name.len()..)
                    .and_then(|rest| rest.strip_prefix('{'))
                    .and_then(|rest| rest.split_once('}'));
                pieces.push(TextPiece::Text(std::mem::take(&mut text)));
                match bracket {
                    Some((key, left)) => {
                        pieces.extend(self.read_part(&format!("{name}{{{key}}}")));
                        rest = left;
                    }
                    None => {
                        pieces.extend(self.read_part(name));
                        rest = rest.get(name.len()..).unwrap_or_default();
                    }
                }
            } else {
                text.push(c);
                rest = after;
            }
        }
        pieces.push(TextPiece::Text(text));
        pieces.retain(|piece| *piece != TextPiece::Text(String::new()));
        pieces
    }
}

/// Returns the parts of a path whose `~` means the home folder.
fn from_home(pieces: Vec<TextPiece>) -> Vec<TextPiece> {
    match pieces.first() {
        Some(TextPiece::Text(text)) if text.starts_with('~') => {
            let rest = TextPiece::Text(text.trim_start_matches('~').to_owned());
            [TextPiece::Home, rest].into_iter().chain(pieces.into_iter().skip(1)).collect()
        }
        _ => pieces,
    }
}

/// The character of an escape, and what follows it.
fn read_escape(after: &str) -> (char, &str) {
    let Some(c) = after.chars().next() else { return ('\\', "") };
    let rest = after.get(c.len_utf8()..).unwrap_or_default();
    let code = |digits: usize, radix: u32, from: &'static str| {
        let text = after.strip_prefix(from)?.get(..digits)?;
        let value = char::from_u32(u32::from_str_radix(text, radix).ok()?)?;
        Some((value, after.get(from.len() + digits..)?))
    };
    match c {
        'n' => ('\n', rest),
        't' => ('\t', rest),
        'r' => ('\r', rest),
        'x' => code(2, 16, "x").unwrap_or((c, rest)),
        'u' => code(4, 16, "u").unwrap_or((c, rest)),
        '0'..='7' => code(3, 8, "").unwrap_or((c, rest)),
        c => (c, rest),
    }
}

/// The parts between operators outside of quotes and brackets, each with the operator before it.
fn operator_parts<'t>(text: &'t str, signs: &[char]) -> Vec<(Option<char>, &'t str)> {
    let bytes = text.as_bytes();
    let (mut all, mut start, mut at, mut depth, mut sign) = (Vec::new(), 0, 0, 0_usize, None);
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'"' | b'\'' | b'`' => {
                at = string_end(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            byte if depth == 0 && at > start && signs.contains(&char::from(byte)) => {
                // A dot between names belongs to them.
                let is_between = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric());
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                if byte != b'.' || !(is_between(before) && is_between(bytes.get(at + 1))) {
                    all.extend(text.get(start..at).map(|part| (sign, part)));
                    sign = Some(char::from(byte));
                    start = at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    all.extend(text.get(start..).map(|part| (sign, part)));
    all
}

/// Returns whether an expression, without its quotes, is the home folder.
fn is_home(compact: &str) -> bool {
    const HOMES: [&str; 16] = [
        "Path.home()",
        "pathlib.Path.home()",
        "os.environ[HOME]",
        "os.environ.get(HOME)",
        "os.getenv(HOME)",
        "os.homedir()",
        "require(os).homedir()",
        "process.env.HOME",
        "process.env[HOME]",
        "Deno.env.get(HOME)",
        "Dir.home",
        "ENV[HOME]",
        "ENV.fetch(HOME)",
        "$ENV{HOME}",
        "getenv(HOME)",
        "$_SERVER[HOME]",
    ];
    HOMES.contains(&compact)
        || compact.ends_with(".homedir()")
        || matches!(compact, "homedir()" | "ENV{HOME}")
}
