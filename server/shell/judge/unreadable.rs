//! Commands that the rules cannot read: scripts in doubt, and programs that are only known once they run. In the
//! sandbox, the person is asked only if the readable part may lose work, or hides its meaning.

use super::CommandRules;
use super::reach::is_loopback_address;
use super::script_folders::ScriptFolders;
use crate::command::{ScriptDoubt, ScriptReading, ShellCommand};
use crate::verdict::RuleObjection;
use crate::word::{ShellWord, WordKind};

/// Programs that decode characters into a text that was not checked.
const DECODERS: [&str; 8] = ["base64", "base32", "basenc", "uudecode", "xxd", "openssl", "rev", "gpg"];
/// Programs that lose work, publish it or leave the machine: if a script that names one is in doubt, a person looks.
const LOSING: [&str; 25] = [
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "wipe",
    "dd",
    "truncate",
    "sudo",
    "doas",
    "su",
    "mkfs",
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "docker",
    "kubectl",
    "terraform",
    "aws",
    "gcloud",
    "publish",
    "push",
    "upload",
];
/// The git subcommands that may lose work.
const LOSING_OF_GIT: [&str; 13] = [
    "reset",
    "clean",
    "checkout",
    "restore",
    "switch",
    "branch",
    "stash",
    "rebase",
    "filter-branch",
    "reflog",
    "gc",
    "tag",
    "worktree",
];
/// The programs that an unknown program is assumed to be.
const GUESSED: [&str; 2] = ["rm", "git"];

/// Returns the objections to a script that is in doubt.
pub(super) fn doubt_objections(reading: &ScriptReading, text: &str) -> Vec<RuleObjection> {
    let fork = reading.forks_without_end.then(|| {
        RuleObjection::deny("fork-bomb", "a function starts itself again and again until the machine stops")
    });
    let of_doubt = |doubt: &ScriptDoubt| {
        let objection = match (doubt, &reading.unclear) {
            (ScriptDoubt::Syntax, Some(piece)) => {
                RuleObjection::ask(doubt.rule_name(), format!("{}: {piece}", doubt.reason()))
            }
            _ => RuleObjection::ask(doubt.rule_name(), doubt.reason()),
        };
        match is_hiding(*doubt, reading, text) {
            true => objection,
            false => objection.as_unseen(),
        }
    };
    fork.into_iter().chain(reading.doubts.iter().map(of_doubt)).collect()
}

/// Returns whether a doubt is about more than the style of a script.
fn is_hiding(doubt: ScriptDoubt, reading: &ScriptReading, text: &str) -> bool {
    let decodes =
        || reading.commands.iter().filter_map(ShellCommand::program).any(|name| DECODERS.contains(&name));
    let names = |list: &[&str]| {
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
        words.any(|word| list.contains(&word))
    };
    let connects = || {
        let mut addresses = ["/dev/tcp/", "/dev/udp/"].iter().flat_map(|start| text.split(start).skip(1));
        addresses.any(|address| !is_loopback_address(address))
    };
    let names_loss = || names(&LOSING) || names(&["git"]) && names(&LOSING_OF_GIT) || connects();
    match doubt {
        ScriptDoubt::TooMuch => true,
        ScriptDoubt::ComputedScript => decodes(),
        ScriptDoubt::Syntax => names_loss() || decodes(),
        ScriptDoubt::UnknownOption => false,
    }
}

impl CommandRules<'_> {
    /// Returns the objection to a program's name.
    pub(super) fn of_name(&self, command: &ShellCommand, folders: &ScriptFolders) -> Option<RuleObjection> {
        let word = command.words.first()?;
        let computed = |why| {
            let objection = RuleObjection::ask("computed-command", why);
            match self.loses_as_another(command, folders) {
                true => objection,
                false => objection.as_unseen(),
            }
        };
        if word.kind != WordKind::Known || word.derived {
            return Some(computed("which program runs is only known once the command runs"));
        }
        if word.text.starts_with("/proc/") || word.text.starts_with("/dev/fd/") {
            return Some(computed("which program stands there depends on who runs it"));
        }
        let odd = |c: char| !c.is_ascii() || c.is_ascii_control();
        word.text.chars().any(odd).then(|| {
            RuleObjection::ask(
                "odd-program",
                "the program's name holds characters that look like others or are not seen",
            )
        })
    }

    /// Returns whether a command whose program is not known would lose work with one of the guessed programs.
    fn loses_as_another(&self, command: &ShellCommand, folders: &ScriptFolders) -> bool {
        GUESSED.iter().any(|program| {
            let mut guess = command.clone();
            let Some(first) = guess.words.first_mut() else { return false };
            *first = ShellWord::from_text(*program);
            self.of_program(program, &guess, folders).iter().any(|objection| !objection.unconfined)
        })
    }
}
