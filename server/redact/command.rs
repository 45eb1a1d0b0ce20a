//! Passwords on command lines, behind flags that only their program gives a meaning: `curl -u user:password`, `mysql -p…`.

use super::Found;
use super::{line, value};

/// How a flag's value holds the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// All of it.
    All,
    /// All of it, and it has to begin at once.
    Glued,
    /// What follows the first of this sign.
    After(u8),
}

use Holds::{After, All, Glued};

/// A program with its flags.
#[derive(Debug)]
struct Program {
    word: &'static str,
    flags: &'static [(&'static str, Holds)],
}

const fn program(word: &'static str, flags: &'static [(&'static str, Holds)]) -> Program {
    Program { word, flags }
}

const USER: &[(&str, Holds)] = &[
    ("-u", After(b':')),
    ("--user", After(b':')),
    ("-U", After(b':')),
    ("--proxy-user", After(b':')),
    ("-E", After(b':')),
];

/// The programs; their words begin a command, or follow a path.
const PROGRAMS: [Program; 29] = [
    program("curl", USER),
    program("mysql", &[("-p", Glued)]),
    program("mariadb", &[("-p", Glued)]),
    program("sshpass", &[("-p", All)]),
    program("docker login", &[("-p", All)]),
    program("podman login", &[("-p", All)]),
    program("registry login", &[("-p", All)]),
    program("oc login", &[("-p", All)]),
    program("cf login", &[("-p", All)]),
    program("az login", &[("-p", All)]),
    program(
        "skopeo",
        &[("--creds", After(b':')), ("--src-creds", After(b':')), ("--dest-creds", After(b':'))],
    ),
    program("buildah", &[("--creds", After(b':'))]),
    program("redis-cli", &[("-a", All)]),
    program("mongo", &[("-p", All)]),
    program("sqlcmd", &[("-P", All)]),
    program("bcp", &[("-P", All)]),
    program("ldap", &[("-w", All)]),
    program("smbclient", &[("-U", After(b'%'))]),
    program("rpcclient", &[("-U", After(b'%'))]),
    program("lftp", &[("-u", After(b','))]),
    program("ncftp", &[("-p", All)]),
    program("7z", &[("-p", Glued)]),
    program("unzip", &[("-P", All)]),
    program("zip", &[("-P", All)]),
    program("mosquitto_", &[("-P", All)]),
    program("xfreerdp", &[("/p:", Glued)]),
    program("rdesktop", &[("-p", All)]),
    program("ipmitool", &[("-P", All)]),
    program("openssl", &[("pass:", Glued)]),
];

/// Words that say a password comes in by a pipe, and `htpasswd`, which takes it as an argument.
const PIPED: [&str; 5] = ["--password-stdin", "sudo -S", "passwd --stdin", "chpasswd", "htpasswd"];

/// Every word.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|program| program.word).chain(PIPED)
}

/// The password on the command whose word is at `start..end`.
pub(super) fn check(word: usize, text: &[u8], start: usize, end: usize) -> Option<Found> {
    let fresh = start == 0
        || !(text[start - 1].is_ascii_alphanumeric() || matches!(text[start - 1], b'_' | b'-' | b'.'));
    let Some(program) = PROGRAMS.get(word) else { return piped(word - PROGRAMS.len(), text, start, end) };
    let name = text[end..]
        .iter()
        .take(12)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .count();
    let at = end + name;
    if !fresh || !matches!(text.get(at), Some(b' ' | b'\t' | b'"' | b'\'')) {
        return None;
    }
    let end = command_end(text, at);
    let rest = &text[at..end];
    program.flags.iter().find_map(|(flag, holds)| {
        let found = rest.windows(flag.len() + 1).position(|part| {
            matches!(part[0], b' ' | b'\t' | b'"' | b'\'' | b',') && part[1..] == *flag.as_bytes()
        })?;
        value_of(text, at + found + 1 + flag.len(), end, flag, *holds)
    })
}

/// The end of a command: of its line, or of the last that a backslash continues.
fn command_end(text: &[u8], at: usize) -> usize {
    let mut end = line::end(text, at);
    while end > 0 && end < at + 2000 && text[end - 1] == b'\\' && text.get(end) == Some(&b'\n') {
        end = line::end(text, end + 1);
    }
    end
}

fn value_of(text: &[u8], at: usize, end: usize, flag: &str, holds: Holds) -> Option<Found> {
    let gap = |b: &&u8| matches!(**b, b' ' | b'\t' | b'=' | b',' | b'"' | b'\'');
    let gap = text[at..end].iter().take(6).take_while(gap).count();
    let quote = text[at..at + gap].iter().rev().find(|b| matches!(b, b'"' | b'\'')).copied();
    let start = at + gap;
    let quoted = text[at..at + gap].last().is_some_and(|b| matches!(b, b'"' | b'\''));
    let stop = |b: &u8| match quote.filter(|_| quoted) {
        Some(quote) => *b == quote,
        None => b.is_ascii_whitespace() || matches!(b, b'|' | b';' | b'"' | b'\'' | b'`'),
    };
    let to = start + text[start..end].iter().position(stop).unwrap_or(end - start);
    // A long flag goes on; a short one may be glued to its value.
    let glued = gap == 0 || text[at..start].iter().all(|b| matches!(b, b'"' | b'\''));
    if (holds == Glued && !glued) || (glued && flag.starts_with("--")) {
        return None;
    }
    let from = match holds {
        All | Glued => start,
        After(sign) => start + text[start..to].iter().position(|b| *b == sign)? + 1,
    };
    let secret = text.get(from..to)?;
    let flag = secret.first().is_none_or(|b| *b == b'-');
    let yes = !flag && secret.len() >= 2 && !value::is_place(secret) && !secret.starts_with(b"//");
    yes.then_some(Found { kind: "password", start: from, end: to })
}

/// The password that `echo` sends into a program, or that `htpasswd -b` is given.
fn piped(word: usize, text: &[u8], start: usize, end: usize) -> Option<Found> {
    let found =
        |start: usize, end: usize| (end > start + 1).then_some(Found { kind: "password", start, end });
    if PIPED[word] == "htpasswd" {
        let stop = command_end(text, end);
        let rest = str::from_utf8(text.get(end..stop)?).ok()?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let batch =
            words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('b'));
        let last = words.iter().rfind(|word| !word.starts_with('-'))?.trim_matches(['"', '\'']);
        let at = end + rest.rfind(last)?;
        let yes = batch && words.len() >= 3 && !value::is_place(last.as_bytes());
        return if yes { found(at, at + last.len()) } else { None };
    }
    let from = start.saturating_sub(300);
    let line = memchr::memrchr(b'\n', &text[from..start]).map_or(from, |at| from + at + 1);
    let before = &text[line..start];
    let echo = [&b"echo "[..], b"printf "]
        .iter()
        .find_map(|word| memchr::memmem::rfind(before, word).map(|at| at + word.len()))?;
    let pipe = memchr::memrchr(b'|', before).filter(|pipe| *pipe > echo)?;
    let mut said = before[echo..pipe].trim_ascii();
    while let Some(rest) =
        said.strip_prefix(b"-n").or_else(|| said.strip_prefix(b"-e")).or_else(|| said.strip_prefix(b"'%s'"))
    {
        said = rest.trim_ascii_start();
    }
    let said = said.trim_ascii();
    let plain = said
        .strip_prefix(b"\"")
        .and_then(|said| said.strip_suffix(b"\""))
        .or_else(|| said.strip_prefix(b"'").and_then(|said| said.strip_suffix(b"'")));
    let plain = plain.unwrap_or(said);
    if value::is_place(plain) || plain.is_empty() {
        return None;
    }
    let at = line + memchr::memmem::rfind(before, plain)?;
    found(at, at + plain.len())
}
