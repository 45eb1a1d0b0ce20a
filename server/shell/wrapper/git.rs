//! `git`: settings on its command line that name programs, aliases, and subcommands that run commands.

use super::{InnerCommand, join_script};
use crate::command::ShellCommand;
use crate::word::ShellWord;

/// Options before the subcommand whose value is the next word.
const VALUES: [&str; 8] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];

/// A command line of git, read.
pub(crate) struct GitLine<'w> {
    /// The settings of `-c`: key and value.
    pub(crate) settings: Vec<(String, ShellWord)>,
    /// The subcommand with its arguments.
    pub(crate) rest: &'w [ShellWord],
}

/// Reads the options before the subcommand.
pub(crate) fn git_line(command: &ShellCommand) -> GitLine<'_> {
    let mut rest = command.arguments();
    let mut settings = Vec::new();
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.is_option()) {
        rest = after;
        let value = match VALUES.contains(&word.text.as_str()) {
            true => {
                let value = rest.first();
                rest = rest.get(1..).unwrap_or_default();
                value.cloned()
            }
            false => word.text.strip_prefix("-c").map(|value| word.with_text(value)),
        };
        if word.text.starts_with("-c")
            && let Some(setting) = value
        {
            let (key, value) = setting.text.split_once('=').unwrap_or((setting.text.as_str(), "true"));
            settings.push((key.to_lowercase(), setting.with_text(value)));
        }
    }
    GitLine { settings, rest }
}

/// Returns the commands that git runs.
pub(super) fn inner_of_git(command: &ShellCommand) -> Vec<InnerCommand> {
    let GitLine { settings, rest } = git_line(command);
    let mut found: Vec<InnerCommand> =
        settings.iter().filter_map(|(key, value)| inner_of_setting(key, value, command)).collect();
    let Some((sub, arguments)) = rest.split_first() else { return found };
    let after = |options: &[&str]| {
        let at = arguments.iter().position(|word| options.contains(&word.text.as_str()))?;
        arguments.get(at + 1)
    };
    match sub.text.as_str() {
        "rebase" => found
            .extend(after(&["-x", "--exec"]).map(|script| InnerCommand::from_word("git rebase -x", script))),
        "difftool" => found.extend(
            after(&["-x", "--extcmd"]).map(|script| InnerCommand::from_word("git difftool -x", script)),
        ),
        "submodule" if arguments.first().is_some_and(|word| word.text == "foreach") => {
            let words: Vec<ShellWord> =
                arguments[1..].iter().skip_while(|word| word.is_option()).cloned().collect();
            found.push(join_script("git submodule foreach", &words));
        }
        "bisect" if arguments.first().is_some_and(|word| word.text == "run") => {
            found.push(InnerCommand::from_words("git bisect run", arguments[1..].to_vec(), command));
        }
        "filter-branch" => {
            let filters = arguments.windows(2).filter(|pair| pair[0].text.ends_with("-filter"));
            found.extend(filters.map(|pair| InnerCommand::from_word("git filter-branch", &pair[1])));
        }
        _ => {}
    }
    let attached = |word: &ShellWord| {
        let value = word.text.strip_prefix("--exec=").or_else(|| word.text.strip_prefix("--extcmd="))?;
        Some(InnerCommand::from_word("git --exec", &word.with_text(value)))
    };
    found.extend(arguments.iter().filter_map(attached));
    found
}

/// Returns the commands that a setting of `-c` runs.
fn inner_of_setting(key: &str, value: &ShellWord, command: &ShellCommand) -> Option<InnerCommand> {
    if key.starts_with("alias.") {
        return match value.text.strip_prefix('!') {
            Some(script) => Some(InnerCommand::from_word("git alias", &value.with_text(script))),
            None => {
                let words = value.text.split_whitespace().map(ShellWord::from_text);
                Some(InnerCommand::from_words(
                    "git alias",
                    [ShellWord::from_text("git")].into_iter().chain(words).collect(),
                    command,
                ))
            }
        };
    }
    names_program(key)
        .then(|| InnerCommand::from_word("git -c", &value.with_text(value.text.trim_start_matches('!'))))
}

/// Returns whether the value of a setting is run.
pub(crate) fn names_program(key: &str) -> bool {
    const KEYS: [&str; 10] = [
        "core.pager",
        "core.editor",
        "sequence.editor",
        "core.sshcommand",
        "core.askpass",
        "core.fsmonitor",
        "diff.external",
        "interactive.difffilter",
        "credential.helper",
        "core.gitproxy",
    ];
    const ENDS: [&str; 10] = [
        ".textconv",
        ".command",
        ".cmd",
        ".driver",
        ".clean",
        ".smudge",
        ".process",
        ".program",
        ".helper",
        ".path",
    ];
    KEYS.contains(&key) || key.starts_with("pager.") || ENDS.iter().any(|end| key.ends_with(end))
}
