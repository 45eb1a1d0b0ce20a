//! Passwords on command lines, behind flags that only their program gives a meaning: `curl -u user:password`, `mysql -p…`.

use super::FoundSecret;
use super::{line, value};

/// The ways in which a flag's value holds the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlagValue {
    /// The whole value.
    All,
    /// The whole value, which has to begin directly after the flag.
    Glued,
    /// The text after the first such sign.
    After(u8),
}

use FlagValue::{After, All, Glued};

/// A program with its flags.
#[derive(Debug)]
struct CommandProgram {
    word: &'static str,
    flags: &'static [(&'static str, FlagValue)],
}

const fn program_row(word: &'static str, flags: &'static [(&'static str, FlagValue)]) -> CommandProgram {
    CommandProgram { word, flags }
}

const USER: &[(&str, FlagValue)] = &[
    ("-u", After(b':')),
    ("--user", After(b':')),
    ("-U", After(b':')),
    ("--proxy-user", After(b':')),
    ("-E", After(b':')),
];

/// The programs; their words begin a command, or follow a path.
const PROGRAMS: [CommandProgram; 39] = [
    program_row("curl", USER),
    program_row("mysql", &[("-p", Glued)]),
    program_row("mariadb", &[("-p", Glued)]),
    program_row("sshpass", &[("-p", All)]),
    program_row("docker login", &[("-p", All)]),
    program_row("podman login", &[("-p", All)]),
    program_row("registry login", &[("-p", All)]),
    program_row("oc login", &[("-p", All)]),
    program_row("cf login", &[("-p", All)]),
    program_row("az login", &[("-p", All)]),
    program_row(
        "skopeo",
        &[("--creds", After(b':')), ("--src-creds", After(b':')), ("--dest-creds", After(b':'))],
    ),
    program_row("buildah", &[("--creds", After(b':'))]),
    program_row("redis-cli", &[("-a", All)]),
    program_row("mongo", &[("-p", All)]),
    program_row("sqlcmd", &[("-P", All)]),
    program_row("bcp", &[("-P", All)]),
    program_row("ldap", &[("-w", All)]),
    program_row("smbclient", &[("-U", After(b'%'))]),
    program_row("rpcclient", &[("-U", After(b'%'))]),
    program_row("lftp", &[("-u", After(b','))]),
    program_row("ncftp", &[("-p", All)]),
    program_row("7z", &[("-p", Glued)]),
    program_row("unzip", &[("-P", All)]),
    program_row("zip", &[("-P", All)]),
    program_row("mosquitto_", &[("-P", All)]),
    program_row("xfreerdp", &[("/p:", Glued)]),
    program_row("rdesktop", &[("-p", All)]),
    program_row("ipmitool", &[("-P", All)]),
    program_row("openssl", &[("pass:", Glued), ("-k", All)]),
    program_row("twine", &[("-p", All)]),
    program_row("cqlsh", &[("-p", All)]),
    program_row("keytool", &[("-storepass", All), ("-keypass", All)]),
    program_row("jarsigner", &[("-storepass", All), ("-keypass", All)]),
    program_row("http", &[("-a", After(b':'))]),
    program_row("ssh-keygen", &[("-N", All), ("-P", All)]),
    program_row("rar", &[("-hp", Glued), ("-p", Glued)]),
    program_row("snmpwalk", &[("-c", All), ("-A", All), ("-X", All)]),
    program_row("snmpget", &[("-c", All), ("-A", All), ("-X", All)]),
    program_row("cmdkey", &[("/pass:", Glued)]),
];

/// Words that say a password comes in by a pipe, and `htpasswd`, which takes it as an argument.
const PIPED: [&str; 5] = ["--password-stdin", "sudo -S", "passwd --stdin", "chpasswd", "htpasswd"];

/// Returns every word.
pub(super) fn command_words() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|program| program.word).chain(PIPED)
}

/// The password on the command whose word is at `start..end`.
pub(super) fn check_command(word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
    let fresh = start == 0
        || !(text[start - 1].is_ascii_alphanumeric() || matches!(text[start - 1], b'_' | b'-' | b'.'));
    let Some(program) = PROGRAMS.get(word) else {
        return piped_password(word - PROGRAMS.len(), text, start, end);
    };
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
    let mut end = line::line_end(text, at);
    while end > 0 && end < at + 2000 && text[end - 1] == b'\\' && text.get(end) == Some(&b'\n') {
        end = line::line_end(text, end + 1);
    }
    end
}

fn value_of(text: &[u8], at: usize, end: usize, flag: &str, holds: FlagValue) -> Option<FoundSecret> {
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
    yes.then_some(FoundSecret { kind: "password", start: from, end: to })
}

/// The password that `echo` sends into a program, or that `htpasswd -b` is given.
fn piped_password(word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
    let found =
        |start: usize, end: usize| (end > start + 1).then_some(FoundSecret { kind: "password", start, end });
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
