//! Secrets that show themselves by the name they are given to: `password = "…"`.

use super::Found;

/// Words in a name that say its value is a secret.
pub(super) const NAMES: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "accesskey",
    "private_key",
    "auth_key",
    "credential",
];

/// Words before a name that say it is no secret after all: a place in a listing, a lexer's token.
const HARMLESS: [&str; 6] = ["page_", "pagetoken", "continuation", "next_", "cursor", "sync_"];

/// The value given to the name that ends at `end`, if it looks like a secret.
pub(super) fn check(text: &[u8], start: usize, end: usize) -> Option<Found> {
    let before = &text[start.saturating_sub(16)..start];
    if HARMLESS.iter().any(|word| ends_with(before, word)) {
        return None;
    }
    let mut at = end;
    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    at += text[at..].iter().take(24).take_while(|b| name(**b)).count();
    at += text[at..].iter().take(3).take_while(|b| matches!(b, b'"' | b'\'' | b'`' | b']' | b'\\')).count();
    at += spaces(text, at);
    let sign = text[at..].iter().take(2).take_while(|b| matches!(b, b'=' | b':' | b'>')).count();
    if sign == 0 || text[at..at + sign] == *b"::" || text[at..at + sign] == *b"==" {
        return None;
    }
    at += sign;
    at += spaces(text, at);
    let escape = usize::from(text.get(at) == Some(&b'\\'));
    let quote = text.get(at + escape).filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let (from, to) = match quote {
        Some(quote) => {
            let from = at + escape + 1;
            let inside = |b: &&u8| **b != *quote && **b != b'\\' && !b.is_ascii_control();
            (from, from + text[from..].iter().take(512).take_while(inside).count())
        }
        None => {
            let stop = |b: &u8| {
                b.is_ascii_whitespace()
                    || matches!(
                        b,
                        b',' | b';' | b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'<' | b'\\' | b'&'
                    )
            };
            (at, at + text[at..].iter().take(512).position(stop).unwrap_or((text.len() - at).min(512)))
        }
    };
    let value = &text[from..to];
    let least = if quote.is_some() { 8 } else { 10 };
    (value.len() >= least && is_random(value)).then_some(Found { kind: "value", start: from, end: to })
}

fn spaces(text: &[u8], at: usize) -> usize {
    text[at..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

fn ends_with(text: &[u8], word: &str) -> bool {
    text.len() >= word.len() && text[text.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
}

/// Whether a value looks made up by a machine or a careful person: letters and digits mixed, many different
/// characters, no code and no plain identifier.
fn is_random(value: &[u8]) -> bool {
    let code = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b'[' | b'{' | b'<' | b'>' | b'|');
    if !value.is_ascii() || value.iter().any(code) || matches!(value[0], b'$' | b'%' | b'/' | b'.') {
        return false;
    }
    if value.starts_with(b"redacted:") || value.windows(2).any(|two| two == b"::") {
        return false;
    }
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    letters > 0 && digits > 0 && distinct(value) * 5 >= value.len().min(32) * 2 && !is_identifier(value)
}

fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|b| seen[usize::from(*b)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Whether every part is a word with at most two digits behind it (`token_kind2`, `Sha256.new` is not).
fn is_identifier(value: &[u8]) -> bool {
    value.split(|b| matches!(b, b'_' | b'-' | b'.' | b'/')).all(|part| {
        let digits = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = &part[..part.len() - digits];
        word.iter().all(u8::is_ascii_alphabetic) && (digits <= 2 || word.is_empty())
    })
}

/// Whether a JSON key names a secret: the whole of it, or its last words.
pub(super) fn is_name(key: &str) -> bool {
    const WHOLE: [&str; 8] =
        ["pwd", "token", "secret", "auth", "authorization", "credentials", "cookie", "bearer"];
    const LAST: [&str; 16] = [
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "apitoken",
        "authtoken",
        "accesstoken",
        "refreshtoken",
        "idtoken",
        "sessiontoken",
        "bearertoken",
        "clientsecret",
        "secretkey",
        "accesskey",
        "privatekey",
        "connectionstring",
    ];
    if key.len() > 64 {
        return false;
    }
    let mut letters = [0; 64];
    let mut count = 0;
    for byte in key.bytes().filter(u8::is_ascii_alphanumeric) {
        letters[count] = byte.to_ascii_lowercase();
        count += 1;
    }
    let letters = &letters[..count];
    WHOLE.iter().any(|name| letters == name.as_bytes())
        || LAST.iter().any(|name| letters.ends_with(name.as_bytes()))
}

/// Whether a string under such a key is a value and not a place for one.
pub(super) fn is_value(text: &str) -> bool {
    let open = ["$", "{", "<", "%", "[redacted:"];
    !text.is_empty() && !open.iter().any(|start| text.starts_with(start))
}
