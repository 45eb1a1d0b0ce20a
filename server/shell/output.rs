//! The output of a command, if it is a text of the script.

use crate::command::{CommandInput, ShellCommand};
use crate::word::ShellWord;

/// Returns a command's standard output, if that is known.
pub(crate) fn known_output(command: &ShellCommand) -> Option<String> {
    let words: Vec<&str> = command.arguments().iter().map(ShellWord::plain_text).collect::<Option<_>>()?;
    match command.program()? {
        "echo" => {
            let options =
                words.iter().take_while(|word| matches!(**word, "-n" | "-e" | "-E" | "-ne" | "-en")).count();
            let text = words.get(options..)?.join(" ");
            let escaped = words.iter().take(options).any(|word| word.contains('e')) && text.contains('\\');
            (!escaped).then_some(text)
        }
        "printf" => match words.as_slice() {
            [format, rest @ ..] if matches!(*format, "%s" | "%s\\n" | "%s ") => Some(rest.join("\n")),
            [text] if !text.contains(['%', '\\']) => Some((*text).to_owned()),
            _ => None,
        },
        "cat" => match &command.input {
            CommandInput::Text(text) | CommandInput::Pipe(text) if words.iter().all(|word| *word == "-") => {
                text.clone()
            }
            _ => None,
        },
        _ => None,
    }
}
