//! Describes the effects that the sandbox prevented, in addition to a command's result: files that were lost with it,
//! and a repository that it may not write.

use std::path::{Path, PathBuf};

use wherefore_shell::{CommandPlace, ShellCommand, ShellWord, read_argv, read_script};

use crate::base::hidden::escape_to_line;
use crate::base::numbers::format_count;
use crate::base::person;
use crate::sandbox::RunReport;
use crate::session::CallScope;

/// Subcommands of git that write to the repository.
const WRITING: [&str; 20] = [
    "add",
    "am",
    "branch",
    "checkout",
    "cherry-pick",
    "commit",
    "fetch",
    "init",
    "merge",
    "mv",
    "notes",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "tag",
];

/// Describes the effects that the sandbox prevented for a command that ended so, a sentence each.
pub(super) fn describe_limits(scope: &CallScope, argv: &[String], report: &RunReport) -> Vec<String> {
    let root = Path::new(scope.files().paths().root().real_path());
    // A command that has a layer over the repository may write to it.
    let is_read_only = root.join(".git").exists() && report.overlays.len() < 2;
    let git = (is_read_only && report.exit_code != Some(0)).then(|| refused_git(root, argv)).flatten();
    lost_files(report).into_iter().chain(git).collect()
}

/// The files that the command left outside of the workspace.
fn lost_files(report: &RunReport) -> Option<String> {
    let named: Vec<String> = report.lost.iter().map(|path| shown_path(path)).collect();
    let more = report.lost_count.saturating_sub(named.len() as u64);
    let (files, was) = match (named.as_slice(), more) {
        ([], 0) => return None,
        ([], more) => (format_count(more, "file"), if more == 1 { "was" } else { "were" }),
        ([one], 0) => (one.clone(), "was"),
        (several, 0) => (several.join(", "), "were"),
        (several, more) => {
            (format!("{} and {}", several.join(", "), format_count(more, "more file")), "were")
        }
    };
    Some(format!(
        "{files} {was} written outside of the workspace, in a private folder that went with the command: later commands and \
         the person do not see it; write into the workspace what has to stay"
    ))
}

/// A path as the command wrote it: the private home folder is its home.
fn shown_path(path: &Path) -> String {
    let homes = person::home_dir().into_iter().chain([PathBuf::from("/run/home")]);
    let below =
        homes.into_iter().find_map(|home| path.strip_prefix(home).ok().map(|rest| Path::new("~").join(rest)));
    escape_to_line(&below.unwrap_or_else(|| path.to_owned()).to_string_lossy()).into_owned()
}

/// The words for a command of git that would write to the repository, and failed.
fn refused_git(root: &Path, argv: &[String]) -> Option<String> {
    let place =
        CommandPlace::new(&root.to_string_lossy(), &person::home_dir().unwrap_or_default().to_string_lossy());
    let reading = match argv {
        [shell, flag, script] if matches!(shell.as_str(), "bash" | "sh") && flag == "-c" => {
            read_script(script, &place)
        }
        argv => read_argv(argv, &place),
    };
    let command = reading.commands.iter().find_map(writing_git)?;
    Some(format!(
        "{command} failed: .git is read-only for commands in the sandbox, so that nothing is committed that nobody reviewed. \
         Leave the changes in the files, go on, and tell the person which git command to run"
    ))
}

/// The command as `git commit`, where it is one of git's that writes.
fn writing_git(command: &ShellCommand) -> Option<String> {
    let is_git = command.program().is_some_and(|program| program.rsplit('/').next() == Some("git"));
    let words = command.arguments().iter().filter(|_| is_git).filter_map(ShellWord::plain_text);
    let subcommand = words.into_iter().find(|word| WRITING.contains(word))?;
    Some(format!("git {subcommand}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(argv: &[&str]) -> Option<String> {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        refused_git(Path::new("/w"), &argv)
            .and_then(|words| words.split(" failed:").next().map(str::to_owned))
    }

    #[test]
    fn a_command_of_git_that_writes_is_found_wherever_it_stands() {
        assert_eq!(
            refused(&["bash", "-c", "cd a && git -C . commit -qm 'x' | cat"]).as_deref(),
            Some("git commit")
        );
        assert_eq!(refused(&["/usr/bin/git", "stash"]).as_deref(), Some("git stash"));
        assert_eq!(refused(&["git", "checkout", "-b", "x"]).as_deref(), Some("git checkout"));
        assert_eq!(refused(&["git", "log", "--oneline"]), None);
        assert_eq!(refused(&["grep", "commit", "x"]), None);
    }
}
