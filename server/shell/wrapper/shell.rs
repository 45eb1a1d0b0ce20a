//! Shells: `bash -c`, a script on the standard input, a script's file.

use super::InnerCommand;
use crate::command::{CommandInput, ScriptDoubt, ShellCommand};
use crate::word::ShellWord;

/// Options of shells whose value is the next word.
const VALUES: [&str; 8] = ["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-T", "--emulate"];
/// Options with which a shell runs nothing.
const STOPS: [&str; 2] = ["--version", "--help"];

/// Returns the commands that a shell runs.
pub(super) fn inner_of_shell(program: &str, command: &ShellCommand) -> Vec<InnerCommand> {
    let mut words = command.arguments();
    let (mut takes_script, mut from_input) = (false, false);
    while let Some((word, rest)) = words.split_first().filter(|(word, _)| is_option(word)) {
        words = rest;
        let text = word.text.as_str();
        if STOPS.contains(&text) {
            return Vec::new();
        }
        match text {
            "-" | "--" => break,
            text if VALUES.contains(&text) => words = words.get(1..).unwrap_or_default(),
            "--command" | "--commands" => takes_script = true,
            text if text.starts_with("--command=") => {
                return vec![InnerCommand::from_word(&format!("{program} -c"), &word.with_text(&text[10..]))];
            }
            text if text.starts_with("--") => {}
            text if text.starts_with('+') => {}
            text => {
                takes_script |= text.contains('c');
                from_input |= text.contains('s');
                if text.ends_with('o') || text.ends_with('O') {
                    words = words.get(1..).unwrap_or_default();
                }
            }
        }
    }
    match words.first() {
        Some(script) if takes_script => vec![InnerCommand::from_word(&format!("{program} -c"), script)],
        None if takes_script => Vec::new(),
        Some(file) if !from_input && !is_input(&file.text) => match file.plain_text() {
            Some(_) => Vec::new(),
            None => vec![InnerCommand::Doubt(ScriptDoubt::ComputedScript)],
        },
        _ => inner_of_input(program, &command.input),
    }
}

fn is_option(word: &ShellWord) -> bool {
    let is_sign = word.text.starts_with(['-', '+']);
    is_sign && (word.plain_text().is_some() || word.is_option())
}

fn is_input(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// A shell that reads its script from the standard input.
fn inner_of_input(program: &str, input: &CommandInput) -> Vec<InnerCommand> {
    match input {
        CommandInput::Text(Some(text)) | CommandInput::Pipe(Some(text)) => {
            vec![InnerCommand::Script { via: program.to_owned(), text: text.clone() }]
        }
        CommandInput::Text(None) | CommandInput::Pipe(None) | CommandInput::Inherited => {
            vec![InnerCommand::Doubt(ScriptDoubt::ComputedScript)]
        }
        CommandInput::File => Vec::new(),
    }
}
