//! Secrets in headers of requests: `Cookie`, `Set-Cookie`, `Authorization` and its kin, in a request, a program or a command.

use super::FoundSecret;
use super::{line, value};

/// Words of their names.
pub(super) const WORDS: [&str; 2] = ["cookie", "authorization"];

/// Ways to say who one is, before the proof.
const SCHEMES: [&str; 22] = [
    "basic",
    "bearer",
    "token",
    "digest",
    "negotiate",
    "ntlm",
    "apikey",
    "api-key",
    "aws4-hmac-sha256",
    "sharedkey",
    "sharedkeylite",
    "googlelogin",
    "oauth",
    "hawk",
    "mac",
    "dpop",
    "splunk",
    "geniekey",
    "sso-key",
    "key",
    "bot",
    "client",
];

/// The secret of the header whose name is at `start..end`.
pub(super) fn check_header(word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
    let closers = text[end..]
        .iter()
        .take(5)
        .take_while(|b| matches!(b, b'"' | b'\'' | b'`' | b'\\' | b']' | b')'))
        .count();
    let at = end + closers + count_blanks(text, end + closers);
    let colon = match text.get(at)? {
        b':' => true,
        b'=' | b',' if text.get(at + 1) != Some(&b'=') => false,
        _ => return None,
    };
    let at = at + 1 + usize::from(text.get(at + 1) == Some(&b'>'));
    let at = at + count_blanks(text, at);
    let escapes = text[at.min(text.len())..].iter().take(7).take_while(|b| **b == b'\\').count();
    let quoted = text.get(at + escapes).is_some_and(|b| matches!(b, b'"' | b'\'' | b'`'));
    // `-H 'Cookie: …'`: the quote opened before the name.
    let opened =
        text[start.saturating_sub(16)..start].iter().rev().find(|b| matches!(b, b'"' | b'\'' | b'`'));
    let (from, to) = match (quoted, opened) {
        (true, _) => super::assign::quote_at(text, at)?,
        (false, Some(quote)) if closers == 0 => {
            let end = line::line_end(text, at);
            (at, at + text[at..end].iter().position(|b| b == quote).unwrap_or(end - at))
        }
        _ => (at, line::line_end(text, at)),
    };
    let to = from + text[from..to].trim_ascii_end().len();
    match word {
        0 => cookie_value(text, start, (from, to), colon),
        _ => credentials(text, (from, to), colon || quoted),
    }
}

/// Returns the part after the first name of a cookie; of a `Set-Cookie` up to its attributes.
fn cookie_value(text: &[u8], start: usize, (from, to): (usize, usize), colon: bool) -> Option<FoundSecret> {
    let name = text[from..to]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'%' | b'[' | b']'))
        .count();
    let at = from + name + 1;
    if name == 0 || text.get(at - 1) != Some(&b'=') || text.get(at) == Some(&b'=') {
        return None;
    }
    let set = text[..start].to_ascii_lowercase().ends_with(b"set-")
        || text[..start].to_ascii_lowercase().ends_with(b"set_");
    let first = at + text[at..to].iter().position(|b| *b == b';').unwrap_or(to - at);
    let end = if set { first } else { to };
    let secret = text.get(at..first)?;
    let yes = !secret.is_empty()
        && !value::is_place(secret)
        && !secret.contains(&b'(')
        && (colon || value::is_random(secret));
    yes.then_some(FoundSecret { kind: "cookie", start: at, end })
}

/// Returns the part after the scheme; or all of it, if it is one random word.
fn credentials(text: &[u8], (from, to): (usize, usize), telling: bool) -> Option<FoundSecret> {
    let word = text[from..to].iter().take_while(|b| !b.is_ascii_whitespace() && **b != b'=').count();
    let scheme = text[from..from + word].to_ascii_lowercase();
    let at = from + word + 1;
    let found = |kind, start, end| Some(FoundSecret { kind, start, end });
    let Some(known) = SCHEMES.iter().find(|known| known.as_bytes() == scheme) else {
        let secret = &text[from..to];
        let yes = telling && secret.len() >= 8 && value::is_random(secret) && !value::is_place(secret);
        return if yes { found("authorization", from, to) } else { None };
    };
    let secret = text.get(at..to)?.trim_ascii_start();
    let at = to - secret.len();
    if secret.len() < 3
        || value::is_place(secret)
        || value::is_filler(secret)
        || secret.iter().any(|b| matches!(b, b'(' | b'{'))
    {
        return None;
    }
    let first = at + secret.iter().position(u8::is_ascii_whitespace).unwrap_or(secret.len());
    let one = &text[at..first];
    match *known {
        "basic" => {
            let yes = value::is_pair(one) || one.len() >= 8 && value::is_random(one);
            if yes { found("basic", at, first) } else { None }
        }
        "bearer" | "token" | "bot" | "key" | "apikey" | "api-key" => {
            let ends = first == to || matches!(text.get(first), Some(b' ')) && one.len() >= 16;
            let yes = (ends && one.len() >= 4 && !value::has_code_signs(one)) || value::is_random(one);
            if yes { found(if *known == "bearer" { "bearer" } else { "token" }, at, first) } else { None }
        }
        _ if secret.contains(&b'=') || one.len() >= 12 => found("authorization", at, to),
        _ => None,
    }
}

fn count_blanks(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
