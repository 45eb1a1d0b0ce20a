//! Commands that only show their help or their version.

use crate::command::ShellCommand;
use crate::verdict::{CommandVerdict, RuleObjection};
use crate::word::ShellWord;
use crate::wrapper;

const HELP: [&str; 2] = ["--help", "--version"];
/// Subcommands that run the program behind them, with its arguments.
const RUNNING: [&str; 11] =
    ["run", "exec", "x", "dlx", "create", "init", "start", "new", "debug", "shell", "inject"];
/// Subcommands before the option.
const MOST: usize = 3;

/// Returns whether a rule of the table does not speak of this command, because the program only shows something.
pub(super) fn is_idle(program: &str, command: &ShellCommand, objection: &RuleObjection) -> bool {
    let Some((last, before)) = command.arguments().split_last() else { return false };
    let is_help = last.plain_text().is_some_and(|text| HELP.contains(&text));
    let limit = if objection.verdict == CommandVerdict::Deny { 0 } else { MOST };
    let runs_others = || before.iter().rev().skip(1).any(|word| RUNNING.contains(&word.text.as_str()));
    is_help
        && before.len() <= limit
        && before.iter().all(is_subcommand)
        && !runs_others()
        && !wrapper::runs_others(program, command)
}

/// Returns whether a word looks like the name of a subcommand.
pub(super) fn is_subcommand(word: &ShellWord) -> bool {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    word.plain_text().is_some_and(is_name)
}
