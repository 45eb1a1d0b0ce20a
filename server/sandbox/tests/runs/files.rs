//! The host's files that a command can see and change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use wherefore_sandbox::{FileReplacement, SandboxError, SandboxPlan, WriteEffects};

use crate::place::{Place, launcher};

#[test]
fn a_command_writes_what_it_may_and_nothing_else() {
    let Some(place) = Place::new() else { return };
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, place.path().join("link")).unwrap();
    let script =
        format!("echo in > made; echo bad > {}; echo bad > link; touch /usr/x /etc/x /x", target.display());
    place.sh(&script);
    assert_eq!(fs::read_to_string(place.path().join("made")).unwrap(), "in\n");
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    assert!(!fs::exists("/usr/x").unwrap() && !fs::exists("/etc/x").unwrap() && !fs::exists("/x").unwrap());
}

#[test]
fn a_read_only_workspace_is_not_changed() {
    let Some(place) = Place::new() else { return };
    fs::write(place.path().join("text"), "kept").unwrap();
    let outcome =
        place.run(&SandboxPlan::new(place.path(), ["sh", "-c", "cat text; echo x > text; echo y > new"]));
    assert_eq!(outcome.output, "kept");
    assert_eq!(fs::read_to_string(place.path().join("text")).unwrap(), "kept");
    assert!(!place.path().join("new").exists());
}

#[test]
fn a_workspace_in_any_folder_for_temporary_files_is_shown() {
    let Some(_) = Place::new() else { return };
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let Ok(place) = tempfile::tempdir_in(folder) else { continue };
        let plan = SandboxPlan::new(place.path(), ["touch", "made"]).with_writable(place.path());
        match launcher().spawn(&plan) {
            Ok(running) => assert_eq!(running.wait().unwrap().exit_code, Some(0), "{folder}"),
            Err(error) => assert!(folder == "/dev/shm", "{folder}: {error}"),
        }
        assert_eq!(place.path().join("made").exists(), folder != "/dev/shm");
    }
}

#[test]
fn protected_and_masked_paths_hold() {
    let Some(place) = Place::new() else { return };
    for folder in [".git/hooks", "sub/.git", "secrets"] {
        fs::create_dir_all(place.path().join(folder)).unwrap();
    }
    fs::write(place.path().join(".envrc"), "old").unwrap();
    fs::write(place.path().join("secrets/key"), "hush").unwrap();
    fs::write(place.path().join("token"), "hush").unwrap();
    let mut plan = place.plan(["sh", "-c", "echo x > .git/hooks/h; echo x > .envrc; echo x > sub/.git/x; mv .git g; cat secrets/key token; ls secrets"]);
    plan.protected = vec![place.path().join("sub/.git")];
    plan.masked = vec![place.path().join("secrets"), place.path().join("token")];
    let outcome = place.run(&plan);
    assert_eq!(outcome.output, "");
    assert!(fs::read_dir(place.path().join(".git/hooks")).unwrap().next().is_none());
    assert!(fs::read_dir(place.path().join("sub/.git")).unwrap().next().is_none());
    assert_eq!(fs::read_to_string(place.path().join(".envrc")).unwrap(), "old");
    assert_eq!(fs::read_to_string(place.path().join("token")).unwrap(), "hush");
}

#[test]
fn what_is_emptied_or_replaced_is_read_so_and_stays_as_it_is() {
    let Some(place) = Place::new() else { return };
    fs::create_dir_all(place.path().join("ours/deep")).unwrap();
    for file in ["ours/deep/note", "ours/.gitignore", "token", "cert", "ours/cert"] {
        fs::write(place.path().join(file), "hush").unwrap();
    }
    fs::set_permissions(place.path().join("token"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(place.path().join("token"), place.path().join("twin")).unwrap();
    let walk = "ls -A ours && wc -c < token && cat token twin cert && grep -rc hush . ; find . -type f | sort && tar cf /tmp/x.tar . \
                && cp -r . /tmp/copy && echo walked";
    let writes = "for at in token cert ours/new ours; do echo x > $at; done; rm -f token cert; mv ours theirs; mv token other; \
                  chmod 777 token cert; ls ours; cat cert token";
    let shown: Arc<[u8]> = b"shown".as_slice().into();
    let bytes: Arc<[u8]> = vec![7; 3 << 20].into();
    for overlaid in [false, true] {
        let layers = tempfile::tempdir().unwrap();
        let plan = |script: &str| {
            let mut plan = place.plan(["sh", "-c", script]);
            plan.emptied = ["ours", "token", "missing"].map(|path| place.path().join(path)).into();
            let replaced = |path: &str, bytes: &Arc<[u8]>| FileReplacement {
                path: place.path().join(path),
                bytes: bytes.clone(),
            };
            plan.replaced = vec![
                replaced("cert", &shown),
                replaced("ours/cert", &shown),
                replaced("nowhere", &shown),
                replaced("large", &bytes),
            ];
            plan.limits.scratch = 1 << 20;
            if overlaid {
                let folder = layers.path().join(script.len().to_string());
                fs::create_dir(&folder).unwrap();
                plan.effects = WriteEffects::Overlay { folder, direct: Vec::new() };
            }
            plan
        };
        fs::write(place.path().join("large"), "hush").unwrap();
        let outcome = place.run(&plan(
            "cksum < large; wc -c < large; cmp large large && dd if=/dev/zero of=/tmp/x bs=1k count=900",
        ));
        assert_eq!(
            (outcome.report.exit_code, outcome.output.contains("3145728")),
            (Some(0), true),
            "{}",
            outcome.errors
        );
        fs::remove_file(place.path().join("large")).unwrap();
        let outcome = place.run(&plan(walk));
        assert!(
            outcome.output.starts_with("0\nshown") && outcome.output.ends_with("walked\n"),
            "{}",
            outcome.output
        );
        assert_eq!(outcome.errors, "");
        assert!(!outcome.output.contains("hush") && !outcome.output.contains("note"), "{}", outcome.output);
        let outcome = place.run(&plan(writes));
        assert!(outcome.output == "shown", "{}: {}", outcome.output, outcome.errors);
        for file in ["ours/deep/note", "ours/.gitignore", "token", "cert", "twin"] {
            assert_eq!(fs::read_to_string(place.path().join(file)).unwrap(), "hush");
        }
        assert!(!place.path().join("theirs").exists() && !place.path().join("other").exists());
    }
}

#[test]
fn the_home_folder_is_empty_and_what_is_put_there_is_gone_afterwards() {
    let Some(place) = Place::new() else { return };
    assert_eq!(
        place.sh("ls -A ~ /tmp | grep -v : | grep -v '^$' | head -3; touch ~/x /tmp/x").report.exit_code,
        Some(0)
    );
    assert_eq!(place.sh("ls ~/x /tmp/x").output, "");
}

#[test]
fn files_of_the_plan_stand_in_the_home_folder_and_may_be_written() {
    let Some(place) = Place::new() else { return };
    let file = |path: &str, text: &str| FileReplacement { path: path.into(), bytes: text.as_bytes().into() };
    let mut plan = place.plan([
        "sh",
        "-c",
        "cat ~/.gitconfig ~/.config/git/ignore ~/up; echo more >> ~/.gitconfig; tail -1 ~/.gitconfig",
    ]);
    plan.home_files =
        vec![file(".gitconfig", "a\n"), file(".config/git/ignore", "b\n"), file("../up", "c\n")];
    assert_eq!(place.run(&plan).output, "a\nb\nc\nmore\n");
    assert_eq!(place.sh("cat ~/.gitconfig").output, "", "each command has its own");
}

#[test]
fn a_plan_that_shows_the_whole_system_or_what_is_not_there_is_refused() {
    let Some(place) = Place::new() else { return };
    let refused = |plan: &SandboxPlan| matches!(place.try_run(plan), Err(SandboxError::Path { .. }));
    assert!(refused(&place.plan(["true"]).with_writable("/")));
    assert!(refused(&place.plan(["true"]).with_writable("/proc")));
    assert!(refused(&place.plan(["true"]).with_writable("/nowhere")));
    let mut elsewhere = place.plan(["true"]);
    elsewhere.cwd = "/nowhere".into();
    assert!(refused(&elsewhere));
}

#[test]
fn a_folder_that_stays_is_there_as_tmp_for_the_next_command() {
    let Some(place) = Place::new() else { return };
    let [work, stays, elsewhere] = [(); 3].map(|()| tempfile::tempdir_in("/var/tmp").unwrap());
    let plan = |script: &str| SandboxPlan {
        temporary: Some(stays.path().to_owned()),
        ..SandboxPlan::new(work.path(), ["sh", "-c", script]).with_writable(work.path())
    };
    let script = format!(
        "echo kept > /tmp/a; echo gone > /var/tmp/b; ln -s {} /tmp/link; cp /bin/id /tmp/id; chmod 4755 /tmp/id; mknod /tmp/null c 1 3; exit 3",
        elsewhere.path().display()
    );
    let first = place.run(&plan(&script));
    assert_eq!(first.report.exit_code, Some(3), "{}", first.errors);
    assert_eq!(first.report.lost, [std::path::Path::new("/var/tmp/b")]);
    let next = place.run(&plan("cat /tmp/a /var/tmp/b; echo out > /tmp/link/x; grep ' /tmp ' /proc/mounts"));
    assert!(next.output.starts_with("kept\n") && next.errors.contains("/var/tmp/b"), "{}", next.output);
    let options = next.output.lines().nth(1).unwrap_or_default();
    assert!(options.contains("nosuid") && options.contains("nodev"), "{options}");
    assert!(!elsewhere.path().join("x").exists() && !std::path::Path::new("/tmp/a").exists());
    let mut own = plan("ls -A /tmp");
    own.temporary = None;
    assert_eq!(place.run(&own).output, "");
    // A workspace below /tmp needs mount points in it, so that it is the sandbox's own.
    let below = SandboxPlan {
        temporary: Some(stays.path().to_owned()),
        ..place.plan(["sh", "-c", "ls -A /tmp | grep -x a; touch made"])
    };
    assert_eq!(place.run(&below).output, "");
    assert!(place.path().join("made").exists());
}
