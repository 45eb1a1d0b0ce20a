//! Commands of wherefore itself. An agent may read by them; what acts in the person's place is refused.

use crate::command::ShellCommand;
use crate::verdict::RuleObjection;
use crate::word::ShellWord;

const NAME: &str = "wherefore";
/// The subcommands that only show something, with any arguments.
const READING: [&str; 12] = [
    "help",
    "status",
    "log",
    "why",
    "report",
    "search",
    "context",
    "tools",
    "rules",
    "doctor",
    "completions",
    "man",
];
const HELP: [&str; 4] = ["--help", "-h", "--version", "-V"];
/// An option by which a reading subcommand writes a file.
const WRITES: [&str; 2] = ["--output", "-o"];

/// Returns the objection to a command of this program, or to one that names the program.
pub(super) fn own_objection(program: &str, command: &ShellCommand) -> Option<RuleObjection> {
    if is_own(program) {
        return Some(match only_reads(command.arguments()) {
            true => RuleObjection::ask(
                "own-program",
                "it asks wherefore, and shows what the person may see of every folder",
            )
            .as_unconfined(),
            false => RuleObjection::deny(
                "own-program",
                "it decides, undoes, sends, sets up or runs commands in the person's place, who alone uses it",
            ),
        });
    }
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let mut words = command.arguments().iter().chain(targets);
    words.any(|word| word.possible_texts().any(names_program)).then(|| {
        RuleObjection::ask(
            "own-program",
            "it names the program wherefore, and may give it another name or run it",
        )
        .as_unconfined()
    })
}

/// Returns whether a program has this program's name, possibly followed by a version.
fn is_own(program: &str) -> bool {
    let rest = program.strip_prefix(NAME);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// Returns whether the known arguments make a subcommand that only shows something.
fn only_reads(arguments: &[ShellWord]) -> bool {
    let texts: Option<Vec<&str>> = arguments.iter().map(ShellWord::plain_text).collect();
    match texts.as_deref() {
        Some([]) => true,
        Some([first]) if HELP.contains(first) => true,
        Some([_, help]) if HELP[..2].contains(help) => true,
        Some([first, rest @ ..]) => READING.contains(first) && !rest.iter().any(|word| is_write_option(word)),
        None => false,
    }
}

fn is_write_option(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let is_cut = name.len() > 2 && name.starts_with("--") && WRITES[0].starts_with(name);
    WRITES.contains(&name)
        || is_cut
        || (word.starts_with('-') && !word.starts_with("--") && word.contains('o'))
}

/// Returns whether a text is a path of the program, or holds its name among other words.
fn names_program(text: &str) -> bool {
    let among_words = || {
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || "-_./".contains(c)));
        words.any(|word| word.rsplit('/').next().is_some_and(is_own))
    };
    text.rsplit('/').next().is_some_and(is_own) || text.contains(char::is_whitespace) && among_words()
}
