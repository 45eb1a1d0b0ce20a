//! Commands of package managers that fetch nothing: what they run is installed, or they only take away.

use super::CommandRules;
use super::script_folders::ScriptFolders;
use crate::command::ShellCommand;
use crate::programs;
use crate::wrapper::runner::{self, RunnerLine, without_version};

/// Options with which a package manager does without the network.
const OFFLINE: [&str; 3] = ["--offline", "--no-index", "--frozen-offline"];
/// Subcommands that take packages away, build what is there, or only ask.
const LOCAL: [&str; 6] = ["uninstall", "remove", "rm", "rebuild", "unlink", "un"];

impl CommandRules<'_> {
    /// Returns whether a command of a package manager that would be asked about fetches nothing.
    pub(super) fn fetches_nothing(
        &self,
        program: &str,
        command: &ShellCommand,
        folders: &ScriptFolders,
    ) -> bool {
        let words = command.arguments();
        if words.iter().any(|word| word.plain_text().is_some_and(|text| OFFLINE.contains(&text))) {
            return true;
        }
        if let Some(line) = runner::runner_line(program, words) {
            return self.runs_installed(&line, folders);
        }
        let operands = programs::find_operands(program, words);
        let plain: Vec<&str> = operands.iter().filter_map(|(word, _)| word.plain_text()).collect();
        match (program, plain.as_slice()) {
            ("npm" | "pnpm" | "yarn" | "bun", ["init" | "link"]) => plain.len() == operands.len(),
            ("npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3", [sub, ..]) => LOCAL.contains(sub),
            ("uv", ["pip", sub, ..]) => LOCAL.contains(sub),
            ("go", ["install", rest @ ..]) => {
                plain.len() == operands.len() && rest.iter().all(|package| package.starts_with('.'))
            }
            _ => false,
        }
    }

    /// Returns whether the program that a runner runs is in `node_modules`.
    fn runs_installed(&self, line: &RunnerLine<'_>, folders: &ScriptFolders) -> bool {
        let Some(tool) = line.rest.first() else { return line.packages.is_empty() };
        if line.is_offline || line.is_fresh {
            return line.is_offline;
        }
        let wanted: Vec<&str> = match line.packages.as_slice() {
            [] => tool.plain_text().into_iter().collect(),
            packages => packages.to_vec(),
        };
        !wanted.is_empty() && wanted.iter().all(|name| self.is_installed(name, folders))
    }

    /// Returns whether a package or its program is installed. A package with a version does not count: another
    /// version may be installed.
    fn is_installed(&self, name: &str, folders: &ScriptFolders) -> bool {
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "@/._-".contains(c));
        if !is_name || without_version(name) != name || name.split('/').any(|part| part.starts_with('.')) {
            return false;
        }
        let below = [format!("node_modules/.bin/{name}"), format!("node_modules/{name}/package.json")];
        folders
            .folders_above()
            .any(|folder| below.iter().any(|below| self.paths.path_exists(&format!("{folder}/{below}"))))
    }
}
