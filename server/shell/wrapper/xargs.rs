//! `xargs`: a command with arguments that come from elsewhere.

use super::InnerCommand;
use crate::command::{CommandInput, ScriptDoubt, ShellCommand};
use crate::place::HOLE;
use crate::word::{ShellWord, WordKind};

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
/// Options without a value, or with one in their own word.
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

/// Lines of the standard input that are followed.
const MOST_LINES: usize = 256;

/// Returns the commands that `xargs` runs: the arguments that it adds are not known.
pub(super) fn inner_of_xargs(command: &ShellCommand) -> Vec<InnerCommand> {
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
            found.push(InnerCommand::Doubt(ScriptDoubt::UnknownOption));
        }
    }
    if words.is_empty() {
        return found;
    }
    let run = match &replaces {
        Some(mark) => fill_mark(words, mark),
        None => words.iter().cloned().chain([ShellWord::unknown_text()]).collect(),
    };
    found.push(InnerCommand::from_words("xargs", run, command));
    if let Some(mark) = replaces.filter(|mark| !mark.is_empty())
        && let Some(lines) = known_lines(&command.input)
    {
        found.extend((lines.len() > MOST_LINES).then_some(InnerCommand::Doubt(ScriptDoubt::TooMuch)));
        for line in lines.into_iter().take(MOST_LINES) {
            let fill = |word: &ShellWord| word.with_text(&word.text.replace(&mark, line));
            found.push(InnerCommand::from_words("xargs", words.iter().map(fill).collect(), command));
        }
    }
    found
}

/// The lines of the standard input, if all of it is known.
pub(super) fn known_lines(input: &CommandInput) -> Option<Vec<&str>> {
    match input {
        CommandInput::Text(Some(text)) | CommandInput::Pipe(Some(text)) => {
            Some(text.lines().map(str::trim).filter(|line| !line.is_empty()).collect())
        }
        _ => None,
    }
}

/// The words with a mark replaced by something that is not known.
pub(super) fn fill_mark(words: &[ShellWord], mark: &str) -> Vec<ShellWord> {
    let fill = |word: &ShellWord| match !mark.is_empty() && word.text.contains(mark) {
        true => ShellWord {
            text: word.text.replace(mark, &HOLE.to_string()),
            kind: WordKind::Computed,
            ..word.clone()
        },
        false => word.clone(),
    };
    words.iter().map(fill).collect()
}
