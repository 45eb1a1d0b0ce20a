//! Commands with the verdicts that they get.

use crate::{
    CommandPlace, CommandRules, CommandTable, CommandVerdict, Judgement, PathRules, PathUse, RuleObjection,
};

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
    fn judge(&self, used: PathUse, path: &str) -> Option<RuleObjection> {
        let closed = |part: &str| {
            let secret =
                part.starts_with(".env") || part.starts_with("id_rsa") || part.starts_with("id_ed25519");
            secret || matches!(part, ".ssh" | ".aws" | ".netrc" | ".npmrc" | "kubeconfig")
        };
        let kept = |part: &str| matches!(part.to_lowercase().as_str(), ".git" | ".vscode" | ".bashrc");
        let mut parts = path.split('/');
        match used {
            PathUse::Read => parts.any(closed),
            PathUse::Write | PathUse::Move => parts.any(|part| closed(part) || kept(part)),
        }
        .then(|| RuleObjection::deny("closed-path", "a rule closes this path"))
    }

    fn secret_names(&self) -> &[String] {
        &self.0
    }

    fn path_exists(&self, path: &str) -> bool {
        [
            "node_modules/.bin/eslint",
            "node_modules/@scope/tool/package.json",
            "bare.git",
            ".env",
            ".git",
            "config/kubeconfig",
            "README.md",
            "main",
            ".git/refs/heads/main",
        ]
        .iter()
        .any(|below| path == format!("/srv/project/{below}"))
    }

    fn read_text(&self, path: &str) -> Option<String> {
        let config =
            "[remote \"origin\"]\n\turl = ../origin.git\n[remote \"far\"]\n\turl = https://example.com/x\n";
        (path == "/srv/project/.git/config").then(|| config.to_owned())
    }
}

pub(super) fn place() -> CommandPlace {
    CommandPlace::new("/srv/project", "/people/ada")
}

pub(super) fn judged(script: &str) -> Judgement {
    judged_where(script, true)
}

pub(super) fn judged_where(script: &str, confined: bool) -> Judgement {
    let place = place();
    let rules = CommandRules {
        place: &place,
        tables: &[CommandTable::builtin()],
        paths: &FakePaths::new(),
        allowances: &[],
        confined,
    };
    rules.judge_script(script)
}

/// The cases of the file: the line's number, the verdicts in the sandbox and outside of it if that one counts, the command.
pub(super) fn cases() -> impl Iterator<Item = (usize, (CommandVerdict, Option<CommandVerdict>), String)> {
    let lines = include_str!("cases.txt").lines().enumerate();
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| {
        let (verdict, command) = line.split_once(' ').expect("a verdict and a command");
        let verdict = match verdict {
            "allow" => (CommandVerdict::Allow, None),
            "closed" => (CommandVerdict::Allow, Some(CommandVerdict::Deny)),
            "unseen" => (CommandVerdict::Allow, Some(CommandVerdict::Ask)),
            "ask" => (CommandVerdict::Ask, None),
            "deny" => (CommandVerdict::Deny, None),
            other => panic!("line {}: no verdict: {other}", at + 1),
        };
        let command = command.trim_start().replace('↵', "\n").replace('⇥', "\t");
        (at + 1, verdict, command.replace('␍', "\r").replace('␀', "\0"))
    })
}

#[test]
fn each_command_gets_its_verdict() {
    let mut wrong = Vec::new();
    for (line, (verdict, outside), command) in cases() {
        let judgement = judged(&command);
        if let Some(outside) = outside
            && judged_where(&command, false).verdict != outside
        {
            wrong.push(format!("{line}: {command:?}: not {outside:?} outside of the sandbox"));
        }
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

#[test]
fn what_only_the_sandbox_bounds_is_asked_about_without_one() {
    let mut wrong = Vec::new();
    for command in [
        "kill -9 1",
        "kill 1234",
        "pkill -f server",
        "sh -c 'killall node'",
        "xargs kill < pids",
        "python3 -c 'import os'",
        "python3 - <<'EOF'↵print(1)↵EOF",
        "echo 'print(1)' | python3",
        "node -e 'x()'",
        "node --eval=x",
        "perl -ne 'unlink'",
        "ruby -e x",
        "find /srv/other -delete",
        "tar -xf a.tar -C /srv",
        "git -C /srv/other reset",
        "make -C .. install",
        "rm -rf /tmp/build",
        "rm -r /var/tmp/build",
        "wherefore status",
        "cp /usr/bin/wherefore w",
        "ln -s \"$(command -v wherefore)\" w",
        "python3 run.py 'wherefore review --accept all'",
        "cat < /usr/bin/wherefore > w",
    ] {
        let verdict = judged_where(&command.replace('↵', "\n"), false).verdict;
        wrong.extend((verdict != CommandVerdict::Ask).then(|| format!("{command}: {verdict:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for command in ["ls -la", "cargo test", "kill -l", "python3 script.py", "git status", "git push --force"]
    {
        assert_eq!(judged_where(command, false).verdict, judged(command).verdict, "{command}");
    }
    assert_eq!(judged("kill -9 1").verdict, CommandVerdict::Allow);
}

#[test]
fn what_acts_in_the_persons_place_is_refused_by_any_spelling() {
    let mut wrong = Vec::new();
    for command in [
        "wherefore review --accept all",
        "wherefore review",
        "wherefore undo",
        "npx wherefore undo",
        "wherefore consent",
        "wherefore send agent hello",
        "wherefore init --guard --remove --yes",
        "wherefore sandbox --root=/ -- bash -c ls",
        "wherefore agent x",
        "wherefore acp --agent x",
        "wherefore lsp",
        "wherefore mcp",
        "wherefore serve",
        "wherefore call fs.write '{}'",
        "wherefore hook claude",
        "wherefore git note HEAD",
        "wherefore hint x",
        "wherefore patch a b",
        "wherefore replay",
        "wherefore demo",
        "wherefore working-set --collect",
        "wherefore report --out=x",
        "wherefore report -ox",
        "wherefore guard-a-server sh",
        "wherefore new-subcommand",
        "wherefore $X",
        "wherefore status --output x",
        "/usr/local/bin/wherefore undo",
        "./target/debug/wherefore undo",
        "~/.cargo/bin/wherefore undo",
        "wherefore-1.2 undo",
        "env wherefore undo",
        "env -u C A=b wherefore undo",
        "W=wherefore; $W undo",
        "W=wherefore; \"$W\" undo",
        "w=where; ${w}fore undo",
        "sh -c 'wherefore undo'",
        "bash -lc \"wherefore undo\"",
        "command wherefore undo",
        "exec wherefore undo",
        "builtin command wherefore undo",
        "echo undo | xargs wherefore",
        "xargs -I{} wherefore {} < list",
        "nohup wherefore undo &",
        "timeout 5 wherefore undo",
        "nice -n 5 setsid wherefore undo",
        "where''fore undo",
        "w\\herefore undo",
        "\"where\"fore undo",
        "$'\\x77herefore' undo",
        "busybox wherefore undo",
        "eval wherefore undo",
        "f() { wherefore \"$@\"; }; f undo",
        "alias w='wherefore undo'; w",
        "echo $(wherefore undo)",
        "cat <(wherefore undo)",
        "find . -exec wherefore undo \\;",
        "true && wherefore undo || ls",
        "sudo wherefore undo",
        "ld-linux-x86-64.so.2 /usr/bin/wherefore undo",
        "bash <<'EOF'↵wherefore undo↵EOF",
        "echo wherefore undo | sh",
        "trap 'wherefore undo' EXIT",
        "wherefore --help undo",
    ] {
        for confined in [true, false] {
            let verdict = judged_where(&command.replace('↵', "\n"), confined).verdict;
            wrong.extend((verdict != CommandVerdict::Deny).then(|| format!("{command}: {verdict:?}")));
        }
    }
    for command in [
        "wherefore",
        "wherefore --help",
        "wherefore --version",
        "wherefore review --help",
        "wherefore status --json",
        "wherefore log --json -n 5",
        "wherefore why a.txt:3",
        "wherefore report",
        "wherefore rules test 'rm -rf /'",
        "wherefore doctor",
        "wherefore search words",
        "wherefores undo",
        "grep -rn wherefore sandbox docs",
        "git commit -m 'wherefore review is quicker'",
    ] {
        let verdict = judged(command).verdict;
        wrong.extend((verdict != CommandVerdict::Allow).then(|| format!("{command}: {verdict:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_home_folder_among_temporary_files_is_none_of_them() {
    let place = CommandPlace::new("/tmp/ada/project", "/tmp/ada");
    let rules = CommandRules {
        place: &place,
        tables: &[CommandTable::builtin()],
        paths: &FakePaths::new(),
        allowances: &[],
        confined: true,
    };
    for (command, verdict) in [
        ("rm -rf ~", CommandVerdict::Deny),
        ("rm -rf ~/", CommandVerdict::Deny),
        ("rm -rf \"$HOME\"", CommandVerdict::Deny),
        ("rm -rf \"$HOME\"/*", CommandVerdict::Deny),
        ("rm -rf ../*", CommandVerdict::Deny),
        ("rm -rf /tmp/*", CommandVerdict::Deny),
        ("find ~ -delete", CommandVerdict::Deny),
        ("cd ~ && rm -rf *", CommandVerdict::Deny),
        ("python3 -c 'import os, shutil; shutil.rmtree(os.environ[\"HOME\"])'", CommandVerdict::Deny),
        ("rm -rf ~/notes", CommandVerdict::Ask),
        ("find ~ -name '*.txt' -delete", CommandVerdict::Ask),
        ("rm -rf target", CommandVerdict::Allow),
        ("rm -rf /tmp/scratch", CommandVerdict::Allow),
    ] {
        let judgement = rules.judge_script(command);
        assert_eq!(judgement.verdict, verdict, "{command}: {judgement:?}");
    }
}
