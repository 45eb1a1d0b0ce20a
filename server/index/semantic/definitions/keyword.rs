//! Definitions that begin with a keyword.

use super::{Kind, Language, MODIFIERS, is_name, name};

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

/// What stands between balanced brackets at the start is left out.
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

/// What a line defines that says so with a word, after those that modify it.
pub(super) fn by_keyword(text: &str, indent: usize, language: Language) -> Option<(&str, Kind)> {
    let mut rest = text;
    for _ in 0..6 {
        rest = match rest.as_bytes().first()? {
            b'@' if language == Language::Classes => name(&rest[1..]).1.trim_start(),
            b'[' if language == Language::Classes => past_brackets(rest, '[', ']'),
            _ => rest,
        };
        let end = rest.find([' ', '\t', '(', '<']).unwrap_or(rest.len());
        let (word, mut after) = rest.split_at(end);
        after = after.trim_start();
        if word == "impl" {
            return implemented(after);
        }
        if TYPES.contains(&word) {
            return of_type(word, after, indent, language);
        }
        if FUNCTIONS.contains(&word) {
            return of_function(after, indent, language);
        }
        // `const fn` and `static int f(` are no values.
        let is_value = VALUES.contains(&word);
        let is_c = language == Language::C;
        let is_modifier = after.starts_with("fn ")
            || word == "static" && (is_c || language == Language::Classes)
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
fn implemented(after: &str) -> Option<(&str, Kind)> {
    let after = past_brackets(after, '<', '>');
    let of = after.split_once(" for ").map_or(after, |(_, of)| of).trim_start();
    let of = of.trim_start_matches(['&', '*']).rsplit_once("::").map_or(of, |(_, last)| last);
    let (name, _) = name(of);
    (!name.is_empty()).then_some((name, Kind::Mention))
}

fn of_type<'a>(word: &str, after: &'a str, indent: usize, language: Language) -> Option<(&'a str, Kind)> {
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
        Language::C => rest.starts_with(';') || !(rest.is_empty() || rest.starts_with(['{', ':', '<', '('])),
        // `type` and the like are names of values too.
        Language::Script | Language::Python => rest.starts_with([')', ',', '.', '?']) || indent > 8,
        _ => word == "mod" && rest.starts_with(';') || word == "extension" || word == "defimpl",
    };
    if is_mentioned && language == Language::C && rest.contains('(') {
        return None;
    }
    Some((name, if is_mentioned { Kind::Mention } else { Kind::Type }))
}

fn of_function(after: &str, indent: usize, language: Language) -> Option<(&str, Kind)> {
    // The receiver of Go, the type parameters of Kotlin and Rust, the reference of PHP, the generator of JavaScript.
    let is_receiver = after.starts_with('(');
    let after = past_brackets(past_brackets(after, '(', ')'), '<', '>').trim_start_matches(['&', '*', ' ']);
    let end = after.find(|c: char| !is_name(c) && !".:?!$".contains(c)).unwrap_or(after.len());
    // The type that Kotlin extends.
    if let Some(extends) = past_brackets(&after[end..], '<', '>').strip_prefix('.') {
        let (name, _) = name(extends);
        return (!name.is_empty()).then_some((name, if indent > 0 { Kind::Method } else { Kind::Function }));
    }
    let path = after[..end].trim_end_matches([':', '.', '=']);
    let last = path.rsplit(['.', ':']).next()?.trim_end_matches(['?', '!']).trim_start_matches('$');
    if last.is_empty() || last.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let inside = is_receiver || indent > 0 && !matches!(language, Language::Lisp);
    Some((last, if inside { Kind::Method } else { Kind::Function }))
}

fn of_value<'a>(word: &str, after: &'a str, indent: usize, language: Language) -> Option<(&'a str, Kind)> {
    let (found, rest) = name(after.trim_start_matches(['$', '@']).trim_start_matches("mut "));
    if found.is_empty() || indent > 4 || !found.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    // What is deeper is a function's own.
    let is_inner = matches!(word, "let" | "my" | "our") && language != Language::Classes;
    if indent > 0 && (language == Language::Script || is_inner) {
        return None;
    }
    let is_function = rest.contains("=>") || rest.contains("function") || rest.ends_with("= (");
    let is_type = rest.contains("struct {") || rest.contains("enum {") || rest.contains("union {");
    let kind = if is_type {
        Kind::Type
    } else if is_function && indent == 0 {
        Kind::Function
    } else {
        Kind::Value
    };
    Some((found, kind))
}
