//! Settings on git's command line.

use crate::command::ShellCommand;
use crate::glob;
use crate::verdict::Objection;
use crate::word::WordKind;
use crate::wrapper::git::{line, names_program};

/// Settings that run nothing and send nothing elsewhere.
const HARMLESS: [&str; 24] = [
    "color.*",
    "advice.*",
    "user.name",
    "user.email",
    "core.quotepath",
    "core.autocrlf",
    "core.safecrlf",
    "core.eol",
    "core.abbrev",
    "core.filemode",
    "core.commentchar",
    "commit.gpgsign",
    "tag.gpgsign",
    "diff.algorithm",
    "diff.renames",
    "diff.context",
    "diff.noprefix",
    "diff.mnemonicprefix",
    "log.*",
    "gc.auto",
    "init.defaultbranch",
    "merge.conflictstyle",
    "status.*",
    "column.*",
];

/// Programs that a setting may name: they show texts.
const PAGERS: [&str; 9] = ["cat", "less", "less -FRX", "less -FX", "less -R", "less -F", "more", "true", ""];

/// What speaks against the settings of a command line of git.
pub(super) fn of_git(program: &str, command: &ShellCommand) -> Option<Objection> {
    if program != "git" {
        return None;
    }
    let settings = line(command).settings;
    let odd = settings.iter().find(|(key, value)| {
        let harmless = HARMLESS.iter().any(|pattern| glob::matches(pattern, key));
        let pager =
            names_program(key) && value.kind == WordKind::Known && PAGERS.contains(&value.text.as_str());
        let fsmonitor = key == "core.fsmonitor" && value.text == "false";
        let alias =
            key.starts_with("alias.") && !value.text.starts_with('!') && value.kind == WordKind::Known;
        !(harmless || pager || fsmonitor || alias)
    });
    odd.map(|(key, _)| {
        Objection::ask("runs-by-option", format!("git's setting {key:?} may make it run another program"))
    })
}
