//! Wherefore's lines in git's hooks: added at the top of an existing hook, or to a new one, and removed again.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::GitProject;
use crate::cli::init::error::{PlanError, SettingsEditError};
use crate::cli::init::plan::{FilePlan, PlannedAct, read_text};

/// The first line of wherefore's block.
const BEGIN: &str = "# >>> wherefore:";
/// The last line of wherefore's block.
const END: &str = "# <<< wherefore\n";
/// The first line of a new hook.
const SHELL: &str = "#!/bin/sh\n";
/// The programs that run a script which ours fits in.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];
/// The owner of the hooks, for people.
const NAME: &str = "Git";

/// A hook: its name, wherefore's lines, and their purpose.
struct GitHookLines {
    name: &'static str,
    lines: &'static str,
    purpose: &'static str,
}

const HOOKS: [GitHookLines; 4] = [
    GitHookLines {
        name: "post-commit",
        lines: include_str!("post-commit.sh"),
        purpose: "each commit gets a note that says why its lines are as they are, in the background",
    },
    GitHookLines {
        name: "post-rewrite",
        lines: include_str!("post-rewrite.sh"),
        purpose: "notes go along where commits are amended or rebased",
    },
    GitHookLines {
        name: "post-merge",
        lines: include_str!("post-merge.sh"),
        purpose: "notes go along where commits are squashed",
    },
    GitHookLines {
        name: "pre-push",
        lines: include_str!("pre-push.sh"),
        purpose: "notes of the last commits go along with a push",
    },
];

/// The folder of a repository's hooks.
#[derive(Debug)]
pub(super) struct HookFolder {
    path: PathBuf,
    /// True if the repository's people share it.
    pub(super) is_shared: bool,
    /// True if git itself runs the files in it; false if a hook manager does.
    is_run: bool,
}

impl HookFolder {
    /// The folder that `core.hooksPath` names, else the repository's own.
    ///
    /// # Errors
    /// An error if it is neither in the project nor in its repository: hooks there run in other repositories, too.
    pub(super) fn of(project: &GitProject) -> Result<Self, PlanError> {
        let path = project.hooks.clone();
        let is_shared = path.starts_with(&project.dir) && !path.starts_with(&project.shared);
        if !is_shared && !path.starts_with(&project.shared) {
            let name = path.display().to_string();
            return Err(PlanError::left_unchanged(&name)(SettingsEditError::OfOthers));
        }
        // Husky's hooks are in the parent of the folder that it names to git, which it regenerates.
        match path.parent().filter(|parent| path.ends_with(".husky/_") && parent.is_dir()) {
            Some(parent) => Ok(Self { path: parent.to_owned(), is_shared, is_run: false }),
            None => Ok(Self { path, is_shared, is_run: true }),
        }
    }

    fn hook_plan(&self, hook: &GitHookLines, dir: &Path) -> Result<FilePlan, PlanError> {
        let path = self.path.join(hook.name);
        let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        let before = read_text(&path, &name)?;
        let shared = if self.is_shared { "; everyone who has the repository gets it" } else { "" };
        let purpose = format!("{}{shared}", hook.purpose);
        Ok(FilePlan { purpose, is_program: self.is_run, ..FilePlan::unchanged(NAME, name, path, before) })
    }
}

/// Puts our lines into each hook.
pub(super) fn put_lines(folder: &HookFolder, dir: &Path, program: &str) -> Vec<Result<FilePlan, PlanError>> {
    let put = |hook: &GitHookLines| {
        let plan = folder.hook_plan(hook, dir)?;
        let lines = hook.lines.replace("{program}", program);
        let text = plan.before.clone().unwrap_or_else(|| if folder.is_run { SHELL } else { "" }.to_owned());
        let after = with_lines(&text, &lines).map_err(PlanError::left_unchanged(&plan.name))?;
        if plan.before.as_ref() == Some(&after) {
            return Ok(plan);
        }
        let is_off =
            || std::fs::metadata(&plan.path).is_ok_and(|found| found.permissions().mode() & 0o111 == 0);
        if folder.is_run && plan.before.is_some() && is_off() {
            return Err(PlanError::left_unchanged(&plan.name)(SettingsEditError::NotRun));
        }
        Ok(FilePlan { act: PlannedAct::Add, after: Some(after), ..plan })
    };
    HOOKS.iter().map(put).collect()
}

/// Removes wherefore's lines from each hook that has them. A hook that then does nothing is removed.
pub(super) fn take_lines(folder: &HookFolder, dir: &Path) -> Vec<Result<FilePlan, PlanError>> {
    let take = |hook: &GitHookLines| {
        let plan = folder.hook_plan(hook, dir)?;
        let left = plan.before.as_deref().and_then(without_lines);
        Ok(left.map(|left| {
            let after = (!matches!(left.as_str(), "" | SHELL)).then_some(left);
            let purpose = format!("git runs nothing of wherefore's at {}", hook.name);
            FilePlan { act: PlannedAct::Remove, purpose, after, ..plan }
        }))
    };
    HOOKS.iter().map(take).filter_map(Result::transpose).collect()
}

/// A script with our lines below its first one, in place of earlier ones.
fn with_lines(text: &str, lines: &str) -> Result<String, SettingsEditError> {
    let text = without_lines(text).unwrap_or_else(|| text.to_owned());
    let first = if text.starts_with("#!") { text.find('\n').map_or(text.len(), |end| end + 1) } else { 0 };
    let (head, rest) = text.split_at(first);
    let is_shell = |word: &str| SHELLS.contains(&word.rsplit('/').next().unwrap_or_default());
    let mut words = head.trim_start_matches("#!").split_whitespace().take(2);
    if !(head.is_empty() || words.any(is_shell)) || text.contains('\0') {
        return Err(SettingsEditError::NoShell);
    }
    let end = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{head}{end}{lines}{rest}"))
}

/// A script without wherefore's lines; none if it has none.
fn without_lines(text: &str) -> Option<String> {
    let begin = if text.starts_with(BEGIN) { 0 } else { text.find(&format!("\n{BEGIN}"))? + 1 };
    let end = begin + text[begin..].find(END)? + END.len();
    Some(format!("{}{}", &text[..begin], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_stand_at_the_top_of_a_script_and_go_again() {
        let ours = "# >>> wherefore: x\ntrue\n# <<< wherefore\n";
        for (head, rest) in [
            ("#!/bin/sh\n", "exit 1\n"),
            ("#!/usr/bin/env bash\n", ""),
            ("", "npm test"),
            ("#!/bin/sh -e\n", "x"),
        ] {
            let (text, with) = (format!("{head}{rest}"), format!("{head}{ours}{rest}"));
            assert_eq!(with_lines(&text, ours).unwrap(), with);
            assert_eq!(with_lines(&with, ours).unwrap(), with);
            assert_eq!(with_lines(&with.replace("true", "old"), ours).unwrap(), with);
            assert_eq!(without_lines(&with).unwrap(), text);
            assert_eq!(without_lines(&text), None);
        }
        for odd in ["#!/usr/bin/env python3\n", "#!/usr/bin/perl", "\0ELF"] {
            assert!(with_lines(odd, ours).is_err(), "{odd}");
        }
    }
}
