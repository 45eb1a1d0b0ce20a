//! Recognises closed files with public content: certificates, and settings of package managers without a secret.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::redact::redact;

/// Bytes of the largest file that is judged: a bundle of all certificate authorities has a third of that.
pub(crate) const LARGEST: usize = 1 << 20;
/// Kinds of PEM blocks that are public.
const PUBLIC: [&str; 5] =
    ["CERTIFICATE", "X509 CERTIFICATE", "X509 CRL", "CERTIFICATE REQUEST", "PUBLIC KEY"];
/// Names of package managers' settings.
const SETTINGS: [&[u8]; 4] = [b".npmrc", b".yarnrc", b".yarnrc.yml", b".yarnrc.yaml"];
/// The words by which a line of settings names a secret.
const WORDS: [&str; 14] = [
    "auth",
    "token",
    "passw",
    "secret",
    "credential",
    "username",
    "private",
    "apikey",
    "_key",
    "key=",
    "key:",
    "cert",
    "email",
    "cookie",
];
/// The longest run of letters and digits that is no key.
const LONGEST: usize = 32;

/// Judges a text.
pub(crate) type PublicJudge = fn(&str) -> bool;

/// Returns the judge of the file at `path`; nothing where the file stays closed by its name.
pub(crate) fn public_judge(path: &Path) -> Option<PublicJudge> {
    let name = path.file_name()?.as_bytes();
    if SETTINGS.contains(&name) {
        return Some(holds_plain_settings);
    }
    name.to_ascii_lowercase().ends_with(b".pem").then_some(holds_only_certificates)
}

/// Returns whether the file at `path` is a regular one that holds nothing but what is public.
pub(crate) fn holds_public(path: &Path) -> bool {
    let Some(judge) = public_judge(path) else { return false };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(CWD, path, flags, Mode::empty()) else { return false };
    let is_regular = rustix::fs::fstat(&file)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    let mut text = String::new();
    is_regular
        && File::from(file)
            .take(LARGEST as u64 + 1)
            .read_to_string(&mut text)
            .is_ok_and(|length| length <= LARGEST)
        && judge(&text)
}

/// Returns whether a text in PEM holds nothing but certificates and public keys, and no other text that may be a
/// secret.
fn holds_only_certificates(text: &str) -> bool {
    let (mut blocks, mut beside) = (0, String::new());
    let mut block: Option<(&str, String)> = None;
    for line in text.lines().map(str::trim_end) {
        let marked = |mark: &str| line.strip_prefix(mark).and_then(|rest| rest.strip_suffix("-----"));
        match &mut block {
            None => match marked("-----BEGIN ") {
                Some(label) if PUBLIC.contains(&label) => block = Some((label, String::new())),
                None if !line.contains("-----") => {
                    beside.push_str(line);
                    beside.push('\n');
                }
                _ => return false,
            },
            Some((label, body)) => match marked("-----END ") {
                Some(end) if end == *label && is_public(body) => {
                    blocks += 1;
                    block = None;
                }
                None if !line.contains('-') => body.push_str(line.trim_start()),
                _ => return false,
            },
        }
    }
    block.is_none() && blocks > 0 && redact(&beside) == beside && beside.lines().all(|line| !holds_key(line))
}

/// Returns whether base64 is the DER of something that begins as certificates and public keys do: a sequence in a
/// sequence. A private key begins with a number.
fn is_public(base64: &str) -> bool {
    const SEQUENCE: u8 = 0x30;
    let Ok(der) = STANDARD.decode(base64) else { return false };
    let (length, rest) = match der.as_slice() {
        [SEQUENCE, length @ ..=0x7f, rest @ ..] => (usize::from(*length), rest),
        [SEQUENCE, 0x81, length, rest @ ..] => (usize::from(*length), rest),
        [SEQUENCE, 0x82, high, low, rest @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), rest),
        [SEQUENCE, 0x83, high, middle, low, rest @ ..] => {
            (u32::from_be_bytes([0, *high, *middle, *low]) as usize, rest)
        }
        _ => return false,
    };
    rest.len() == length && rest.first() == Some(&SEQUENCE)
}

/// Returns whether a package manager's settings hold no secret: a line that speaks of one only names a variable.
fn holds_plain_settings(text: &str) -> bool {
    if redact(text) != text {
        return false;
    }
    text.lines().map(str::trim).all(|line| {
        let lower = line.to_ascii_lowercase();
        let is_of_secret = WORDS.iter().any(|word| lower.contains(word));
        let has_user = line
            .split("//")
            .skip(1)
            .any(|rest| rest.split(['/', ' ', '"', '\'']).next().is_some_and(|host| host.contains('@')));
        !has_user && if is_of_secret { names_a_variable(line) } else { !holds_key(line) }
    })
}

/// Returns whether a line of settings gives a name a variable, a yes or a no, and nothing else.
fn names_a_variable(line: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    // In npm's settings a path comes before the name, as in `//registry.example.com/:_authToken=${TOKEN}`.
    let name_end = line.find(|at: char| at.is_whitespace() || at == '=').unwrap_or(line.len());
    let (name, value) = line.split_at(name_end);
    let is_name = name.bytes().all(|byte| is_word(byte) || b"/:@\"'".contains(&byte)) && !holds_key(name);
    let value =
        value.trim_start_matches(|at: char| at.is_whitespace() || at == '=').trim_matches(['"', '\'']);
    let variable = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    // A value to fall back on would be one.
    let variable = variable.map(|name| name.trim_end_matches(['?', '-', ':']));
    let is_variable = variable.is_some_and(|name| !name.is_empty() && name.bytes().all(is_word));
    is_name && (is_variable || matches!(value, "true" | "false"))
}

/// Returns whether a line holds a run of characters that may be a key. The hash of a file is none.
fn holds_key(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    if ["sha1", "sha256", "sha512", "md5", "checksum", "integrity"].iter().any(|hash| lower.contains(hash)) {
        return false;
    }
    let runs = line.split(|at: char| !at.is_ascii_alphanumeric() && !matches!(at, '+' | '_' | '-'));
    // A long number is a serial number of a certificate.
    let is_number = |run: &str| run.bytes().all(|byte| byte.is_ascii_digit());
    runs.into_iter().any(|run| run.len() > LONGEST && !is_number(run) || (run.len() >= 20 && is_mixed(run)))
}

fn is_mixed(run: &str) -> bool {
    let has = |is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests;
