//! Effects that go into an overlay, and how its upper layer is read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use wherefore_sandbox::{OverlayChange, OverlayChangeKind, RunReport, WriteEffects};

use crate::place::Place;

fn overlaid(place: &Place, layers: &Path, script: &str) -> RunReport {
    let mut plan = place.plan(["sh", "-c", script]);
    plan.effects = WriteEffects::Overlay { folder: layers.to_owned(), direct: Vec::new() };
    let outcome = place.run(&plan);
    assert_eq!(outcome.report.exit_code, Some(0), "{}", outcome.errors);
    outcome.report
}

fn changes(report: &RunReport) -> BTreeMap<PathBuf, OverlayChangeKind> {
    let changes = report.overlays[0].changes().unwrap();
    changes.into_iter().map(|OverlayChange { path, kind }| (path, kind)).collect()
}

fn text(report: &RunReport, path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    report.overlays[0].open_file(Path::new(path)).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Returns every file below `folder`, with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap_or_default());
        }
    }
    found
}

#[test]
fn the_folder_stays_as_it_is_and_the_layer_holds_every_change() {
    let Some(place) = Place::new() else { return };
    let layers = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for folder in ["gone/deep", "replaced", "moved"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for (name, text) in [
        ("edited", "old\n"),
        ("same", "same"),
        ("gone/deep/a", "a"),
        ("replaced/x", "x"),
        ("moved/big", "content"),
        ("mode", "m"),
    ] {
        fs::write(at(name), text).unwrap();
    }
    let before = files(place.path());
    let script = "echo new > edited; printf same > same; rm -r gone; rm -r replaced; mkdir replaced; echo y > replaced/y; \
                  mv moved/big moved/renamed; chmod 755 mode; ln -s edited link; printf '\\000\\377' > bytes; mkdir -p fresh/sub; \
                  mkfifo pipe";
    let report = overlaid(&place, layers.path(), script);
    assert_eq!(files(place.path()), before);
    let changes = changes(&report);
    let kind = |name: &str| changes.get(Path::new(name));
    assert!(matches!(kind("edited"), Some(OverlayChangeKind::File { existed: true, .. })));
    assert_eq!(kind("same"), None);
    assert_eq!(kind("gone"), Some(&OverlayChangeKind::Removed));
    assert_eq!(kind("replaced/x"), Some(&OverlayChangeKind::Removed));
    assert!(matches!(kind("replaced/y"), Some(OverlayChangeKind::File { existed: false, .. })));
    assert_eq!(kind("moved/big"), Some(&OverlayChangeKind::Removed));
    let Some(OverlayChangeKind::File { renamed_from, .. }) = kind("moved/renamed") else {
        panic!("{changes:?}")
    };
    assert_eq!(renamed_from.as_deref(), Some(Path::new("moved/big")));
    assert!(matches!(kind("mode"), Some(OverlayChangeKind::File { mode: 0o755, existed: true, .. })));
    assert_eq!(kind("link"), Some(&OverlayChangeKind::Symlink { target: "edited".into() }));
    assert!(matches!(kind("bytes"), Some(OverlayChangeKind::File { size: 2, linked: None, .. })));
    assert_eq!(text(&report, "bytes"), [0, 255]);
    assert!(matches!(kind("fresh/sub"), Some(OverlayChangeKind::Folder { .. })));
    assert_eq!(kind("pipe"), Some(&OverlayChangeKind::Special));
    assert_eq!(fs::metadata(at("mode")).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_protected_folder_is_not_written_on_an_overlay_either() {
    let Some(place) = Place::new() else { return };
    let layers = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join(".git")).unwrap();
    let report = overlaid(&place, layers.path(), "echo x > .git/config; mkdir .vscode; true");
    assert_eq!(changes(&report).into_keys().collect::<Vec<_>>(), [PathBuf::from(".vscode")]);
}

#[test]
fn what_a_command_closes_to_its_owner_is_read() {
    let Some(place) = Place::new() else { return };
    let layers = tempfile::tempdir().unwrap();
    fs::write(place.path().join("old"), "old").unwrap();
    let script =
        "mkdir -p deep/er; echo x > deep/er/x; chmod 0 deep/er/x deep/er deep; echo new > old; chmod 0 old";
    let report = overlaid(&place, layers.path(), script);
    let changes = changes(&report);
    let kind = |name: &str| changes.get(Path::new(name));
    assert_eq!(kind("deep/er"), Some(&OverlayChangeKind::Folder { mode: 0 }));
    assert!(matches!(kind("old"), Some(OverlayChangeKind::File { mode: 0, existed: true, .. })));
    assert!(matches!(kind("deep/er/x"), Some(OverlayChangeKind::File { mode: 0, .. })), "{changes:?}");
    assert_eq!(text(&report, "deep/er/x"), b"x\n");
}

#[test]
fn what_is_planted_in_a_folder_without_a_layer_is_moved_away() {
    let Some(place) = Place::new() else { return };
    let [layers, quarantine] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let ignored = place.path().join("target");
    fs::create_dir(&ignored).unwrap();
    let mut plan = place.plan([
        "sh",
        "-c",
        "mkdir -p target/x/.git; echo x > target/x/.git/config; echo y > target/out",
    ]);
    plan.writable.push(ignored.clone());
    plan.quarantine = Some(quarantine.path().to_owned());
    plan.effects = WriteEffects::Overlay { folder: layers.path().to_owned(), direct: vec![ignored.clone()] };
    let report = place.run(&plan).report;
    assert_eq!(report.planted.len(), 1, "{report:?}");
    assert!(!ignored.join("x/.git").exists() && ignored.join("out").exists());
}
