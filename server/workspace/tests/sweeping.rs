//! Kept state is removed by age and size, and needed state stays.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::{Lab, path};
use crate::protocol::{ChangeKind, StorageSettings};
use crate::workspace::sweep::SweepReport;
use crate::workspace::{Checkpoint, CheckpointStep, Checkpoints, StateSweep};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A change of one file, so many days ago, that replaced bytes of its own.
fn change(lab: &Lab, call: &str, days: u32, bytes: usize) -> String {
    let state = lab.files.state();
    let blob = state.put_object(format!("{call} {}", "x".repeat(bytes)).as_bytes()).unwrap();
    let time = (SystemTime::now() - DAY * days).duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let step =
        CheckpointStep { before: Some(blob.clone()), ..CheckpointStep::new(&path("a"), ChangeKind::Edit) };
    let checkpoint = Checkpoint {
        time: i64::try_from(time.as_nanos()).unwrap(),
        call: call.into(),
        session: "s".to_owned(),
        undoes: None,
        undone: false,
        steps: vec![step],
    };
    Checkpoints::new(state).save_checkpoint(&checkpoint).unwrap();
    age(lab, &blob, days);
    blob
}

fn age(lab: &Lab, blob: &str, days: u32) {
    let file = std::fs::File::options().write(true).open(lab.kept().join("objects").join(blob)).unwrap();
    file.set_modified(SystemTime::now() - DAY * days).unwrap();
}

fn sweep(lab: &Lab, settings: &StorageSettings, needed: &[&str]) -> Option<SweepReport> {
    let needed: BTreeSet<_> = needed.iter().map(|call| ("s".to_owned(), (*call).into())).collect();
    let now = SystemTime::now();
    StateSweep { store: &lab.store, settings, needed: &needed, contents: &BTreeSet::new(), keep: &|| {}, now }
        .run_sweep(&|| true)
        .unwrap()
}

fn calls(lab: &Lab) -> Vec<String> {
    lab.files.state().list_folder("checkpoints/s").unwrap()
}

#[test]
fn what_is_old_goes_and_what_is_recent_or_needed_stays() {
    let lab = Lab::new();
    assert_eq!(sweep(&lab, &StorageSettings::default(), &[]), None, "nothing was ever kept");
    let gone = change(&lab, "c-1", 40, 10);
    let needed = change(&lab, "c-2", 40, 10);
    let recent = change(&lab, "c-3", 2, 10);
    let shared = change(&lab, "c-4", 40, 10);
    let young = lab.files.state().put_object(b"kept just now, and not said what for").unwrap();
    let loose = lab.files.state().put_object(b"of no use any more").unwrap();
    age(&lab, &loose, 1);
    // Content that two checkpoints need stays as long as one of the two does.
    let mut again = Checkpoints::new(lab.files.state()).find_checkpoint("s/c-3").unwrap();
    again.steps[0].after = Some(shared.clone());
    Checkpoints::new(lab.files.state()).save_checkpoint(&again).unwrap();
    let swept = sweep(&lab, &StorageSettings::default(), &["c-2"]).unwrap();
    assert_eq!((swept.changes, swept.contents), (2, 2), "{swept:?}");
    assert_eq!(calls(&lab), ["c-2.json", "c-3.json"]);
    let there = |blob: &str| lab.files.state().get_object(blob).unwrap().is_some();
    let stays = [&gone, &needed, &recent, &shared, &young, &loose].map(|blob| there(blob));
    assert_eq!(stays, [false, true, true, true, true, false]);
    assert_eq!(sweep(&lab, &StorageSettings::default(), &[]), None, "once a day");
    let report = std::fs::read_to_string(lab.kept().join("swept")).unwrap();
    assert!(report.contains("2 changes that could be undone, 2 contents, 0 session logs"), "{report}");
}

#[test]
fn what_is_too_much_goes_from_the_oldest_on() {
    let lab = Lab::new();
    for (call, days) in [("c-1", 9), ("c-2", 8), ("c-3", 7), ("c-4", 0)] {
        change(&lab, call, days, 700 << 10);
    }
    let settings = StorageSettings { undo_mb: 2, ..StorageSettings::default() };
    assert_eq!(sweep(&lab, &settings, &[]).unwrap().changes, 2);
    assert_eq!(calls(&lab), ["c-3.json", "c-4.json"]);
}

#[test]
fn nothing_goes_where_the_settings_say_for_ever() {
    let lab = Lab::new();
    change(&lab, "c-1", 4000, 2 << 20);
    let settings = StorageSettings { undo_days: 0, undo_mb: 0, log_days: 0, log_mb: 0 };
    assert_eq!(sweep(&lab, &settings, &[]), Some(SweepReport::default()));
}

#[test]
fn the_state_of_a_workspace_that_is_gone_goes() {
    let lab = Lab::new();
    lab.files.state().write_file("x", b"").unwrap();
    let other = lab.outside.join("gone");
    std::fs::create_dir(&other).unwrap();
    let root = std::sync::Arc::new(crate::workspace::WorkspaceRoot::open(&other).unwrap());
    let kept =
        crate::workspace::WorkspaceState::new(root, lab.files.state().folder().base_folder().map(Into::into));
    kept.write_file("proposals/p-1.json", b"{}").unwrap();
    std::fs::remove_dir(&other).unwrap();
    let folder = kept.folder().state_path().unwrap();
    let settings = StorageSettings { undo_days: 1, ..StorageSettings::default() };
    assert_eq!(sweep(&lab, &settings, &[]).unwrap().gone, Vec::<String>::new(), "it may come back");
    assert!(folder.exists());
    std::fs::remove_file(lab.kept().join("swept")).unwrap();
    for name in ["proposals", "tmp", "root"] {
        let old = SystemTime::now() - DAY * 2;
        std::fs::File::open(folder.join(name)).unwrap().set_modified(old).unwrap();
    }
    assert_eq!(sweep(&lab, &settings, &[]).unwrap().gone.len(), 1);
    assert!(!folder.exists() && lab.kept().exists());
}

#[test]
fn logs_that_nobody_writes_go_and_folders_that_are_none_stay() {
    let lab = Lab::new();
    lab.files.state().write_file("x", b"").unwrap();
    let old = SystemTime::now() - DAY * 400;
    let log = |session: &str, name: &str| {
        let path = lab.put(&format!(".wherefore/sessions/{session}/{name}"), "text");
        std::fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    };
    for session in ["gone", "open", "notes", "linked"] {
        log(session, "session-log.md");
    }
    log("gone", "session-log.1.md");
    lab.put(".wherefore/sessions/gone/results/1", "value");
    log("notes", "mine.txt");
    lab.link(".wherefore/sessions/linked/results", "../../../../outside");
    lab.put(".wherefore/sessions/new/session-log.md", "text");
    let held = std::fs::File::open(lab.at.join(".wherefore/sessions/open")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let swept = sweep(&lab, &StorageSettings::default(), &[]).unwrap();
    assert_eq!(swept.logs, ["gone"]);
    assert_eq!(lab.store.list_dir("sessions").unwrap(), ["linked", "new", "notes", "open"]);
    assert_eq!(std::fs::read(lab.outside.join("secret")).unwrap(), b"secret");
}
