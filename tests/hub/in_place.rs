//! Commands whose changes cannot be kept apart: they write in place, and what they changed is reviewed afterwards.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use wherefore::protocol::{Act, ChangeKind, Code, EditorNotice, Envelope, Proposal, ProposalsParams};
use wherefore::requests::Undo;
use wherefore::requests::undo::UndoParams;
use wherefore::sandbox::SandboxLevel;

use crate::commands::result;
use crate::support::{Bench, numbers};

/// A bench on a machine without namespaces.
fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::in_tier(files, SandboxLevel::Landlock);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    // Who is asked after all says no.
    bench.will_answer(Some("Deny"));
    bench
}

/// The same, in a repository with the files committed that were not written a moment ago.
fn repository(files: &[(&str, &str)]) -> Bench {
    let bench = bench(files);
    let aged = |path: &str| {
        let file = fs::File::options().write(true).open(bench.folder.path().join(path)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
    };
    files.iter().for_each(|(path, _)| aged(path));
    for args in [&["init", "-q"][..], &["add", "-f", "."], &["commit", "-q", "-m", "first"]] {
        let mut git = std::process::Command::new("git");
        git.current_dir(bench.folder.path()).args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args);
        assert!(git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success(), "{args:?}");
    }
    bench
}

/// Runs a script, which no rule reads, in the folder `sub`.
async fn run(bench: &Bench, script: &str) -> Envelope {
    let arguments = json!({ "cmd": ["bash", "-c", script], "cwd": "sub" });
    bench.call("terminal.run", arguments, None).await
}

fn applied(bench: &Bench) -> Vec<Proposal> {
    let params = ProposalsParams { applied: true, ..ProposalsParams::default() };
    bench.served().queue().store().list_proposals(&params)
}

/// The id of the only call of terminal.run.
fn command_call(bench: &Bench) -> String {
    let told = bench.editor.told.lock().unwrap();
    let mut ids = told.iter().filter_map(|notice| match notice {
        EditorNotice::Command(command) => Some(command.call_id.to_string()),
        _ => None,
    });
    ids.next_back().unwrap()
}

/// Takes every hunk of a change back that stands.
async fn take_back(bench: &Bench, proposal: &Proposal) {
    let hunks: Vec<&str> = proposal.hunks().map(|hunk| &*hunk.id).collect();
    bench.decide(&proposal.id, &hunks, Act::Reject, None).await.unwrap();
}

fn mode(bench: &Bench, path: &str) -> u32 {
    fs::metadata(bench.folder.path().join(path)).unwrap().permissions().mode() & 0o777
}

/// Every entry below a folder: its content or its target, and its mode.
fn tree(at: &Path) -> Vec<(String, Vec<u8>, u32)> {
    let (mut found, mut waiting) = (Vec::new(), vec![at.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = match meta.file_type() {
                kind if kind.is_dir() => {
                    waiting.push(path.clone());
                    Vec::new()
                }
                kind if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().to_string_lossy().into_owned().into()
                }
                _ => fs::read(&path).unwrap(),
            };
            let name = path.strip_prefix(at).unwrap().to_string_lossy().into_owned();
            found.push((name, content, meta.permissions().mode()));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn what_a_command_changes_in_place_is_reviewed_and_taken_back() {
    let bench = repository(&[
        ("sub/edit.txt", &numbers(9, &[])),
        ("sub/dirty.txt", "committed\n"),
        ("sub/gone.txt", "x\n"),
        ("sub/old.txt", "long enough\n"),
        ("sub/run.sh", "#!/bin/sh\n"),
        ("sub/dir/a", "a\n"),
        ("sub/dir/deep/b", "b\n"),
        (".gitignore", "*.log\nout/\n"),
    ]);
    let at = |path: &str| bench.folder.path().join("sub").join(path);
    bench.write("sub/dirty.txt", "not committed\n");
    bench.write("sub/untracked.bin", "a\0b");
    bench.write("sub/ignored.log", "kept\n");
    symlink("edit.txt", at("link")).unwrap();
    let before = tree(&at(""));
    let script = "sed -i 's/^2$/two/; s/^8$/eight/' edit.txt; echo more >> dirty.txt; rm gone.txt; mv old.txt new.txt; \
                  chmod +x run.sh; rm -r dir; mkdir empty; printf 'c\\0d' > untracked.bin; echo now > ignored.log; \
                  ln -sfn new.txt link; mkdir made; echo m > made/m; printf '#!/bin/sh\\n' > made/go; chmod 755 made/go";
    let answer = run(&bench, script).await;
    let call = answer.call_id.clone();
    let value = result(answer);
    assert_eq!((&value["exit_code"], &value["status"]), (&json!(0), &json!("applied")), "{value:#}");
    assert!(value.get("left_out").is_none(), "{value:#}");
    let proposal = applied(&bench).remove(0);
    let kinds: Vec<ChangeKind> = proposal.files.iter().map(|file| file.kind).collect();
    for kind in [
        ChangeKind::Delete,
        ChangeKind::Rename,
        ChangeKind::Mode,
        ChangeKind::Symlink,
        ChangeKind::Rmdir,
        ChangeKind::Mkdir,
        ChangeKind::Edit,
        ChangeKind::Binary,
        ChangeKind::Create,
    ] {
        assert!(kinds.contains(&kind), "{kind:?} is missing: {kinds:?}");
    }
    // A hunk is taken back, and its neighbour stays.
    let edited = proposal.files.iter().find(|file| file.path.as_str() == "sub/edit.txt").unwrap();
    let hunk = edited.hunks[0].id.clone();
    bench.decide(&proposal.id, &[&hunk], Act::Reject, Some("keep the digit")).await.unwrap();
    assert_eq!(bench.disk("sub/edit.txt"), numbers(9, &[(8, "eight")]));
    bench.ask::<Undo>(UndoParams { call: Some(call.to_string()), ..UndoParams::default() }).await.unwrap();
    assert_eq!(tree(&at("")), before);
    // The same, hunk by hunk.
    assert_eq!(result(run(&bench, script).await)["status"], "applied");
    let proposal = applied(&bench).into_iter().find(|other| other.id != proposal.id).unwrap();
    take_back(&bench, &proposal).await;
    assert_eq!(tree(&at("")), before);
}

#[tokio::test]
async fn what_cannot_be_kept_is_named() {
    let bench = bench(&[
        ("sub/a.txt", "one\n"),
        ("sub/large.txt", &"x".repeat(5000)),
        ("sub/big", &"y".repeat(5000)),
    ]);
    bench.hub.settings_changed(Some(json!({ "limits": { "edit_bytes": 4096 } })));
    let value = result(run(&bench, "echo two > a.txt; echo z >> large.txt; rm big; chmod 600 a.txt").await);
    let left_out = value["left_out"].to_string();
    assert!(left_out.contains("sub/large.txt: it was written, and cannot be taken back"), "{value:#}");
    assert!(left_out.contains("sub/big: it was removed, and cannot be taken back"), "{value:#}");
    assert!(left_out.contains("sub/a.txt: its permissions are 600 and were 644"), "{value:#}");
    let paths: Vec<String> =
        applied(&bench).remove(0).files.iter().map(|file| file.path.as_str().to_owned()).collect();
    assert_eq!(paths, ["sub/a.txt"]);
}

#[tokio::test]
async fn a_file_with_a_copy_in_git_is_taken_back_by_it() {
    let bench = repository(&[("sub/a.txt", "one\n"), ("sub/crlf.txt", "one\n")]);
    let blobs = |bench: &Bench| {
        let roots = bench.state.path().join("wherefore/roots");
        let root = fs::read_dir(&roots).unwrap_or_else(|_| fs::read_dir(bench.state.path()).unwrap());
        root.flatten().map(|entry| entry.path().join("before")).filter(|path| path.exists()).count()
    };
    let value = result(run(&bench, "echo two > a.txt").await);
    assert_eq!(value["status"], "applied", "{value:#}");
    assert_eq!(blobs(&bench), 0, "git has the bytes of both files");
    let proposal = applied(&bench).remove(0);
    take_back(&bench, &proposal).await;
    assert_eq!(bench.disk("sub/a.txt"), "one\n");
}

#[tokio::test]
async fn what_git_ignores_is_written_and_counted() {
    let bench = repository(&[(".gitignore", "out/\nfresh/\n"), ("sub/a.txt", "one\n")]);
    fs::create_dir(bench.folder.path().join("sub/out")).unwrap();
    let value = result(run(&bench, "echo x > out/x; mkdir fresh; echo y > fresh/y; echo z > fresh/z").await);
    assert_eq!(value["status"], "unchanged", "{value:#}");
    let written = json!([{ "path": "sub/out", "files": 1 }, { "path": "sub/fresh", "files": 2 }]);
    assert_eq!(value["written"], written, "{value:#}");
    // A pattern that the command itself writes hides nothing.
    let value = result(run(&bench, "echo hidden/ > .gitignore; mkdir hidden; echo x > hidden/x").await);
    let paths: Vec<String> =
        applied(&bench).remove(0).files.iter().map(|file| file.path.as_str().to_owned()).collect();
    assert!(paths.contains(&"sub/hidden/x".to_owned()), "{paths:?}: {value:#}");
}

#[tokio::test]
async fn the_settings_have_it_asked_about_or_refused() {
    let bench = bench(&[("sub/a.txt", "one\n")]);
    let configure = |word: &str| {
        let settings =
            json!({ "review": { "policy": "hold", "wait_s": 0 }, "sandbox": { "without_overlay": word } });
        bench.hub.settings_changed(Some(settings));
    };
    configure("ask");
    let fault = run(&bench, "echo two > a.txt").await.error.unwrap();
    assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
    bench.will_answer(Some("Allow"));
    assert_eq!(result(run(&bench, "echo two > a.txt").await)["status"], "applied");
    configure("refuse");
    let fault = run(&bench, "echo three > a.txt").await.error.unwrap();
    assert!(fault.message.contains("without_overlay"), "{fault:?}");
    assert_eq!(bench.disk("sub/a.txt"), "two\n");
    let read = json!({ "cmd": ["cat", "sub/a.txt"], "effects": "none" });
    assert_eq!(result(bench.call("terminal.run", read, None).await)["stdout"], "two\n");
    // A project's file makes it stricter, and never looser.
    for (person, project, is_run) in [("afterwards", "refuse", false), ("refuse", "afterwards", false)] {
        configure(person);
        fs::create_dir_all(bench.folder.path().join(".wherefore")).unwrap();
        let text = format!("[sandbox]\nwithout_overlay = \"{project}\"\n");
        fs::write(bench.folder.path().join(".wherefore/config.toml"), text).unwrap();
        let answer = run(&bench, "echo four > a.txt").await;
        assert_eq!(answer.error.is_none(), is_run, "{person}, {project}: {answer:?}");
    }
}

#[tokio::test]
async fn a_dangerous_command_is_asked_about_in_place_too() {
    let bench = repository(&[("sub/a.txt", "one\n")]);
    for line in ["git reset --hard HEAD~1", "git push origin main", "curl https://example.com/x"] {
        let fault = run(&bench, line).await.error.unwrap();
        assert_eq!(fault.code, Code::PermissionDenied, "{line}: {fault:?}");
    }
}

#[tokio::test]
async fn a_command_in_place_writes_nothing_that_is_closed() {
    let outside = tempfile::tempdir().unwrap();
    let bench = repository(&[
        ("sub/a.txt", "one\n"),
        (".env", "TOKEN=MARK\n"),
        ("AGENTS.md", "be kind\n"),
        ("frozen/a.txt", "frozen\n"),
        (".wherefore/config.toml", "[rules]\nread_only = [\"frozen\"]\n"),
    ]);
    fs::write(outside.path().join("theirs"), "theirs\n").unwrap();
    // A file of the workspace that has another name outside of it.
    fs::create_dir(bench.folder.path().join("linked")).unwrap();
    fs::hard_link(outside.path().join("theirs"), bench.folder.path().join("linked/here")).unwrap();
    let script = format!(
        "cd ..; cat .env; echo x > .git/hooks/pre-commit; echo x >> .git/config; echo x > .env; echo x >> AGENTS.md; \
         echo x >> frozen/a.txt; echo x > {0}/made; echo x >> {0}/theirs; echo x >> linked/here; mv .git other; \
         ln -s {0} sub/way; echo x > sub/way/made; echo x >> .wherefore/config.toml; mkdir -p sub/new/.git/hooks; \
         echo x > sub/new/AGENTS.md; echo x > sub/new/.envrc; echo SECRET=1 > sub/new/.env; echo fine > sub/new/fine; true",
        outside.path().display()
    );
    let arguments = json!({ "cmd": ["bash", "script.sh"], "cwd": "sub" });
    fs::write(bench.folder.path().join("sub/script.sh"), script).unwrap();
    let value = result(bench.call("terminal.run", arguments, None).await);
    assert!(!value.to_string().contains("MARK"), "{value:#}");
    let at = |path: &str| bench.folder.path().join(path);
    assert_eq!((bench.disk(".env"), bench.disk("AGENTS.md")), ("TOKEN=MARK\n".into(), "be kind\n".into()));
    assert_eq!(
        (bench.disk("frozen/a.txt"), bench.disk("linked/here")),
        ("frozen\n".into(), "theirs\n".into())
    );
    assert!(!at(".git/hooks/pre-commit").exists() && !at("other").exists() && at(".git").is_dir());
    assert!(
        !bench.disk(".git/config").contains('x') || !bench.disk(".git/config").ends_with("x\n"),
        "{value:#}"
    );
    assert!(!outside.path().join("made").exists(), "{value:#}");
    assert_eq!(fs::read_to_string(outside.path().join("theirs")).unwrap(), "theirs\n");
    for planted in ["sub/new/.git", "sub/new/AGENTS.md", "sub/new/.envrc", "sub/new/.env"] {
        assert!(!at(planted).exists(), "{planted}: {value:#}");
        assert!(value["left_out"].to_string().contains(planted), "{planted}: {value:#}");
    }
    assert_eq!(bench.disk("sub/new/fine"), "fine\n", "{value:#}");
}

#[tokio::test]
async fn what_is_not_possible_in_place_is_told_where_a_command_fails() {
    let bench = repository(&[("sub/a.txt", "one\n"), ("top.txt", "one\n")]);
    let value = result(run(&bench, "echo two > ../top.txt && echo x > ../new.txt").await);
    assert_ne!(value["exit_code"], 0, "{value:#}");
    let told = value["left_out"].to_string();
    assert!(
        told.contains("in the workspace's own folder no command can make, rename or remove"),
        "{value:#}"
    );
    assert_eq!((bench.disk("top.txt"), bench.disk("new.txt")), ("two\n".into(), "(none)".into()));
    let value = result(run(&bench, "git add a.txt").await);
    assert!(value["left_out"].to_string().contains(".git is read-only"), "{value:#}");
    assert!(bench.folder.path().join(".git/index").exists());
}

#[tokio::test]
async fn a_command_that_is_ended_has_its_changes_reviewed() {
    let bench = bench(&[("sub/a.txt", "one\n")]);
    let arguments =
        json!({ "cmd": ["bash", "-c", "echo two > a.txt; sleep 60"], "cwd": "sub", "timeout_ms": 1500 });
    let value = result(bench.call("terminal.run", arguments, None).await);
    assert_eq!((&value["limit"], &value["status"]), (&json!("time"), &json!("applied")), "{value:#}");
    let proposal = applied(&bench).remove(0);
    take_back(&bench, &proposal).await;
    assert_eq!(bench.disk("sub/a.txt"), "one\n");
}

#[tokio::test]
async fn a_cancelled_command_has_its_changes_reviewed() {
    let bench = bench(&[("sub/a.txt", "one\n")]);
    let arguments = json!({ "cmd": ["bash", "-c", "echo two > a.txt; sleep 60"], "cwd": "sub" });
    let call = bench.call("terminal.run", arguments, None);
    let cancel = async {
        while bench.disk("sub/a.txt") != "two\n" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let call = command_call(&bench);
        assert!(bench.served().cancel_call(&call.as_str().into()));
    };
    let (answer, ()) = tokio::join!(call, cancel);
    let fault = answer.error.unwrap();
    assert_eq!((fault.code, fault.applied), (Code::Cancelled, Some(true)), "{fault:?}");
    let proposal = applied(&bench).remove(0);
    assert_eq!(proposal.files[0].path.as_str(), "sub/a.txt");
}

#[tokio::test]
async fn a_command_whose_caller_is_gone_has_its_changes_reviewed() {
    let bench = bench(&[("sub/a.txt", "one\n"), ("sub/b.txt", "one\n")]);
    let script = "echo two > a.txt; rm b.txt; echo c > c.txt; sleep 60";
    let arguments = json!({ "cmd": ["bash", "-c", script], "cwd": "sub" });
    // The future of the whole call goes, as a server's does that is killed.
    let call = bench.call("terminal.run", arguments, None);
    let begun = async {
        while bench.disk("sub/c.txt") != "c\n" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! { _ = call => panic!("it sleeps"), () = begun => {} }
    while applied(&bench).is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let proposal = applied(&bench).remove(0);
    take_back(&bench, &proposal).await;
    assert_eq!((bench.disk("sub/a.txt"), bench.disk("sub/b.txt")), ("one\n".into(), "one\n".into()));
    assert_eq!(bench.disk("sub/c.txt"), "(none)");
}

#[tokio::test]
async fn commands_at_one_time_say_so() {
    let bench = bench(&[("sub/a.txt", "one\n"), ("sub/b.txt", "one\n")]);
    let long = "echo begun > begun; until [ -e go ]; do sleep .02; done; echo two > b.txt";
    let short = async {
        while !bench.folder.path().join("sub/begun").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        result(run(&bench, "echo two > a.txt; touch go").await)
    };
    let (first, second) = tokio::join!(run(&bench, long), short);
    let first = result(first);
    for value in [&first, &second] {
        assert!(value["left_out"].to_string().contains("wrote in place at the same time"), "{value:#}");
    }
    let mut told: Vec<String> = applied(&bench)
        .iter()
        .flat_map(|proposal| &proposal.files)
        .map(|file| file.path.as_str().to_owned())
        .collect();
    told.sort();
    assert_eq!(told, ["sub/a.txt", "sub/b.txt", "sub/begun", "sub/go"], "each once");
}

#[tokio::test]
async fn what_the_person_saves_meanwhile_is_not_the_commands() {
    let bench = bench(&[("sub/a.txt", "one\n"), ("sub/b.txt", "one\n")]);
    bench.open("sub/a.txt");
    let command = run(&bench, "touch begun; until [ -e go ]; do sleep .02; done; echo two > b.txt");
    let person = async {
        while !bench.folder.path().join("sub/begun").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        bench.type_in("sub/a.txt", "the person's\n");
        bench.save("sub/a.txt");
        bench.write("sub/go", "");
    };
    let (answer, ()) = tokio::join!(command, person);
    let value = result(answer);
    assert!(
        value["left_out"].to_string().contains("sub/a.txt: the person or another call wrote it"),
        "{value:#}"
    );
    let paths: Vec<String> = applied(&bench)
        .iter()
        .flat_map(|proposal| &proposal.files)
        .map(|file| file.path.as_str().to_owned())
        .collect();
    assert!(paths.contains(&"sub/b.txt".to_owned()) && !paths.contains(&"sub/a.txt".to_owned()), "{paths:?}");
    assert_eq!(bench.disk("sub/a.txt"), "the person's\n");
}

#[tokio::test]
async fn nothing_changed_is_told_as_nothing() {
    let bench = repository(&[("sub/a.txt", "one\n")]);
    let value: Value = result(run(&bench, "cat a.txt; touch a.txt; cp a.txt b.txt; rm b.txt").await);
    assert_eq!((&value["status"], &value["stdout"]), (&json!("unchanged"), &json!("one\n")), "{value:#}");
    assert!(value.get("left_out").is_none() && applied(&bench).is_empty(), "{value:#}");
    assert_eq!(mode(&bench, "sub/a.txt"), 0o644);
}
