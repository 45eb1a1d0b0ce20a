//! Definitions that begin with a keyword.

use super::{DefinitionKind, MODIFIERS, SourceLanguage, is_name, leading_name};

const TYPES: &[&str] = &[
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "protocol",
    "union",
    "record",
    "object",
    "module",
    "namespace",
    "actor",
    "type",
    "mod",
    "defmodule",
    "defprotocol",
    "newtype",
    "mixin",
    "typealias",
    "extension",
    "package",
    "contract",
    "defimpl",
    "defstruct",
];
const FUNCTIONS: &[&str] = &[
    "fn",
    "func",
    "fun",
    "def",
    "defp",
    "defmacro",
    "defmacrop",
    "defguard",
    "function",
    "sub",
    "macro_rules!",
    "macro",
    "proc",
    "procedure",
    "method",
    "defn",
    "defun",
    "define",
];
const VALUES: &[&str] =
    &["const", "let", "var", "val", "static", "#define", "alias", "property", "my", "our"];

/// Skips balanced brackets at the start.
fn past_brackets(text: &str, open: char, close: char) -> &str {
    if !text.starts_with(open) {
        return text;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices().take(200) {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return text[at + c.len_utf8()..].trim_start();
        }
    }
    text
}

/// Returns the name that a line defines with a keyword, after its modifiers.
pub(super) fn by_keyword(
    text: &str,
    indent: usize,
    language: SourceLanguage,
) -> Option<(&str, DefinitionKind)> {
    let mut rest = text;
    for _ in 0..6 {
        rest = match rest.as_bytes().first()? {
            b'@' if language == SourceLanguage::Classes => leading_name(&rest[1..]).1.trim_start(),
            b'[' if language == SourceLanguage::Classes => past_brackets(rest, '[', ']'),
            _ => rest,
        };
        let end = rest.find([' ', '\t', '(', '<']).unwrap_or(rest.len());
        let (word, mut after) = rest.split_at(end);
        after = after.trim_start();
        if word == "impl" {
            return implemented_type(after);
        }
        if TYPES.contains(&word) {
            return of_type(word, after, indent, language);
        }
        if FUNCTIONS.contains(&word) {
            return of_function(after, indent, language);
        }
        // `const fn` and `static int f(` are no values.
        let is_value = VALUES.contains(&word);
        let is_c = language == SourceLanguage::C;
        let is_modifier = after.starts_with("fn ")
            || word == "static" && (is_c || language == SourceLanguage::Classes)
            || word != "#define" && is_c;
        if is_value && !is_modifier {
            return of_value(word, after, indent, language);
        }
        if !MODIFIERS.contains(&word) && !is_value && word != "template" && word != "unsafe" {
            return None;
        }
        rest = past_brackets(past_brackets(after, '(', ')'), '<', '>');
        if let Some(linkage) = rest.strip_prefix('"') {
            rest = linkage.split_once('"').map_or("", |(_, rest)| rest.trim_start());
        }
    }
    None
}

/// The type that an implementation is for.
fn implemented_type(after: &str) -> Option<(&str, DefinitionKind)> {
    let after = past_brackets(after, '<', '>');
    let of = after.split_once(" for ").map_or(after, |(_, of)| of).trim_start();
    let of = of.trim_start_matches(['&', '*']).rsplit_once("::").map_or(of, |(_, last)| last);
    let (name, _) = leading_name(of);
    (!name.is_empty()).then_some((name, DefinitionKind::Mention))
}

fn of_type<'a>(
    word: &str,
    after: &'a str,
    indent: usize,
    language: SourceLanguage,
) -> Option<(&'a str, DefinitionKind)> {
    let mut after = after;
    // `enum class`, `type record`, `case object`.
    for second in ["class ", "struct ", "interface ", "enum ", "alias ", "family ", "rec "] {
        after = after.strip_prefix(second).map_or(after, str::trim_start);
    }
    let dotted = after.find(|c: char| !is_name(c) && c != '.' && c != ':').unwrap_or(after.len());
    let (path, rest) = after.split_at(dotted);
    let path = path.trim_end_matches([':', '.']);
    let (name, rest) = match path.rsplit_once(['.', ':']) {
        Some((_, last)) => (last, rest),
        None => (path, rest.trim_start()),
    };
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || word == "package" {
        return None;
    }
    let is_mentioned = match language {
        // A forward declaration, or the type of what is declared.
        SourceLanguage::C => {
            rest.starts_with(';') || !(rest.is_empty() || rest.starts_with(['{', ':', '<', '(']))
        }
        // `type` and the like are names of values too.
        SourceLanguage::Script | SourceLanguage::Python => {
            rest.starts_with([')', ',', '.', '?']) || indent > 8
        }
        _ => word == "mod" && rest.starts_with(';') || word == "extension" || word == "defimpl",
    };
    if is_mentioned && language == SourceLanguage::C && rest.contains('(') {
        return None;
    }
    Some((name, if is_mentioned { DefinitionKind::Mention } else { DefinitionKind::Type }))
}

fn of_function(after: &str, indent: usize, language: SourceLanguage) -> Option<(&str, DefinitionKind)> {
    // The receiver of Go, the type parameters of Kotlin and Rust, the reference of PHP, the generator of JavaScript.
    let is_receiver = after.starts_with('(');
    let after = past_brackets(past_brackets(after, '(', ')'), '<', '>').trim_start_matches(['&', '*', ' ']);
    let end = after.find(|c: char| !is_name(c) && !".:?!$".contains(c)).unwrap_or(after.len());
    // The type that Kotlin extends.
    if let Some(extends) = past_brackets(&after[end..], '<', '>').strip_prefix('.') {
        let (name, _) = leading_name(extends);
        return (!name.is_empty())
            .then_some((name, if indent > 0 { DefinitionKind::Method } else { DefinitionKind::Function }));
    }
    let path = after[..end].trim_end_matches([':', '.', '=']);
    let last = path.rsplit(['.', ':']).next()?.trim_end_matches(['?', '!']).trim_start_matches('$');
    if last.is_empty() || last.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let inside = is_receiver || indent > 0 && !matches!(language, SourceLanguage::Lisp);
    Some((last, if inside { DefinitionKind::Method } else { DefinitionKind::Function }))
}

fn of_value<'a>(
    word: &str,
    after: &'a str,
    indent: usize,
    language: SourceLanguage,
) -> Option<(&'a str, DefinitionKind)> {
    let (found, rest) = leading_name(after.trim_start_matches(['$', '@']).trim_start_matches("mut "));
    if found.is_empty() || indent > 4 || !found.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    // A deeper name is a function's own.
    let is_inner = matches!(word, "let" | "my" | "our") && language != SourceLanguage::Classes;
    if indent > 0 && (language == SourceLanguage::Script || is_inner) {
        return None;
    }
    let is_function = rest.contains("=>") || rest.contains("function") || rest.ends_with("= (");
    let is_type = rest.contains("struct {") || rest.contains("enum {") || rest.contains("union {");
    let kind = if is_type {
        DefinitionKind::Type
    } else if is_function && indent == 0 {
        DefinitionKind::Function
    } else {
        DefinitionKind::Value
    };
    Some((found, kind))
}
