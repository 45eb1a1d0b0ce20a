//! Planted entries, and the sockets of the host.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use wherefore_sandbox::PlantedKind;

use crate::place::{Place, launcher};

#[test]
fn what_a_command_plants_is_moved_away_and_told() {
    let Some(place) = Place::new() else { return };
    let quarantine = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("kept/.git")).unwrap();
    let mut plan = place.plan([
        "sh",
        "-c",
        "mkdir -p .git/hooks new/.vscode; echo x > .envrc; mkfifo pipe; touch plain",
    ]);
    plan.quarantine = Some(quarantine.path().to_owned());
    let report = place.run(&plan).report;
    let told: Vec<(&Path, PlantedKind)> =
        report.planted.iter().map(|one| (one.path.strip_prefix(place.path()).unwrap(), one.kind)).collect();
    let expected = [
        (".envrc", PlantedKind::Protected),
        (".git", PlantedKind::Protected),
        ("new/.vscode", PlantedKind::Protected),
        ("pipe", PlantedKind::Fifo),
    ];
    assert_eq!(told, expected.map(|(path, kind)| (Path::new(path), kind)));
    for one in &report.planted {
        assert!(fs::symlink_metadata(&one.path).is_err(), "{one:?}");
        assert!(one.quarantined.as_ref().unwrap().starts_with(quarantine.path()));
    }
    assert!(place.path().join("plain").exists() && place.path().join("kept/.git").exists());
}

#[test]
fn what_is_planted_in_folders_that_earlier_runs_saw_is_found() {
    let Some(place) = Place::new() else { return };
    let quarantine = tempfile::tempdir().unwrap();
    for number in 0..40 {
        fs::create_dir_all(place.path().join(format!("d/{number}/deep"))).unwrap();
    }
    // Recent changes are not remembered.
    thread::sleep(Duration::from_secs(4));
    let launcher = launcher();
    let planted = |script: &str| -> Vec<PathBuf> {
        let mut plan = place.plan(["sh", "-c", script]);
        plan.quarantine = Some(quarantine.path().join(script.len().to_string()));
        let report = Place::run_by(&launcher, &plan).unwrap().report;
        let told = report.planted.iter().map(|one| one.path.strip_prefix(place.path()).unwrap().to_owned());
        told.collect()
    };
    assert_eq!(planted("true"), [""; 0].map(PathBuf::from));
    // The host makes a repository between two runs, and swaps two folders.
    fs::create_dir(place.path().join("d/5/deep/.git")).unwrap();
    for (from, to) in [("1", "x"), ("2", "1"), ("x", "2")] {
        fs::rename(place.path().join("d").join(from), place.path().join("d").join(to)).unwrap();
    }
    let told = planted(
        "echo bad > d/5/deep/.git/config; echo x > d/7/deep/.envrc; mkdir d/2/deep/.idea; mv d/9 d/11/new; mkdir d/11/new/deep/.vscode",
    );
    assert_eq!(told, ["d/11/new/deep/.vscode", "d/2/deep/.idea", "d/7/deep/.envrc"].map(PathBuf::from));
    assert!(!place.path().join("d/5/deep/.git/config").exists());
    assert_eq!(planted("mkfifo d/7/deep/pipe; rm -r d/30"), ["d/7/deep/pipe"].map(PathBuf::from));
    assert_eq!(planted("mkdir -p d/30/deep/.git"), ["d/30/deep/.git"].map(PathBuf::from));
}

#[test]
fn what_stood_there_before_stays() {
    let Some(place) = Place::new() else { return };
    let quarantine = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("a/b/.git")).unwrap();
    fs::write(place.path().join(".envrc"), "old").unwrap();
    let mut plan = place.plan([
        "sh",
        "-c",
        "echo bad > a/b/.git/config; mv a/b c; echo bad > c/.git/config; echo x > .envrc",
    ]);
    plan.quarantine = Some(quarantine.path().to_owned());
    let report = place.run(&plan).report;
    let told: Vec<PlantedKind> = report.planted.iter().map(|one| one.kind).collect();
    assert_eq!(told, [PlantedKind::Moved]);
    assert_eq!(fs::read_to_string(place.path().join(".envrc")).unwrap(), "old");
    assert!(!place.path().join("c/.git/config").exists());
}

#[test]
fn sockets_of_the_host_in_the_workspace_are_covered() {
    let Some(place) = Place::new() else { return };
    fs::create_dir_all(place.path().join(".git")).unwrap();
    for name in ["door", ".git/fsmonitor--daemon.ipc"] {
        let listener = UnixListener::bind(place.path().join(name)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let script =
            format!("import socket\nsocket.socket(socket.AF_UNIX).connect('{name}')\nprint('reached')");
        let outcome = place.run(&place.plan(["/usr/bin/python3", "-c", &script]));
        assert_eq!(outcome.output, "");
        assert!(listener.accept().is_err());
    }
}

#[test]
fn a_repository_without_a_protected_name_is_found() {
    let Some(place) = Place::new() else { return };
    let quarantine = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("kept/objects")).unwrap();
    fs::create_dir_all(place.path().join("kept/refs")).unwrap();
    fs::write(place.path().join("kept/HEAD"), "ref: refs/heads/main").unwrap();
    fs::write(place.path().join("kept/config"), "old").unwrap();
    let script = "mkdir -p new/objects new/refs; echo ref: refs/heads/main > new/HEAD; echo bad > kept/config; touch HEAD";
    let mut plan = place.plan(["sh", "-c", script]);
    plan.quarantine = Some(quarantine.path().to_owned());
    let report = place.run(&plan).report;
    let told: Vec<_> =
        report.planted.iter().map(|one| one.path.strip_prefix(place.path()).unwrap()).collect();
    assert_eq!(told, [Path::new("new/HEAD")]);
    assert_eq!(fs::read_to_string(place.path().join("kept/config")).unwrap(), "old");
    assert!(!place.path().join("new/HEAD").exists() && place.path().join("HEAD").exists());
}

#[test]
fn sockets_of_the_host_in_a_folder_that_is_only_read_are_covered() {
    let Some(place) = Place::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join("door")).unwrap();
    listener.set_nonblocking(true).unwrap();
    let script = format!(
        "import socket\nsocket.socket(socket.AF_UNIX).connect('{}/door')\nprint('reached')",
        folder.path().display()
    );
    let mut plan = place.plan(["/usr/bin/python3", "-c", &script]);
    plan.read_only.push(folder.path().to_owned());
    assert_eq!(place.run(&plan).output, "");
    assert!(listener.accept().is_err());
}
