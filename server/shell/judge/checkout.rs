//! `git checkout FILE`: git takes a name for a file where no branch has it, and overwrites the file.

use super::CommandRules;
use super::script_folders::ScriptFolders;
use crate::command::ShellCommand;
use crate::verdict::RuleObjection;
use crate::wrapper::git::git_line;

/// Options with which the operand is the start of a new branch.
const CREATING: [&str; 3] = ["-b", "-B", "--orphan"];

impl CommandRules<'_> {
    /// Returns the objection to a checkout of a file that is there.
    pub(super) fn checkout_objection(
        &self,
        program: &str,
        command: &ShellCommand,
        folders: &ScriptFolders,
    ) -> Option<RuleObjection> {
        let (sub, arguments) = git_line(command).rest.split_first()?;
        let is_creating = arguments.iter().any(|word| CREATING.contains(&word.text.as_str()));
        if program != "git" || sub.text != "checkout" || is_creating {
            return None;
        }
        let is_branch = |name: &str| {
            let mut all = folders.folders_above();
            all.any(|folder| self.paths.path_exists(&format!("{folder}/.git/refs/heads/{name}")))
        };
        let is_file = |name: &str| {
            !name.starts_with('-')
                && folders.absolute_paths(name).iter().any(|path| self.paths.path_exists(path))
                && !is_branch(name)
        };
        arguments
            .iter()
            .any(|word| word.possible_texts().any(is_file))
            .then(|| RuleObjection::ask("destructive", "it overwrites a file with the one that git has kept"))
    }
}
