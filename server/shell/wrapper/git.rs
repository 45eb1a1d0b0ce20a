//! `git`: settings on its command line that name programs, aliases, and subcommands that run commands.

use super::{Inner, joined};
use crate::command::ShellCommand;
use crate::word::Word;

/// Options before the subcommand whose value is the next word.
const VALUES: [&str; 8] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];

/// A command line of git, read.
pub(crate) struct GitLine<'w> {
    /// The settings of `-c`: key and value.
    pub(crate) settings: Vec<(String, Word)>,
    /// The subcommand with its arguments.
    pub(crate) rest: &'w [Word],
}

/// Reads the options before the subcommand.
pub(crate) fn line(command: &ShellCommand) -> GitLine<'_> {
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

/// What git runs.
pub(super) fn inner(command: &ShellCommand) -> Vec<Inner> {
    let GitLine { settings, rest } = line(command);
    let mut found: Vec<Inner> =
        settings.iter().filter_map(|(key, value)| setting(key, value, command)).collect();
    let Some((sub, arguments)) = rest.split_first() else { return found };
    let after = |options: &[&str]| {
        let at = arguments.iter().position(|word| options.contains(&word.text.as_str()))?;
        arguments.get(at + 1)
    };
    match sub.text.as_str() {
        "rebase" => {
            found.extend(after(&["-x", "--exec"]).map(|script| Inner::script("git rebase -x", script)))
        }
        "difftool" => {
            found.extend(after(&["-x", "--extcmd"]).map(|script| Inner::script("git difftool -x", script)))
        }
        "submodule" if arguments.first().is_some_and(|word| word.text == "foreach") => {
            let words: Vec<Word> =
                arguments[1..].iter().skip_while(|word| word.is_option()).cloned().collect();
            found.push(joined("git submodule foreach", &words));
        }
        "bisect" if arguments.first().is_some_and(|word| word.text == "run") => {
            found.push(Inner::command("git bisect run", arguments[1..].to_vec(), command));
        }
        "filter-branch" => {
            let filters = arguments.windows(2).filter(|pair| pair[0].text.ends_with("-filter"));
            found.extend(filters.map(|pair| Inner::script("git filter-branch", &pair[1])));
        }
        _ => {}
    }
    let attached = |word: &Word| {
        let value = word.text.strip_prefix("--exec=").or_else(|| word.text.strip_prefix("--extcmd="))?;
        Some(Inner::script("git --exec", &word.with_text(value)))
    };
    found.extend(arguments.iter().filter_map(attached));
    found
}

/// What a setting of `-c` runs.
fn setting(key: &str, value: &Word, command: &ShellCommand) -> Option<Inner> {
    if key.starts_with("alias.") {
        return match value.text.strip_prefix('!') {
            Some(script) => Some(Inner::script("git alias", &value.with_text(script))),
            None => {
                let words = value.text.split_whitespace().map(Word::known);
                Some(Inner::command(
                    "git alias",
                    [Word::known("git")].into_iter().chain(words).collect(),
                    command,
                ))
            }
        };
    }
    names_program(key).then(|| Inner::script("git -c", &value.with_text(value.text.trim_start_matches('!'))))
}

/// Whether the value of a setting is run.
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
