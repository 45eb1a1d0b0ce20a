//! Decides whether the value of a telling name is a secret, or code, a type, a label, a sentence.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::names::NameClass;

/// Words that stand where a value will be.
const PLACES: [&str; 57] = [
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "yes",
    "no",
    "on",
    "off",
    "string",
    "str",
    "text",
    "bool",
    "boolean",
    "int",
    "integer",
    "number",
    "bytes",
    "byte",
    "char",
    "object",
    "array",
    "list",
    "map",
    "any",
    "void",
    "option",
    "optional",
    "required",
    "invalid",
    "missing",
    "incorrect",
    "wrong",
    "hidden",
    "empty",
    "unknown",
    "default",
    "example",
    "changed",
    "expired",
    "redacted",
    "masked",
    "basic",
    "bearer",
    "digest",
    "plain",
    "plaintext",
    "bcrypt",
    "scrypt",
    "type",
    "value",
    "self",
    "this",
    "input",
    "prompt",
    "inherit",
];

/// Words of sentences, in the values of labels and in prose.
const PROSE: [&str; 66] = [
    "the",
    "a",
    "an",
    "is",
    "are",
    "of",
    "to",
    "for",
    "must",
    "your",
    "be",
    "been",
    "in",
    "with",
    "from",
    "by",
    "this",
    "that",
    "these",
    "or",
    "and",
    "at",
    "if",
    "not",
    "you",
    "it",
    "its",
    "on",
    "as",
    "will",
    "can",
    "cannot",
    "see",
    "when",
    "was",
    "were",
    "has",
    "have",
    "should",
    "may",
    "no",
    "please",
    "enter",
    "invalid",
    "used",
    "use",
    "which",
    "than",
    "then",
    "only",
    "so",
    "contains",
    "contain",
    "between",
    "until",
    "after",
    "before",
    "where",
    "how",
    "what",
    "do",
    "does",
    "else",
    "characters",
    "option",
    "flag",
];

/// Nouns that a label or a variable holds, and no value of theirs.
const NOUNS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "apikey",
    "api_key",
    "credential",
    "username",
    "your",
    "placeholder",
    "here",
];

/// Returns whether a value is a placeholder: a variable, a hole in a template, stars.
pub(super) fn is_place(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let second = value.get(1).copied().unwrap_or_default();
    let starts = |word: &[u8]| value.len() >= word.len() && value[..word.len()].eq_ignore_ascii_case(word);
    let variable = *first == b'$'
        && (matches!(second, b'{' | b'(')
            || value[1..].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.')));
    let hole = matches!(first, b'<' | b'{') || (*first == b'%' && !second.is_ascii_hexdigit());
    let dull = value.iter().all(|b| b == first)
        || value.iter().all(|b| matches!(b, b'*' | b'.' | b'x' | b'X' | b'-' | b'_'));
    let code = [
        "process.env",
        "os.environ",
        "env(",
        "env[",
        "secrets.",
        "vars.",
        "[redacted:",
        "redacted:",
        "var.",
        "local.",
        "data.",
    ];
    let url = value.windows(3).any(|three| three == b"://");
    let hole_inside = value.windows(2).any(|two| two == b"${" || two == b"{{" || two == b"$(");
    let path = matches!(first, b'/' | b'~') || starts(b"./") || starts(b"../") || starts(b"file:");
    variable
        || hole
        || dull
        || url
        || hole_inside
        || path
        || code.iter().any(|word| starts(word.as_bytes()))
        || is_listed(value, &PLACES)
}

fn is_listed(value: &[u8], list: &[&str]) -> bool {
    list.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether a value looks made up by a machine or a careful person: letters and digits mixed, many different
/// characters, no code and no plain identifier.
pub(super) fn is_random(value: &[u8]) -> bool {
    let code = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b'[' | b'{' | b'<' | b'>' | b'|');
    if !value.is_ascii() || value.iter().any(code) || value.windows(2).any(|two| two == b"::") {
        return false;
    }
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    letters > 0 && digits > 0 && count_distinct(value) * 5 >= value.len().min(32) * 2 && !is_identifier(value)
}

fn count_distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|b| seen[usize::from(*b)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Returns whether every part is a word with at most two digits behind it (`token_kind2`, `Sha256.new` is not).
fn is_identifier(value: &[u8]) -> bool {
    value.split(|b| matches!(b, b'_' | b'-' | b'.' | b'/')).all(|part| {
        let digits = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = &part[..part.len() - digits];
        word.iter().all(u8::is_ascii_alphabetic) && (digits <= 2 || word.is_empty())
    })
}

/// Returns whether a text in quotes is a secret of this class.
pub(super) fn is_quoted_secret(class: NameClass, value: &[u8], labels: bool) -> bool {
    let least = if class == NameClass::Password { 4 } else { 8 };
    if value.len() < least || is_place(value) {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return class != NameClass::Token && is_passphrase(value, labels);
    }
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    match class {
        _ if is_random(value) || is_pair(value) => true,
        NameClass::Password => !is_label(value) && !has_code_signs(value) && !value.ends_with(b":"),
        NameClass::Secret => letters && !is_label(value) && !is_camel(value),
        NameClass::Token => letters && value.len() >= 16 && !is_label(value) && !is_camel(value),
    }
}

/// Returns whether a value without quotes behind a sign, to the end of its line, is a secret of this class.
pub(super) fn is_bare_secret(class: NameClass, value: &[u8]) -> bool {
    if value.len() < 4 || is_place(value) || has_code_signs(value) {
        return false;
    }
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    match class {
        _ if is_random(value) => value.len() >= 6,
        _ if is_pair(value) => true,
        NameClass::Password => !is_label(value) && !is_camel(value),
        NameClass::Secret => letters && !is_label(value) && !is_camel(value),
        NameClass::Token => letters && value.len() >= 16 && !is_label(value) && !is_camel(value),
    }
}

/// Returns whether words with spaces are a passphrase and no sentence, no label and no code.
pub(super) fn is_passphrase(value: &[u8], labels: bool) -> bool {
    let Ok(text) = str::from_utf8(value) else { return true };
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.trim_matches(',').to_ascii_lowercase()).collect();
    let nouns = lower.iter().any(|word| NOUNS.iter().any(|noun| word.contains(noun)));
    let prose = lower.iter().filter(|word| PROSE.contains(&word.as_str())).count();
    // Error messages of forms ("has already been taken") hold two or more such words, passphrases seldom more than one.
    let sentence = nouns || prose > usize::from(words.len() >= 4);
    let ends = text.trim_end().ends_with(['.', ':', '?', '…', ';', ',', '{', '(']);
    let titled = text.starts_with(|c: char| c.is_uppercase()) && !text.bytes().any(|b| b.is_ascii_digit());
    let code = text.contains(['(', '{', '[', '<', '|', '`', '='])
        || text.contains(" + ")
        || text.contains("::")
        || text.contains(" ? ");
    let operators =
        lower.iter().any(|word| matches!(word.as_str(), "or" | "and" | "if" | "else" | "not" | "in" | "is"));
    words.len() >= 2
        && !ends
        && !code
        && !operators
        && !nouns
        && !(titled && (labels || sentence))
        && !(labels && sentence)
}

/// Returns whether a value, which is not empty, holds a bracket, a quote, a comma, an inner `=`, `::` or the like, begins
/// with a sign such as `&`, or is dotted names such as `os.environ`.
pub(super) fn has_code_signs(value: &[u8]) -> bool {
    let value = value.iter().rposition(|b| *b != b'=').map_or(value, |last| &value[..=last]);
    let code = |b: &u8| {
        matches!(
            b,
            b'(' | b')'
                | b'{'
                | b'}'
                | b'['
                | b']'
                | b'<'
                | b'>'
                | b'|'
                | b'`'
                | b'"'
                | b'\''
                | b','
                | b';'
                | b'='
        )
    };
    value.iter().any(code)
        || value.windows(2).any(|two| two == b"::" || two == b"->")
        || matches!(value[0], b'&' | b'*' | b'!' | b'@' | b'-' | b':' | b'?')
        || value
            .windows(3)
            .any(|part| part[1] == b'.' && part[0].is_ascii_lowercase() && part[2].is_ascii_lowercase())
            && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'))
            && !value.iter().any(u8::is_ascii_digit)
}

/// Returns whether a value only repeats the meaning of its name.
fn is_label(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let holds = |noun: &&str| lower.windows(noun.len()).any(|part| part == noun.as_bytes());
    let plain = !value.iter().any(u8::is_ascii_digit) || value.iter().any(|b| matches!(b, b'_' | b'-'));
    let sign = value.iter().any(|b| matches!(b, b'!' | b'#' | b'^' | b'~' | b'+' | b'&' | b'*'));
    plain && !sign && (NOUNS.iter().any(holds) || is_listed(value, &PLACES) || is_listed(value, &PROSE))
}

/// Returns whether letters change from small to large more than once, or twice, as in `TokenKind` and `newValue`.
fn is_camel(value: &[u8]) -> bool {
    let humps =
        value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    (1..=4).contains(&humps) && value.iter().all(u8::is_ascii_alphabetic) && value.len() < 24
}

/// Returns whether a value is a word of a sentence, or the name of the real value.
pub(super) fn is_filler(value: &[u8]) -> bool {
    is_listed(value, &PROSE) || is_listed(value, &NOUNS)
}

/// Returns whether a value is a word of a sentence, or repeats the meaning of its name.
pub(super) fn is_word(value: &[u8]) -> bool {
    is_listed(value, &PROSE) || is_label(value)
}

/// Returns whether it is `user:password`, in base64.
pub(super) fn is_pair(secret: &[u8]) -> bool {
    let trimmed = secret.iter().rposition(|b| *b != b'=').map_or(&secret[..0], |last| &secret[..=last]);
    STANDARD_NO_PAD
        .decode(trimmed)
        .is_ok_and(|plain| plain.contains(&b':') && plain.iter().all(|b| (b' '..0x7f).contains(b)))
}
