//! Passwords in statements: `IDENTIFIED BY '…'` and `ALTER ROLE … PASSWORD '…'` of databases, PowerShell's secure strings.

use super::FoundSecret;
use super::{assign, line, value};

/// Words before the password.
pub(super) const WORDS: [&str; 3] = ["identified", "password", "convertto-securestring"];
/// Words of a statement that sets a password.
const STATEMENTS: [&str; 6] = ["user", "role", "grant", "login", "identified", "set password"];
/// The most bytes between the start of a statement and its word.
const BEFORE: usize = 200;

/// The password of the statement whose word is at `start..end`.
pub(super) fn check_statement(word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
    let stop = line::line_end(text, end).min(end + BEFORE);
    let rest = &text[end..stop];
    let open = end + rest.iter().position(|b| matches!(b, b'\'' | b'"'))?;
    let between = text[end..open].to_ascii_lowercase();
    let is_between = match WORDS[word] {
        "identified" => {
            let mut words = between.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
            words.any(|word| word == b"by" || word == b"as") && !between.contains(&b';')
        }
        "convertto-securestring" => matches!(between.trim_ascii(), b"" | b"-string"),
        _ => {
            matches!(between.trim_ascii(), b"" | b"(" | b"= password(")
                && open > end
                && is_statement(text, start)
        }
    };
    let (from, to) = assign::quote_at(text, open).filter(|_| is_between)?;
    let secret = &text[from..to];
    let is_secret = secret.len() >= 3 && !value::is_place(secret) && !value::is_word(secret);
    is_secret.then_some(FoundSecret { kind: "password", start: from, end: to })
}

/// Returns whether the words before `start` on its line begin such a statement.
fn is_statement(text: &[u8], start: usize) -> bool {
    let from = start.saturating_sub(BEFORE);
    let begin = memchr::memrchr(b'\n', &text[from..start]).map_or(from, |at| from + at + 1);
    let before = text[begin..start].to_ascii_lowercase();
    STATEMENTS.iter().any(|word| memchr::memmem::find(&before, word.as_bytes()).is_some())
        && [&b"alter"[..], b"create", b"set", b"grant"]
            .iter()
            .any(|verb| memchr::memmem::find(&before, verb).is_some())
}
