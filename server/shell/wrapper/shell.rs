//! Shells: `bash -c`, a script on the standard input, a script's file.

use super::Inner;
use crate::command::{Doubt, Input, ShellCommand};
use crate::word::Word;

/// Options of shells whose value is the next word.
const VALUES: [&str; 8] = ["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-T", "--emulate"];
/// Options with which a shell runs nothing.
const STOPS: [&str; 2] = ["--version", "--help"];

/// What a shell runs.
pub(super) fn inner(program: &str, command: &ShellCommand) -> Vec<Inner> {
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
                return vec![Inner::script(&format!("{program} -c"), &word.with_text(&text[10..]))];
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
        Some(script) if takes_script => vec![Inner::script(&format!("{program} -c"), script)],
        None if takes_script => Vec::new(),
        Some(file) if !from_input && !is_input(&file.text) => match file.plain() {
            Some(_) => Vec::new(),
            None => vec![Inner::Doubt(Doubt::ComputedScript)],
        },
        _ => from(program, &command.input),
    }
}

fn is_option(word: &Word) -> bool {
    let is_sign = word.text.starts_with(['-', '+']);
    is_sign && (word.plain().is_some() || word.is_option())
}

fn is_input(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// A shell that reads its script from the standard input.
fn from(program: &str, input: &Input) -> Vec<Inner> {
    match input {
        Input::Text(Some(text)) | Input::Pipe(Some(text)) => {
            vec![Inner::Script { via: program.to_owned(), text: text.clone() }]
        }
        Input::Text(None) | Input::Pipe(None) | Input::Inherited => vec![Inner::Doubt(Doubt::ComputedScript)],
        Input::File => Vec::new(),
    }
}
