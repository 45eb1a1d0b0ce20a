//! What of the host's files a command sees and changes.

use std::fs;

use wherefore_sandbox::{Plan, SandboxError};

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
    let outcome = place.run(&Plan::new(place.path(), ["sh", "-c", "cat text; echo x > text; echo y > new"]));
    assert_eq!(outcome.output, "kept");
    assert_eq!(fs::read_to_string(place.path().join("text")).unwrap(), "kept");
    assert!(!place.path().join("new").exists());
}

#[test]
fn a_workspace_in_any_folder_for_temporary_files_is_shown() {
    let Some(_) = Place::new() else { return };
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let Ok(place) = tempfile::tempdir_in(folder) else { continue };
        let plan = Plan::new(place.path(), ["touch", "made"]).writing(place.path());
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
fn the_home_folder_is_empty_and_what_is_put_there_is_gone_afterwards() {
    let Some(place) = Place::new() else { return };
    assert_eq!(
        place.sh("ls -A ~ /tmp | grep -v : | grep -v '^$' | head -3; touch ~/x /tmp/x").report.exit_code,
        Some(0)
    );
    assert_eq!(place.sh("ls ~/x /tmp/x").output, "");
}

#[test]
fn a_plan_that_shows_the_whole_system_or_what_is_not_there_is_refused() {
    let Some(place) = Place::new() else { return };
    let refused = |plan: &Plan| matches!(place.try_run(plan), Err(SandboxError::Path { .. }));
    assert!(refused(&place.plan(["true"]).writing("/")));
    assert!(refused(&place.plan(["true"]).writing("/proc")));
    assert!(refused(&place.plan(["true"]).writing("/nowhere")));
    let mut elsewhere = place.plan(["true"]);
    elsewhere.cwd = "/nowhere".into();
    assert!(refused(&elsewhere));
}
