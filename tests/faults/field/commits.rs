//! What commands do to a repository: it goes as it goes outside, waits for the person as one thing, is taken over whole or not at
//! all, is moved back, and makes git run nothing later.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::direct::{line, repository};
use crate::support::{BINARY, Project, skipped, with_why};

/// A repository of a person whose name git knows.
fn of_person(files: &[(&str, &str)]) -> Project {
    let project = repository(files);
    project.put(
        "../home/.gitconfig",
        "[user]\n\tname = P\n\temail = p@example.org\n[protocol \"file\"]\n\tallow = always\n",
    );
    project
}

/// What git says in a folder, as the person runs it.
fn git_in(project: &Project, folder: &Path, args: &[&str]) -> String {
    let mut command = project.command("git");
    let output = command.current_dir(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn git(project: &Project, args: &[&str]) -> String {
    git_in(project, &project.root(), args)
}

/// Runs a line with the policy that applies changes at once; nothing where no namespaces are.
fn applied(project: &Project, line: &str) -> Option<Value> {
    let arguments = with_why(&json!({ "line": line, "timeout_ms": 120_000 }));
    let answer =
        project.wherefore(&["call", "--policy", "auto", "terminal.run", &arguments.to_string()]).json();
    if !answer["sandbox"].as_str().unwrap_or_default().starts_with("tier A (") {
        skipped(&format!("no namespaces here: {answer}"));
        return None;
    }
    Some(answer)
}

/// Runs a script that no rule reads beforehand: what it does to the repository is judged alone by what comes of it.
fn played(project: &Project, script: &str) -> Option<Value> {
    project.put("play.txt", script);
    project.put("play.py", "import subprocess\nsubprocess.run(['bash', '-c', open('play.txt').read()])\n");
    applied(project, "python3 play.py")
}

fn said(answer: &Value) -> String {
    let all = answer["git"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// What tells how a repository stands.
fn state(project: &Project, folder: &Path) -> Vec<String> {
    [
        &["log", "--all", "--format=%T %s %D"][..],
        &["symbolic-ref", "-q", "HEAD"],
        &["stash", "list", "--format=%gs"],
        &["status", "--porcelain"],
        &["ls-files", "-s"],
    ]
    .iter()
    .map(|args| {
        let output = project.command("git").current_dir(folder).args(*args).output().unwrap();
        // A short hash in a message holds the time of its commit.
        let is_hash = |word: &str| word.len() == 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let plain = |line: &str| {
            let words = line.split(' ').map(|word| if is_hash(word) { "HASH" } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        let mut lines: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(plain).collect();
        lines.sort();
        lines.join("\n")
    })
    .collect()
}

#[test]
fn a_commit_is_taken_over_whole_and_moved_back() {
    let project = of_person(&[("a.txt", "1\n"), ("b.txt", "1\n")]);
    let Some(answer) =
        applied(&project, "echo 2 >> a.txt && git add a.txt && git commit -qm 'fix the limit'")
    else {
        return;
    };
    assert_eq!(said(&answer), "commit 1 file on main: fix the limit: taken over", "{answer}");
    assert_eq!(git(&project, &["log", "--format=%s %an"]), "fix the limit P\nfirst P\n");
    assert_eq!(git(&project, &["log", "-g", "--format=%gs", "-1"]), "commit: fix the limit\n");
    assert_eq!(git(&project, &["status", "--porcelain"]), "");
    git(&project, &["fsck", "--strict"]);
    let undone = project.wherefore(&["review", "--git", "undo"]);
    assert_eq!(undone.code(), Some(0), "{undone:?}");
    assert_eq!(git(&project, &["log", "--format=%s"]), "first\n");
    assert_eq!(git(&project, &["status", "--porcelain"]), "M  a.txt\n", "the file keeps its change");
    // What changes nothing of the repository says nothing of it.
    assert_eq!(said(&applied(&project, "git status && git log --oneline").unwrap()), "");
}

#[test]
fn what_waits_is_seen_by_later_commands_and_decided_as_one() {
    let project = of_person(&[("a.txt", "1\n")]);
    let Some(answer) = line(&project, "git switch -qc topic && git tag v1 && git branch other") else {
        return;
    };
    assert!(said(&answer).contains("make topic at") && said(&answer).contains("switch to topic"), "{answer}");
    assert!(said(&answer).contains("wherefore review --git"), "{answer}");
    assert_eq!(git(&project, &["branch", "--format=%(refname)"]), "refs/heads/main\n");
    let answer = line(&project, "git branch --show-current && git branch third").unwrap();
    assert!(answer["stdout"].as_str().unwrap().starts_with("topic\n"), "{answer}");
    let shown = project.wherefore(&["review", "--git"]);
    assert!(String::from_utf8_lossy(&shown.out).contains("make other at"), "{shown:?}");
    assert!(project.wherefore(&["review", "--list"]).err.contains("wherefore review --git"));
    let taken = project.wherefore(&["review", "--git", "take"]);
    assert_eq!(taken.code(), Some(0), "{taken:?}");
    assert_eq!(git(&project, &["branch", "--show-current"]), "topic\n");
    assert_eq!(
        git(&project, &["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main\nrefs/heads/other\nrefs/heads/third\nrefs/heads/topic\nrefs/tags/v1\n"
    );
    let log = project.wherefore(&["log"]);
    assert!(String::from_utf8_lossy(&log.out).contains("taken over by the person"), "{log:?}");

    let answer = line(&project, "git branch more").unwrap();
    assert!(said(&answer).contains("make more"), "{answer}");
    project.wherefore(&["review", "--git", "drop"]);
    assert!(
        String::from_utf8_lossy(&project.wherefore(&["review", "--git"]).out)
            .contains("nothing of the repository waits")
    );
    assert_eq!(line(&project, "git branch --list more").unwrap()["stdout"], "");
}

#[test]
fn a_commit_contains_only_what_was_accepted() {
    let project = of_person(&[("a.txt", "1\n")]);
    let Some(answer) = line(&project, "echo 2 >> a.txt && git commit -qam 'more'") else { return };
    assert!(said(&answer).contains("it waits until the changes of files beside it are accepted"), "{answer}");
    let early = project.wherefore(&["review", "--git", "take"]);
    assert!(early.err.contains("a.txt stands otherwise") && early.code() != Some(0), "{early:?}");
    project.wherefore(&["review", "--reject", "all"]);
    let rejected = project.wherefore(&["review", "--git", "take"]);
    assert!(rejected.err.contains("a.txt stands otherwise"), "{rejected:?}");
    assert_eq!(git(&project, &["log", "--format=%s"]), "first\n");
    project.wherefore(&["review", "--git", "drop"]);

    line(&project, "echo 3 >> a.txt && git commit -qam 'again'").unwrap();
    project.wherefore(&["review", "--accept", "all"]);
    let taken = project.wherefore(&["review", "--git", "take"]);
    assert_eq!(taken.code(), Some(0), "{taken:?}");
    assert_eq!(git(&project, &["show", "HEAD:a.txt"]), "1\n3\n");
    assert_eq!(git(&project, &["status", "--porcelain"]), "");

    // A blob that was never a file of the workspace gets under no path that a rule speaks of.
    let script = "h=$(echo evil | git hash-object -w --stdin) && git update-index --add --cacheinfo 100644,$h,.github/workflows/x.yml && git commit -qm hidden";
    let answer = played(&project, script).unwrap();
    assert!(
        said(&answer).contains("not taken over") && said(&answer).contains(".github/workflows/x.yml"),
        "{answer}"
    );
    assert_eq!(git(&project, &["log", "--format=%s", "-1"]), "again\n");
}

#[test]
fn git_goes_as_outside_in_a_workspace_a_linked_tree_and_a_submodule() {
    const SETUP: &str = "git switch -qc feature && echo f > f.txt && git add f.txt && git commit -qm feature && git switch -q main && echo m > m.txt && git add m.txt && git commit -qm main";
    let lines = [
        "echo x >> a.txt && git add -A",
        "echo x >> a.txt && git commit -qam 'one' && echo y >> a.txt && git commit -qam 'two'",
        "echo x >> a.txt && git stash -q && git stash list",
        "echo x >> a.txt && git stash -q && git stash pop -q",
        "git switch -qc topic && git tag v1 && git tag -a v2 -m two",
        "git rebase -q main feature",
        "git cherry-pick feature >/dev/null",
        "git merge -q -m join feature",
        "git merge -q --no-commit feature",
        "git reset -q --soft HEAD~1",
        "git revert --no-edit HEAD >/dev/null",
        "git rm -q a.txt && git mv m.txt n.txt && git commit -qm moved",
        "git branch -m feature renamed",
        "git gc -q && git pack-refs --all",
    ];
    for kind in ["workspace", "linked tree", "submodule"] {
        // The other two kinds differ in where the repository stands alone.
        let few = if kind == "workspace" { &lines[..] } else { &lines[1..7] };
        for one in few {
            let make = || {
                let project = of_person(&[("a.txt", "1\n")]);
                let root = project.root();
                git_in(&project, &root, &["config", "gc.auto", "0"]);
                let ran = project.command("bash").args(["-c", SETUP]).output().unwrap();
                assert!(ran.status.success(), "{ran:?}");
                match kind {
                    "workspace" => {}
                    "linked tree" => {
                        let main = project.beside("main");
                        std::fs::rename(&root, &main).unwrap();
                        git_in(&project, &main, &["switch", "-q", "--detach"]);
                        git_in(&project, &main, &["worktree", "add", "-q", root.to_str().unwrap(), "main"]);
                    }
                    _ => {
                        let (sub, above) = (project.beside("sub"), project.beside("above"));
                        std::fs::rename(&root, &sub).unwrap();
                        git_in(&project, &project.beside(""), &["init", "-q", "above"]);
                        git_in(&project, &above, &["submodule", "add", "-q", sub.to_str().unwrap(), "lib"]);
                        git_in(&project, &above.join("lib"), &["branch", "feature", "origin/feature"]);
                        std::os::unix::fs::symlink(above.join("lib"), &root).unwrap();
                    }
                }
                project
            };
            let (outside, inside) = (make(), make());
            let ran = outside.command("bash").args(["-c", *one]).output().unwrap();
            let Some(answer) = applied(&inside, one) else { return };
            assert_eq!(
                answer["exit_code"].as_i64(),
                ran.status.code().map(i64::from),
                "{kind}: {one}: {answer}"
            );
            let [there, here] = [&outside, &inside].map(|project| state(project, &project.root()));
            assert_eq!(here, there, "{kind}: {one}: {answer}");
            git(&inside, &["fsck"]);
        }
    }
}

#[test]
fn nothing_of_a_commands_makes_git_run_a_program_later() {
    let project = of_person(&[("a.txt", "1\n")]);
    let witness = project.beside("ran");
    let evil = format!("touch {}", witness.display());
    let script = format!(
        r#"mkdir -p .git/hooks .git/info .git/objects/info .git/rebase-merge other/objects
printf '#!/bin/sh\n{evil}\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; cp .git/hooks/post-commit .git/hooks/reference-transaction
git config core.fsmonitor '{evil}'; git config filter.x.clean '{evil}'; git config core.hooksPath other; git config alias.st '!{evil}'
echo '* filter=x' > .git/info/attributes; echo /tmp > .git/objects/info/alternates
printf 'exec {evil}\n' > .git/rebase-merge/git-rebase-todo; echo refs/heads/main > .git/rebase-merge/head-name
h=$(git hash-object -w a.txt); git update-ref refs/replace/$h $h 2>/dev/null; cp -r .git/refs/heads .git/refs/odd..name
git -c core.hooksPath=/dev/null -c core.fsmonitor=false commit -q --allow-empty -m empty; echo x > .git/shallow"#
    );
    let Some(answer) = played(&project, &script) else { return };
    let config = project.text(".git/config").unwrap();
    assert!(!config.contains("touch"), "{config}");
    for gone in [
        "hooks/post-commit",
        "hooks/reference-transaction",
        "info/attributes",
        "objects/info/alternates",
        "shallow",
        "rebase-merge/git-rebase-todo",
        "refs/replace",
    ] {
        assert!(!project.path(".git").join(gone).exists(), "{gone}: {answer}");
    }
    for word in ["config", "hooks", "info"] {
        let left = answer["left_out"].to_string();
        assert!(left.contains(&format!(".git/{word} stays as it was")), "{word}: {answer}");
    }
    for args in [&["status"][..], &["commit", "-q", "--allow-empty", "-m", "mine"], &["fsck"], &["add", "-A"]]
    {
        git(&project, args);
    }
    assert!(!witness.exists());

    // An object that does not hold what its name says, an index that names git's own folder, and a folder that is a symlink.
    let forged = r#"h=$(echo good | git hash-object -w --stdin); f=.git/objects/${h:0:2}/${h:2}; chmod u+w $f
e=$(echo evil | git hash-object -w --stdin); cp -f .git/objects/${e:0:2}/${e:2} $f
git update-index --add --cacheinfo 100644,$h,good.txt"#;
    let answer = played(&project, forged).unwrap();
    assert!(said(&answer).contains("not taken over"), "{answer}");
    project.wherefore(&["review", "--git", "drop"]);
    let named = r#"echo x > xgit && git add xgit && python3 - <<'EOF'
import hashlib
index = open('.git/index', 'rb').read()[:-20].replace(b'xgit\0', b'.git\0')
open('.git/index', 'wb').write(index + hashlib.sha1(index).digest())
EOF"#;
    let answer = played(&project, named).unwrap();
    assert!(said(&answer).contains("not taken over"), "{answer}");
    project.wherefore(&["review", "--git", "drop"]);
    let outside = project.beside("outside/info");
    std::fs::create_dir_all(&outside).unwrap();
    let link = format!(
        "rm -rf .git/objects && ln -s {} .git/objects; rm -rf .git/refs && ln -s /etc .git/refs",
        project.beside("outside").display()
    );
    played(&project, &link).unwrap();
    assert!(outside.exists());
    project.wherefore(&["review", "--git", "drop"]);
    git(&project, &["fsck"]);
    assert_eq!(git(&project, &["log", "--format=%s", "-1"]), "mine\n");
}

#[test]
fn the_repository_stays_whole_whenever_a_taking_over_breaks_off() {
    let project = of_person(&[("a.txt", "1\n")]);
    let script =
        "for n in 1 2 3; do git commit -q --allow-empty -m c$n; git tag t$n; done; git switch -qc topic";
    let Some(_) = line(&project, script) else { return };
    project.put(".git/index.lock", "");
    let staged = line(&project, "git branch late").unwrap();
    assert!(said(&staged).contains("make late"), "{staged}");
    std::fs::remove_file(project.path(".git/index.lock")).unwrap();
    for delay in [10, 40, 80, 160, 320, 640] {
        let mut taking = project.command(BINARY);
        taking.args(["review", "--git", "take", "--root"]).arg(project.root());
        let mut taking = taking.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = taking.kill();
        taking.wait().unwrap();
        git(&project, &["fsck", "--strict"]);
        git(&project, &["status"]);
    }
    let taken = project.wherefore(&["review", "--git", "take"]);
    assert_eq!(taken.code(), Some(0), "{taken:?}");
    assert_eq!(git(&project, &["branch", "--show-current"]), "topic\n");
    assert_eq!(git(&project, &["tag"]), "t1\nt2\nt3\n");
    assert!(!project.path(".git/index.lock").exists());
}

#[test]
fn what_the_person_did_meanwhile_is_not_undone() {
    let project = of_person(&[("a.txt", "1\n")]);
    let Some(_) = line(&project, "git commit -q --allow-empty -m agents") else { return };
    git(&project, &["commit", "-q", "--allow-empty", "-m", "persons"]);
    let taken = project.wherefore(&["review", "--git", "take"]);
    assert!(taken.err.contains("was changed meanwhile"), "{taken:?}");
    assert_eq!(git(&project, &["log", "--format=%s"]), "persons\nfirst\n");
    project.wherefore(&["review", "--git", "drop"]);
    // With the repository closed, nothing is written, and the words say so.
    project.put("../home/.config/wherefore/config.toml", "[git]\ncommit = \"deny\"\n");
    let answer = line(&project, "git commit -q --allow-empty -m none").unwrap();
    assert!(answer["left_out"].to_string().contains(".git is read-only"), "{answer}");
}
