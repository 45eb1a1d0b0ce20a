//! Commands with the verdicts that they get.

use crate::{CommandRules, CommandTable, CommandVerdict, Judgement, Objection, PathRules, PathUse, Place};

/// Rules of paths like those of the server, few of them.
#[derive(Debug)]
pub(super) struct FakePaths(Vec<String>);

impl FakePaths {
    pub(super) fn new() -> Self {
        let names =
            [".env", ".env.local", ".ssh", ".aws", ".netrc", ".npmrc", "id_rsa", "id_ed25519", ".git"];
        Self(names.map(str::to_owned).to_vec())
    }
}

impl PathRules for FakePaths {
    fn judge(&self, used: PathUse, path: &str) -> Option<Objection> {
        let closed = |part: &str| {
            let secret =
                part.starts_with(".env") || part.starts_with("id_rsa") || part.starts_with("id_ed25519");
            secret || matches!(part, ".ssh" | ".aws" | ".netrc" | ".npmrc")
        };
        let kept = |part: &str| matches!(part.to_lowercase().as_str(), ".git" | ".vscode" | ".bashrc");
        let mut parts = path.split('/');
        match used {
            PathUse::Read => parts.any(closed),
            PathUse::Write | PathUse::Move => parts.any(|part| closed(part) || kept(part)),
        }
        .then(|| Objection::deny("closed-path", "a rule closes this path"))
    }

    fn secret_names(&self) -> &[String] {
        &self.0
    }
}

pub(super) fn place() -> Place {
    Place::new("/srv/project", "/people/ada")
}

pub(super) fn judged(script: &str) -> Judgement {
    let place = place();
    let rules = CommandRules {
        place: &place,
        tables: &[CommandTable::builtin()],
        paths: &FakePaths::new(),
        allowances: &[],
    };
    rules.judge_script(script)
}

/// The cases of the file: the line's number, the verdict, the command.
pub(super) fn cases() -> impl Iterator<Item = (usize, CommandVerdict, String)> {
    let lines = include_str!("cases.txt").lines().enumerate();
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| {
        let (verdict, command) = line.split_once(' ').expect("a verdict and a command");
        let verdict = match verdict {
            "allow" => CommandVerdict::Allow,
            "ask" => CommandVerdict::Ask,
            "deny" => CommandVerdict::Deny,
            other => panic!("line {}: no verdict: {other}", at + 1),
        };
        let command = command.trim_start().replace('↵', "\n").replace('⇥', "\t");
        (at + 1, verdict, command.replace('␍', "\r").replace('␀', "\0"))
    })
}

#[test]
fn each_command_gets_its_verdict() {
    let mut wrong = Vec::new();
    for (line, verdict, command) in cases() {
        let judgement = judged(&command);
        if judgement.verdict != verdict {
            let found: Vec<_> = judgement.commands.iter().map(|found| &found.command).collect();
            wrong.push(format!(
                "{line}: {command:?}: {:?} by {:?}, not {verdict:?}; found {found:?}",
                judgement.verdict, judgement.rule
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases().count() >= 400);
}
