//! GNU `parallel`: a command for each of its inputs, which stand behind `:::` or come from the standard input.

use super::{InnerCommand, xargs};
use crate::command::{ScriptDoubt, ShellCommand};
use crate::place::HOLE;
use crate::word::{ShellWord, WordKind};

/// Bytes of the scripts that are made of one template.
const MOST_BYTES: usize = 1 << 20;
/// Commands that are made of the inputs of several sources.
const MOST: usize = 256;

/// Returns the commands that `parallel` runs; `rest` are the words after its options.
pub(super) fn inner_of_parallel(via: &str, rest: &[ShellWord], outer: &ShellCommand) -> Vec<InnerCommand> {
    let end = rest.iter().position(|word| word.text.starts_with(":::")).unwrap_or(rest.len());
    let (template, inputs) = rest.split_at(end);
    // With `-a` the inputs are the lines of a file.
    let reads_file =
        outer.arguments().iter().any(|word| word.text.starts_with("-a") || word.text.starts_with("--a"));
    let lines = xargs::known_lines(&outer.input).filter(|_| !reads_file);
    let unknown = || vec![vec![ShellWord::unknown_text()]];
    let rows = match (inputs.is_empty(), lines) {
        (true, Some(lines)) if template.is_empty() => {
            return vec![InnerCommand::Script { via: via.to_owned(), text: lines.join("\n") }];
        }
        (true, None) if template.is_empty() => return vec![InnerCommand::Doubt(ScriptDoubt::ComputedScript)],
        (true, lines) => lines.map_or_else(unknown, |lines| {
            lines.into_iter().map(|line| vec![ShellWord::from_text(line)]).collect()
        }),
        (false, _) => [read_sources(inputs), if reads_file { unknown() } else { Vec::new() }].concat(),
    };
    let length: usize = template.iter().map(|word| word.text.len() + 1).sum();
    let most = MOST_BYTES / length.max(1);
    let too_much = (rows.len() > most).then_some(InnerCommand::Doubt(ScriptDoubt::TooMuch));
    rows.iter().take(most).map(|row| fill_template(via, template, row)).chain(too_much).collect()
}

/// The inputs behind `:::`, each row with one of every source.
fn read_sources(words: &[ShellWord]) -> Vec<Vec<ShellWord>> {
    let (mut sources, mut are_files): (Vec<Vec<ShellWord>>, bool) = (Vec::new(), false);
    for word in words {
        if word.text.starts_with(":::") {
            // Behind `::::` stand files, whose lines are the inputs.
            are_files = word.text.starts_with("::::");
            sources.push(are_files.then(ShellWord::unknown_text).into_iter().collect());
        } else if let Some(source) = sources.last_mut().filter(|_| !are_files) {
            source.push(word.clone());
        }
    }
    let mut rows: Vec<Vec<ShellWord>> = Vec::new();
    for source in sources {
        let before = if rows.is_empty() { vec![Vec::new()] } else { std::mem::take(&mut rows) };
        if before.len() > 1 && before.len() * source.len() > MOST {
            let unknown = |row: Vec<ShellWord>| [row, vec![ShellWord::unknown_text()]].concat();
            rows = before.into_iter().map(unknown).collect();
            continue;
        }
        for row in &before {
            rows.extend(source.iter().map(|input| [row.as_slice(), std::slice::from_ref(input)].concat()));
        }
    }
    rows
}

/// The script that a template and one row of inputs make. Without a template the inputs are the script.
fn fill_template(via: &str, template: &[ShellWord], row: &[ShellWord]) -> InnerCommand {
    let joined =
        |words: &[ShellWord]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let quoted = row.iter().map(|word| quote_word(&word.text)).collect::<Vec<_>>();
    let text = joined(template);
    let text = match (template.is_empty(), fill_places(&text, &quoted)) {
        (true, _) => joined(row),
        (false, Some(filled)) => filled,
        (false, None) => format!("{text} {}", quoted.join(" ")),
    };
    let is_known = template.iter().chain(row).all(|word| word.kind == WordKind::Known);
    match is_known && !text.contains(HOLE) {
        true => InnerCommand::Script { via: via.to_owned(), text },
        false => InnerCommand::PartialScript { via: via.to_owned(), texts: vec![text] },
    }
}

/// The text with the inputs in the places of `{}`, `{1}` and `{.}`; `None` if it has no place.
fn fill_places(text: &str, row: &[String]) -> Option<String> {
    let (mut filled, mut rest, mut has_place) = (String::new(), text, false);
    while let Some(at) = rest.find('{') {
        let Some(length) = rest[at..].find('}') else { break };
        let name = &rest[at + 1..at + length];
        let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let is_place = name.chars().all(|c| c.is_ascii_digit() || "./#%-+:".contains(c));
        filled.push_str(&rest[..at]);
        match (name, number.and_then(|at| row.get(at))) {
            ("", _) => filled.push_str(&row.join(" ")),
            (_, Some(input)) => filled.push_str(input),
            _ if is_place => filled.push_str(&quote_word(&HOLE.to_string())),
            _ => {
                filled.push('{');
                rest = &rest[at + 1..];
                continue;
            }
        }
        has_place = true;
        rest = &rest[at + length + 1..];
    }
    filled.push_str(rest);
    has_place.then_some(filled)
}

fn quote_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
