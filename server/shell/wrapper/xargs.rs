//! `xargs`: a command with arguments that come from elsewhere.

use super::Inner;
use crate::command::{Doubt, ShellCommand};
use crate::place::HOLE;
use crate::word::{Word, WordKind};

/// Options that have a value.
const VALUES: [&str; 18] = [
    "-a",
    "-d",
    "-E",
    "-I",
    "-L",
    "-n",
    "-P",
    "-s",
    "--arg-file",
    "--delimiter",
    "--max-lines",
    "--max-args",
    "--max-procs",
    "--max-chars",
    "--process-slot-var",
    "-R",
    "-S",
    "-J",
];
/// Options that have none, or one that stands with them.
const FLAGS: [&str; 17] = [
    "-0",
    "-e",
    "-i",
    "-l",
    "-o",
    "-p",
    "-r",
    "-t",
    "-x",
    "--null",
    "--eof",
    "--replace",
    "--open-tty",
    "--interactive",
    "--no-run-if-empty",
    "--verbose",
    "--exit",
];

/// What `xargs` runs: the arguments that it adds are not known.
pub(super) fn inner(command: &ShellCommand) -> Vec<Inner> {
    let mut words = command.arguments();
    let mut replaces: Option<String> = None;
    let mut found = Vec::new();
    while let Some((word, rest)) = words.split_first().filter(|(word, _)| word.is_option()) {
        words = rest;
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        let end = if text.starts_with("--") { text.find('=').unwrap_or(text.len()) } else { 2 };
        let (name, value) = (text.get(..end).unwrap_or(text), text.get(end..).unwrap_or_default());
        let value = value.trim_start_matches('=');
        if VALUES.contains(&name) {
            let next = words.first().filter(|_| value.is_empty());
            words = next.map_or(words, |_| &words[1..]);
            let value = next.map_or(value, |next| next.text.as_str());
            replaces = if matches!(name, "-I" | "-J") { Some(value.to_owned()) } else { replaces };
        } else if matches!(name, "-i" | "--replace") {
            replaces = Some(if value.is_empty() { "{}" } else { value }.to_owned());
        } else if !FLAGS.contains(&name) {
            found.push(Inner::Doubt(Doubt::UnknownOption));
        }
    }
    if words.is_empty() {
        return found;
    }
    let run = match replaces {
        Some(mark) => filled(words, &mark),
        None => words.iter().cloned().chain([Word::computed()]).collect(),
    };
    found.push(Inner::command("xargs", run, command));
    found
}

/// The words with a mark replaced by something that is not known.
pub(super) fn filled(words: &[Word], mark: &str) -> Vec<Word> {
    let fill = |word: &Word| match !mark.is_empty() && word.text.contains(mark) {
        true => Word {
            text: word.text.replace(mark, &HOLE.to_string()),
            kind: WordKind::Computed,
            ..word.clone()
        },
        false => word.clone(),
    };
    words.iter().map(fill).collect()
}
