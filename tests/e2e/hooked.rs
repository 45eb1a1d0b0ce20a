//! `wherefore init --git` with real git: hooks in addition to a person's own, notes fetched and pushed, and all of it removed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use serde_json::json;

use super::noted::{WHY, accepted_in_part, by, git, named, why};
use crate::support::agent::{place, until, wherefore};

fn init(folder: &Path, args: &[&str]) -> Output {
    wherefore(folder, &[&["init", "--git"], args].concat()).output().unwrap()
}

fn shown(output: &Output) -> String {
    let text = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8(text).unwrap()
}

/// A repository with a remote.
fn repository(folder: &Path) {
    fs::remove_dir(folder.join("work/.git")).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    named(folder);
    git(folder, &["init", "-q", "--bare", "-b", "main", "../bare"]);
    git(folder, &["remote", "add", "origin", "../bare"]);
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("work").join(name)).unwrap_or_default()
}

fn is_noted(folder: &Path, commit: &str) -> bool {
    git(folder, &["notes", "--ref=wherefore", "list"]).contains(&git(folder, &["rev-parse", commit]))
}

#[test]
fn a_change_accepted_in_part_is_told_in_another_clone() {
    let (here, there) = (place(), place());
    let (here, there) = (here.path(), there.path());
    repository(here);
    let list = shown(&init(here, &["--diff"]));
    for part in [
        ".git/hooks/post-commit",
        ".git/config",
        "+refs/notes/wherefore*:refs/notes/remotes/origin/wherefore*",
        "Nothing is written",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(!here.join("work/.git/hooks/post-commit").exists(), "nothing is written unasked");
    let done = init(here, &["--yes"]);
    assert!(done.status.success(), "{done:?}");
    let again = init(here, &["--yes"]);
    assert!(shown(&again).contains("already"), "{again:?}");

    accepted_in_part(here);
    git(here, &["commit", "-qam", "Name a line"]);
    until("the commit is noted", || is_noted(here, "HEAD"));
    git(here, &["push", "-q"]);
    fs::remove_dir_all(there.join("work")).unwrap();
    fs::create_dir(there.join("work")).unwrap();
    git(there, &["clone", "-q", here.join("bare").to_str().unwrap(), "."]);
    named(there);
    assert!(init(there, &["--yes"]).status.success());
    git(there, &["fetch", "-q"]);
    let (lines, warned) = why(there, "b.txt");
    let mut expected = ["git"; 12];
    expected[2] = "agent";
    assert_eq!(by(&lines), expected, "{warned}");
    let third = [&lines[2]["why"], &lines[2]["reason"], &lines[2]["agent"]];
    assert_eq!(third, [&json!(WHY), &json!("Readers do"), &json!("test-agent/1.0")]);

    // Notes from there come back, together with those from here.
    fs::write(there.join("work/b.txt"), format!("{}mine\n", read(there, "b.txt"))).unwrap();
    git(there, &["commit", "-qam", "Mine"]);
    let noted = wherefore(there, &["git", "note", "HEAD~1"]).output().unwrap();
    assert!(noted.status.success(), "{noted:?}");
    git(there, &["push", "-q"]);
    git(here, &["pull", "-q", "--ff-only", "origin", "main"]);
    assert_eq!(by(&why(here, "b.txt").0)[2], "agent");
}

#[test]
fn a_persons_hooks_run_as_before_and_all_is_taken_back() {
    let here = place();
    let here = here.path();
    repository(here);
    let hooks = here.join("work/.git/hooks");
    script(&hooks.join("post-commit"), "#!/bin/sh\necho committed >> ran\nexit 3\n");
    script(&hooks.join("post-rewrite"), "#!/usr/bin/env bash\ncat > told\n");
    script(&hooks.join("post-merge"), "#!/usr/bin/env python3\nprint('merged')\n");
    let before: Vec<String> = ["post-commit", "post-rewrite", "post-merge"]
        .map(|name| read(here, &format!(".git/hooks/{name}")))
        .into_iter()
        .chain([read(here, ".git/config")])
        .collect();
    let set_up = init(here, &["--yes"]);
    assert!(!set_up.status.success() && shown(&set_up).contains("post-merge is left as it is"), "{set_up:?}");
    assert!(read(here, ".git/hooks/post-commit").contains("git hook post-commit"));
    accepted_in_part(here);
    git(here, &["commit", "-qam", "Name a line"]);
    until("the commit is noted", || is_noted(here, "HEAD"));
    git(here, &["commit", "-q", "--amend", "-m", "Name the third line"]);
    assert_eq!(read(here, "ran"), "committed\n".repeat(3));
    let told = read(here, "told");
    assert!(told.trim_end().ends_with(&git(here, &["rev-parse", "HEAD"])), "{told}");

    let removed = wherefore(here, &["init", "--remove", "--yes"]).output().unwrap();
    assert!(removed.status.success(), "{removed:?}");
    let after: Vec<String> = ["post-commit", "post-rewrite", "post-merge"]
        .map(|name| read(here, &format!(".git/hooks/{name}")))
        .into_iter()
        .chain([read(here, ".git/config")])
        .collect();
    assert_eq!(after, before);
    let none = init(here, &["--remove", "--yes"]);
    assert!(shown(&none).contains("nothing to remove"), "{none:?}");
}

#[test]
fn hooks_stand_where_git_looks_for_them() {
    let here = place();
    let here = here.path();
    repository(here);
    // A team's folder, and a runner that names another one to git.
    for (set, file) in [(".githooks", ".githooks/post-commit"), (".husky/_", ".husky/post-commit")] {
        git(here, &["config", "core.hooksPath", set]);
        fs::create_dir_all(here.join("work").join(set)).unwrap();
        let done = init(here, &["--yes"]);
        assert!(
            done.status.success() && shown(&done).contains("everyone who has the repository"),
            "{done:?}"
        );
        let text = read(here, file);
        assert!(text.contains("  (wherefore git hook post-commit"), "no path of this machine: {text}");
        assert!(init(here, &["--remove", "--yes"]).status.success());
        assert_eq!(read(here, file), "");
    }
    // A folder for all repositories of the person.
    git(here, &["config", "core.hooksPath", here.join("home/hooks").to_str().unwrap()]);
    let done = init(here, &["--yes"]);
    assert!(!done.status.success() && shown(&done).contains("other repositories"), "{done:?}");
    assert!(!here.join("home/hooks").exists());
    git(here, &["config", "--unset", "core.hooksPath"]);
    // A hook that git does not run.
    fs::create_dir_all(here.join("work/.git/hooks")).unwrap();
    fs::write(here.join("work/.git/hooks/post-commit"), "#!/bin/sh\nfalse\n").unwrap();
    let done = init(here, &["--yes"]);
    assert!(!done.status.success() && shown(&done).contains("not executable"), "{done:?}");
    assert_eq!(read(here, ".git/hooks/post-commit"), "#!/bin/sh\nfalse\n");

    fs::create_dir(here.join("work/below")).unwrap();
    for (folder, words) in
        [("work/below", "not the top folder"), ("bare", "no git repository"), ("home", "no git repository")]
    {
        let args = ["init", "--git", "--yes", "--root"];
        let done = wherefore(here, &args).arg(here.join(folder)).output().unwrap();
        assert!(!done.status.success() && shown(&done).contains(words), "{folder}: {done:?}");
    }
}

#[test]
fn a_commit_waits_for_no_program_that_is_missing_or_hangs() {
    let here = place();
    let here = here.path();
    repository(here);
    assert!(init(here, &["--yes"]).status.success());
    let hook = here.join("work/.git/hooks/post-commit");
    let text = fs::read_to_string(&hook).unwrap();
    let program = text.split('\'').nth(1).unwrap().to_owned();
    let hangs = here.join("hangs");
    script(&hangs, &format!("#!/bin/sh\necho $$ > {0}/pid\nsleep 20\necho > {0}/done\n", here.display()));
    fs::write(&hook, text.replace(&program, hangs.to_str().unwrap())).unwrap();
    fs::write(here.join("work/b.txt"), "one\n").unwrap();
    git(here, &["add", "b.txt"]);
    git(here, &["commit", "-qm", "Begin"]);
    until("the program is started", || fs::read_to_string(here.join("pid")).is_ok_and(|pid| !pid.is_empty()));
    assert!(!here.join("done").exists(), "the commit waited for it");
    let pid = fs::read_to_string(here.join("pid")).unwrap();
    assert!(std::process::Command::new("kill").arg(pid.trim()).status().unwrap().success());
    fs::write(&hook, text.replace(&program, "/missing/wherefore")).unwrap();
    fs::write(here.join("work/b.txt"), "two\n").unwrap();
    git(here, &["commit", "-qam", "Two"]);
}

#[test]
fn odd_repositories_are_noted_or_left_alone() {
    let here = place();
    let here = here.path();
    repository(here);
    assert!(init(here, &["--yes"]).status.success());
    accepted_in_part(here);
    // On no branch, and with a file that is committed in part.
    git(here, &["checkout", "-q", "--detach"]);
    fs::write(here.join("work/c.txt"), "one\n").unwrap();
    git(here, &["add", "b.txt"]);
    git(here, &["commit", "-qm", "Name a line"]);
    until("the commit is noted", || is_noted(here, "HEAD"));
    // A commit of nothing, and one of which nothing is known.
    git(here, &["commit", "-q", "--allow-empty", "-m", "Nothing"]);
    git(here, &["add", "c.txt"]);
    git(here, &["commit", "-qm", "One"]);
    // A linked working tree, and a submodule: their hooks are those of the repository, or none.
    git(here, &["worktree", "add", "-q", "-b", "side", "../side", "HEAD~1"]);
    fs::write(here.join("side/d.txt"), "one\n").unwrap();
    git(here, &["-C", "../side", "add", "d.txt"]);
    git(here, &["-C", "../side", "commit", "-qm", "Side"]);
    git(here, &["push", "-q", "origin", "HEAD:refs/heads/main"]);
    git(here, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../bare", "sub"]);
    git(here, &["commit", "-qm", "Sub"]);
    // Hooks of git's commands on another repository than the one they stand in.
    git(here, &["--git-dir=../bare", "log", "--all"]);
    let noted =
        wherefore(here, &["git", "hook", "post-commit", "HEAD"]).env("GIT_DIR", "../bare").output().unwrap();
    assert!(noted.status.success(), "{noted:?}");
    for odd in ["", "--output=x", "nothing"] {
        let hook = wherefore(here, &["git", "hook", "post-commit", "--", odd]).output().unwrap();
        assert!(hook.status.success() && hook.stdout.is_empty() && hook.stderr.is_empty(), "{hook:?}");
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let noted = git(here, &["notes", "--ref=wherefore", "list"]);
    assert_eq!(noted.lines().count(), 1, "{noted}");
    // The place where the history was cut off.
    let there = place();
    let there = there.path();
    fs::remove_dir_all(there.join("work")).unwrap();
    fs::create_dir(there.join("work")).unwrap();
    let from = format!("file://{}", here.join("work").display());
    git(there, &["clone", "-q", "--depth=1", "--no-single-branch", &from, "."]);
    git(there, &["fetch", "-q", "--depth=1", "origin", "+refs/notes/wherefore:refs/notes/wherefore"]);
    assert!(by(&why(there, "b.txt").0).iter().all(|by| *by == "git"));
}

#[test]
fn by_setting_a_note_is_written_in_other_forms_too() {
    let here = place();
    let here = here.path();
    repository(here);
    accepted_in_part(here);
    let text = read(here, "b.txt");
    fs::write(here.join("work/b.txt"), format!("{text}mine\n")).unwrap();
    git(here, &["commit", "-qam", "Name a line"]);
    fs::create_dir_all(here.join("home/.config/wherefore")).unwrap();
    fs::write(
        here.join("home/.config/wherefore/config.toml"),
        "[notes]\ngit_ai = true\nagent_trace = true\n",
    )
    .unwrap();
    let note = |commit: &str| {
        let noted = wherefore(here, &["git", "note", commit]).output().unwrap();
        assert!(noted.status.success(), "{noted:?}");
    };
    note("HEAD");
    let log = git(here, &["notes", "--ref=ai", "show", "HEAD"]);
    let (lines, metadata) = log.split_once("\n---\n").unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert!(lines[0] == "b.txt" && lines.len() == 3, "{log}");
    assert!(
        lines.iter().any(|line| line.starts_with("  s_") && line.contains("::t_") && line.ends_with(" 3")),
        "{log}"
    );
    assert!(lines.iter().any(|line| line.starts_with("  h_") && line.ends_with(" 13")), "{log}");
    let metadata: serde_json::Value = serde_json::from_str(metadata).unwrap();
    assert_eq!(metadata["schema_version"], "authorship/3.0.0");
    assert_eq!(metadata["base_commit_sha"], git(here, &["rev-parse", "HEAD"]));
    let trace: serde_json::Value =
        serde_json::from_str(&git(here, &["notes", "--ref=agent-trace", "show", "HEAD"])).unwrap();
    assert_eq!(trace["vcs"]["revision"], git(here, &["rev-parse", "HEAD"]));
    assert_eq!(trace["files"][0]["conversations"].as_array().unwrap().len(), 2, "{trace}");
    assert!(!log.contains(WHY) && !trace.to_string().contains(WHY), "no reasons go along");
    // Another program's log stays.
    git(here, &["notes", "--ref=ai", "add", "-f", "-m", "another's", "HEAD"]);
    note("HEAD");
    assert_eq!(git(here, &["notes", "--ref=ai", "show", "HEAD"]), "another's");
}
