//! What a command writes, where it is a text of the script.

use crate::command::{Input, ShellCommand};
use crate::word::Word;

/// What a command writes to its standard output, where that is known.
pub(crate) fn of(command: &ShellCommand) -> Option<String> {
    let words: Vec<&str> = command.arguments().iter().map(Word::plain).collect::<Option<_>>()?;
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
            Input::Text(text) | Input::Pipe(text) if words.iter().all(|word| *word == "-") => text.clone(),
            _ => None,
        },
        _ => None,
    }
}
