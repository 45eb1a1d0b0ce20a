//! Secrets that are known by their place among other fields: addresses, password files, hashes of passwords, and the
//! secret next to a key's id.

use super::FoundSecret;
use super::{line, value};

/// Words that they show themselves by.
pub(super) const WORDS: [&str; 31] = [
    "://",
    ":*:",
    ":5432:",
    ":5433:",
    ":6432:",
    "@tcp(",
    "@unix(",
    "$2a$",
    "$2b$",
    "$2y$",
    "$1$",
    "$5$",
    "$6$",
    "$y$",
    "$7$",
    "$apr1$",
    "$argon2",
    "$scrypt$",
    "$pbkdf2",
    "pbkdf2_sha",
    "{SSHA",
    "-----END ",
    "MIIE",
    "MIIC",
    "MIIJ",
    "b3BlbnNzaC1rZXktdjE",
    "oracle:thin:",
    "?key=",
    "&key=",
    "?code=",
    "&code=",
];
/// The index of the first word of a private key's body, of an Oracle address, and of a URL's arguments.
const BODY: usize = 22;
const ORACLE: usize = 26;

/// The secret that the word at `start..end` shows.
pub(super) fn check_place(word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
    let found = |kind, (start, end)| Some(FoundSecret { kind, start, end });
    match word {
        0 => address_password(text, end).and_then(|place| found("password", place)),
        1..=4 => pgpass_password(text, start, end).and_then(|place| found("password", place)),
        5 | 6 => data_source(text, start).and_then(|place| found("password", place)),
        7..21 => {
            let body = |b: &&u8| {
                b.is_ascii_alphanumeric()
                    || matches!(**b, b'.' | b'/' | b'$' | b'=' | b',' | b'+' | b'-' | b'_' | b'}' | b'{')
            };
            let length = text[start..].iter().take(512).take_while(body).count();
            let exact = text[start..end] == *WORDS[word].as_bytes();
            if exact && length >= 20 { found("password-hash", (start, start + length)) } else { None }
        }
        21 => cut_key(text, start).and_then(|place| found("private-key", place)),
        BODY..ORACLE => key_body(text, start, word).and_then(|place| found("private-key", place)),
        ORACLE => oracle_password(text, end).and_then(|place| found("password", place)),
        _ => url_argument(text, end).and_then(|place| found("value", place)),
    }
}

/// The password of `user:password@host`, from behind `://`; or the user, if that is a token.
fn address_password(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let stop = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'(' | b')')
    };
    let length = text[from..].iter().take(1024).position(stop).unwrap_or((text.len() - from).min(1024));
    let run = &text[from..from + length];
    let colon = run
        .iter()
        .position(|b| *b == b':')
        .filter(|at| !run[..*at].iter().any(|b| matches!(b, b'/' | b'@' | b'?' | b'#')));
    let host = |at: &usize| {
        let rest = &run[at + 1..];
        let host = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'[' | b']'))
            .count();
        host > 0 && matches!(rest.get(host), None | Some(b':' | b'/' | b'?' | b'#' | b',' | b';'))
    };
    if run.starts_with(b"[redacted:") {
        return None;
    }
    let Some(colon) = colon else {
        let at = run.iter().position(|b| matches!(b, b'@' | b'/')).filter(|at| run[*at] == b'@')?;
        let user = &run[..at];
        return (user.len() >= 16 && value::is_random(user)).then_some((from, from + at));
    };
    let signs = run.iter().enumerate().filter(|(_, b)| **b == b'@').map(|(at, _)| at);
    let slash = run.iter().position(|b| *b == b'/').unwrap_or(run.len());
    let signs: Vec<usize> = signs.filter(host).collect();
    let at =
        signs.iter().rfind(|at| **at < slash).or_else(|| signs.first()).copied().filter(|at| *at > colon)?;
    let secret = &run[colon + 1..at];
    let port = secret.iter().take_while(|b| b.is_ascii_digit()).count();
    let path = secret.contains(&b'/')
        && (port > 0 && matches!(secret.get(port), Some(b'/')) || !value::is_random(secret));
    let blank = secret.is_empty() || path || is_hole(secret) || secret == b"password";
    // If the password comes before the colon, the part behind it is no secret by itself.
    let user = &run[..colon];
    let is_key = user.len() >= 16 && value::is_random(user);
    let begin = if is_key { 0 } else { colon + 1 };
    (is_key || !blank).then_some((from + begin, from + at))
}

/// The password of `user/password@host`, from behind the driver's name.
fn oracle_password(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let run = &text[from..line::line_end(text, from).min(from + 200)];
    let at = run.iter().position(|b| *b == b'@')?;
    let slash = run[..at].iter().position(|b| *b == b'/')?;
    let secret = &run[slash + 1..at];
    let is_secret = !secret.is_empty() && !secret.iter().any(u8::is_ascii_whitespace) && !is_hole(secret);
    is_secret.then_some((from + slash + 1, from + at))
}

/// The value of a URL's argument that may hold a key, if it looks like one.
fn url_argument(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let body = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'-' | b'.' | b'~');
    let length = text[from..].iter().take(256).take_while(body).count();
    let secret = &text[from..from + length];
    let mixed = secret.iter().any(u8::is_ascii_uppercase) && secret.iter().any(u8::is_ascii_lowercase);
    (length >= 16 && mixed && value::is_random(secret)).then_some((from, from + length))
}

fn is_hole(secret: &[u8]) -> bool {
    let percent = secret[0] == b'%' && !secret.get(1).is_some_and(u8::is_ascii_hexdigit);
    percent || matches!(secret[0], b'{' | b'[' | b'*') || (secret[0] == b'$' && value::is_place(secret))
}

/// The last of the five fields of a line of `.pgpass`, of which the word is a part.
fn pgpass_password(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let from = start.saturating_sub(200);
    let begin = memchr::memrchr(b'\n', &text[from..start]).map_or(from, |at| from + at + 1);
    let stop = line::line_end(text, end);
    let line = str::from_utf8(text.get(begin..stop)?).ok()?.trim_end();
    let fields: Vec<&str> = line.splitn(5, ':').collect();
    let [host, port, _, user, secret] = fields[..] else { return None };
    let plain = |field: &str| !field.is_empty() && !field.contains([' ', '/', '"', '(', '{']);
    let port = port == "*" || port.bytes().all(|b| b.is_ascii_digit()) && !port.is_empty();
    let yes = plain(host)
        && port
        && plain(user)
        && secret.len() >= 2
        && !secret.contains(' ')
        && !value::is_place(secret.as_bytes());
    yes.then(|| (begin + line.len() - secret.len(), begin + line.len()))
}

/// The password of `user:password@tcp(host)`, before the word.
fn data_source(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let before = &text[start.saturating_sub(200)..start];
    let run = before
        .iter()
        .rev()
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'='))
        .count();
    let colon = before[before.len() - run..].iter().position(|b| *b == b':')?;
    let from = start - run + colon + 1;
    let secret = &text[from..start];
    (!secret.is_empty() && !is_hole(secret) && secret != b"password").then_some((from, start))
}

/// The body before the end of a private key whose beginning was cut off.
fn cut_key(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let label = &text[start..text.len().min(start + 60)];
    let end = start + memchr::memmem::find(label, b"PRIVATE KEY")? + 11;
    let end = end + memchr::memmem::find(&text[end..text.len().min(end + 12)], b"-----")? + 5;
    let from = body_before(text, start);
    (start - from >= 16).then_some((from, end))
}

/// Returns the start of the lines of base64 before `end`.
fn body_before(text: &[u8], end: usize) -> usize {
    let mut at = end;
    while at > 0 {
        let b = text[at - 1];
        let escape = b == b'n' || b == b'r' || b == b'\\';
        if !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\r' | b' ') || escape) {
            break;
        }
        at -= 1;
    }
    // Words of prose before it are none of it: a line of base64 is long, or the last.
    let body = &text[at..end];
    let skip = memchr::memmem::rfind(body, b": ").map_or(0, |found| found + 2);
    at + skip + body[skip..].iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// A private key in base64 with no marks around it, by how such keys begin.
fn key_body(text: &[u8], start: usize, word: usize) -> Option<(usize, usize)> {
    if text[start..].len() < 60 || !text[start..].starts_with(WORDS[word].as_bytes()) {
        return None;
    }
    let fresh =
        start == 0 || !(text[start - 1].is_ascii_alphanumeric() || matches!(text[start - 1], b'+' | b'/'));
    let head = &text[start..start + 60];
    let holds = |part: &[u8]| memchr::memmem::find(head, part).is_some();
    // Version 0 and a modulus, or the id of RSA: a certificate has neither at its beginning.
    let key = word == ORACLE - 1
        || holds(b"IBAAKC")
        || holds(b"AgEAAoIB")
        || holds(b"IBADANBgkqhkiG9w0BAQ")
        || holds(b"AgEAMA0GCSqGSIb3DQEB");
    if !fresh || !key {
        return None;
    }
    let mut at = start;
    while let Some(b) = text.get(at) {
        let written = *b == b'\\' && matches!(text.get(at + 1), Some(b'n' | b'r' | b'\\'));
        if !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\r') || written) {
            break;
        }
        at += 1;
    }
    Some((start, start + text[start..at].trim_ascii_end().len()))
}

/// Returns the secret next to the id of an access key of AWS: forty characters of base64, near it.
pub(super) fn secret_beside(text: &[u8], id: FoundSecret) -> Option<FoundSecret> {
    let from = id.start.saturating_sub(200);
    let to = text.len().min(id.end + 250);
    let body = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+');
    let mut at = from;
    while at < to {
        let length = text[at..].iter().take(64).take_while(|b| body(**b)).count();
        let run = &text[at..at + length];
        let any = |test: fn(&u8) -> bool| run.iter().any(test);
        let mixed = any(u8::is_ascii_digit) && any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase);
        if length == 40 && mixed && at + length <= text.len() {
            return Some(FoundSecret { kind: "aws-secret", start: at, end: at + length });
        }
        at += length + 1;
    }
    None
}
