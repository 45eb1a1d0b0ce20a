//! Commands of the shell that take a name or an expression as an argument: bash expands it once more, so a substitution runs
//! there that quotes kept from running before.

use super::InnerCommand;
use crate::command::ShellCommand;
use crate::place::HOLE;
use crate::word::ShellWord;

/// Returns the arguments of `command` that bash expands once more.
pub(super) fn inner_of_evaluation(program: &str, command: &ShellCommand) -> Vec<InnerCommand> {
    let words = command.arguments();
    let found: Vec<&ShellWord> = match program {
        "let" => words.iter().collect(),
        "test" | "[" => option_values(words, &["-v", "-R"]),
        "printf" => option_values(words, &["-v"]),
        "wait" => option_values(words, &["-p"]),
        "read" => {
            let mut names = plain_operands(words, &["-p", "-i", "-d", "-n", "-N", "-t", "-u"]);
            names.extend(option_values(words, &["-a"]));
            names
        }
        "mapfile" | "readarray" => plain_operands(words, &["-d", "-n", "-O", "-s", "-u", "-C", "-c"]),
        "getopts" => words.iter().skip(1).take(1).collect(),
        "unset" => plain_operands(words, &[]),
        "compgen" | "complete" => option_values(words, &["-W"]),
        "declare" | "typeset" | "local" | "export" | "readonly" => plain_operands(words, &[]),
        _ => return Vec::new(),
    };
    // An integer's value is an expression, and so is the target of another variable.
    let declares = matches!(program, "declare" | "typeset" | "local" | "export" | "readonly");
    let values = !declares || words.iter().any(|word| word.is_option() && word.text.contains(['i', 'n']));
    let texts = found.into_iter().flat_map(|word| word.possible_texts().collect::<Vec<_>>());
    texts.filter_map(|text| expression_text(program, text, values)).collect()
}

/// The text of an expression that holds a substitution; of `name=value` the name alone, unless `values` count.
fn expression_text(program: &str, text: &str, values: bool) -> Option<InnerCommand> {
    let text = match (values, text.split_once("]=")) {
        (false, Some((name, _))) => name,
        (false, None) => text.split('=').next().unwrap_or(text),
        (true, _) => text,
    };
    let runs = text.contains("$(") || text.contains('`') || text.contains("${");
    // An unknown text is no expression: only literal words of the script count.
    runs.then(|| InnerCommand::Expression { via: program.to_owned(), text: text.replace(HOLE, "0") })
}

/// Returns the values of these options: the next word, or the option's own word.
fn option_values<'w>(words: &'w [ShellWord], options: &[&str]) -> Vec<&'w ShellWord> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if options.contains(&word.text.as_str()) {
            found.extend(words.get(at + 1));
        } else if options.iter().any(|option| word.text.starts_with(option)) {
            found.push(word);
        }
    }
    found
}

/// The words that are neither options nor the values of these.
fn plain_operands<'w>(words: &'w [ShellWord], options: &[&str]) -> Vec<&'w ShellWord> {
    let mut found = Vec::new();
    let mut is_value = false;
    for word in words {
        if !std::mem::take(&mut is_value) && !word.is_option() {
            found.push(word);
        }
        // Of several letters the last one takes the next word.
        is_value = word.is_option()
            && options.iter().any(|option| word.text.ends_with(option.trim_start_matches('-')));
    }
    found
}
