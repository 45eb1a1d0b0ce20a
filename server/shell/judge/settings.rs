//! Settings on git's command line.

use crate::command::ShellCommand;
use crate::glob;
use crate::verdict::RuleObjection;
use crate::word::{ShellWord, WordKind};
use crate::wrapper::git::{GitLine, git_line, names_program};

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

/// Returns the objection to the settings of a command line of git.
pub(super) fn git_objection(program: &str, command: &ShellCommand) -> Option<RuleObjection> {
    if program != "git" {
        return None;
    }
    let GitLine { settings, rest } = git_line(command);
    if let Some(objection) = config_objection(rest) {
        return Some(objection);
    }
    let odd = settings.iter().find(|(key, value)| {
        let harmless = HARMLESS.iter().any(|pattern| glob::matches_pattern(pattern, key));
        let pager =
            names_program(key) && value.kind == WordKind::Known && PAGERS.contains(&value.text.as_str());
        let fsmonitor = key == "core.fsmonitor" && value.text == "false";
        let alias =
            key.starts_with("alias.") && !value.text.starts_with('!') && value.kind == WordKind::Known;
        !(harmless || pager || fsmonitor || alias)
    });
    odd.map(|(key, _)| {
        RuleObjection::ask("runs-by-option", format!("git's setting {key:?} may make it run another program"))
            .as_unseen()
    })
}

/// Returns the objection to `git config`, which keeps a setting: a program in a setting is run later, outside of any
/// sandbox.
fn config_objection(rest: &[ShellWord]) -> Option<RuleObjection> {
    const READS: [&str; 9] = [
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "--unset",
        "--unset-all",
        "get",
    ];
    let (sub, arguments) = rest.split_first()?;
    if sub.text != "config" || arguments.iter().any(|word| READS.contains(&word.text.as_str())) {
        return None;
    }
    let mut operands = arguments.iter().filter(|word| !word.is_option() && word.text != "set");
    let (key, value) = (operands.next()?, operands.next()?);
    let name = key.text.to_lowercase();
    let runs = names_program(&name)
        || ["core.hookspath", "include.path"].contains(&name.as_str())
        || name.starts_with("includeif.")
        || name.starts_with("alias.") && (value.text.starts_with('!') || value.kind != WordKind::Known)
        || name.starts_with("filter.")
        || name.starts_with("url.")
        || key.kind != WordKind::Known;
    let objection = RuleObjection::ask(
        "runs-by-option",
        format!("git's setting {name:?} may make it run another program"),
    );
    match (runs, HARMLESS.iter().any(|pattern| glob::matches_pattern(pattern, &name))) {
        (true, _) => Some(objection),
        (false, true) => None,
        (false, false) => Some(objection.as_unseen()),
    }
}
