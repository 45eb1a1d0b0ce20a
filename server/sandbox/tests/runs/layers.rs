//! Layers of any form, read back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wherefore_base::tree::remove_tree;
use wherefore_sandbox::{OverlayChange, OverlayChangeKind, OverlayLayers, UnreadReason, WriteEffects};

use crate::place::{Place, report_skip};

const SCRIPT: &str = include_str!("layers.py");

/// Trees that are tried.
const SEEDS: u64 = 24;

/// The contents of a tree, by path.
type Tree = BTreeMap<Vec<u8>, String>;

/// Layers that are removed at the end, with any contents.
struct Layers(tempfile::TempDir);

impl Layers {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("layers")).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("layers")
    }
}

impl Drop for Layers {
    fn drop(&mut self) {
        remove_tree(fs::File::open(self.0.path()).unwrap(), c"layers").unwrap();
    }
}

fn python(
    place: &Place,
    script: &str,
    arguments: &[&str],
    layers: Option<&Layers>,
) -> (Vec<OverlayLayers>, String) {
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.argv.extend(arguments.iter().map(Into::into));
    plan.limits.wall = Some(Duration::from_secs(120));
    if let Some(layers) = layers {
        plan.effects = WriteEffects::Overlay { folder: layers.path(), direct: Vec::new() };
    }
    let outcome = place.run(&plan);
    assert_eq!(outcome.report.exit_code, Some(0), "{:?} {}", outcome.report.limit, outcome.errors);
    (outcome.report.overlays, outcome.output)
}

fn place() -> Option<Place> {
    if !Path::new("/usr/bin/python3").exists() {
        report_skip("no /usr/bin/python3");
        return None;
    }
    Place::new()
}

fn tree(text: &str) -> Tree {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let entry = |line: &str| {
        let (path, what) = line.split_once(' ').unwrap();
        (path.as_bytes().chunks(2).map(byte).collect(), what.trim_end().to_owned())
    };
    text.lines().filter(|line| !line.is_empty()).map(entry).collect()
}

/// Makes the changes of a layer to what the folder below it holds.
fn apply(overlay: &OverlayLayers, lower: &mut Tree) {
    let hex = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    };
    for OverlayChange { path, kind } in overlay.changes().unwrap() {
        let own = path.as_os_str().as_bytes().to_vec();
        let below = [own.as_slice(), b"/"].concat();
        if !matches!(kind, OverlayChangeKind::FolderMode { .. } | OverlayChangeKind::Dated) {
            lower.retain(|other, _| *other != own && !other.starts_with(&below));
        }
        match kind {
            OverlayChangeKind::Removed | OverlayChangeKind::Special | OverlayChangeKind::Dated => {}
            OverlayChangeKind::Folder { mode } | OverlayChangeKind::FolderMode { mode } => {
                lower.insert(own, format!("folder {mode:o}"));
            }
            OverlayChangeKind::Symlink { target } => {
                lower.insert(own, format!("link {}", hex(target.as_os_str().as_bytes())));
            }
            OverlayChangeKind::File { mode, size, .. } => {
                let mut bytes = Vec::new();
                overlay.open_file(&path).unwrap().take(20).read_to_end(&mut bytes).unwrap();
                lower.insert(own, format!("file {mode:o} {size} {}", hex(&bytes)).trim_end().to_owned());
            }
            OverlayChangeKind::Unread(why) => panic!("{path:?}: {why:?}"),
        }
    }
}

#[test]
fn a_layer_of_any_form_comes_to_what_the_command_saw() {
    for seed in 0..SEEDS {
        let (Some(place), layers) = (place(), Layers::new()) else { return };
        let (_, lower) = python(&place, SCRIPT, &[&format!("1{seed}"), "lower"], None);
        let mut lower = tree(&lower);
        let (overlays, seen) = python(&place, SCRIPT, &[&format!("2{seed}")], Some(&layers));
        apply(&overlays[0], &mut lower);
        assert_eq!(lower, tree(&seen), "seed {seed}");
    }
}

#[test]
fn folders_of_any_depth_are_read_as_far_as_a_path_reaches() {
    let (Some(place), layers) = (place(), Layers::new()) else { return };
    let script = "import os\nopen('beside', 'w').close()\nfor _ in range(5000):\n os.mkdir('d'); os.chdir('d'); open('f', 'w').close()";
    let (overlays, _) = python(&place, script, &[], Some(&layers));
    let changes = overlays[0].changes().unwrap();
    let unread: Vec<_> =
        changes.iter().filter(|change| matches!(change.kind, OverlayChangeKind::Unread(_))).collect();
    let [OverlayChange { path, kind: OverlayChangeKind::Unread(UnreadReason::Deep) }] = unread[..] else {
        panic!("{unread:?}")
    };
    assert!((3_500..4_096).contains(&path.as_os_str().len()));
    let depth = path.components().count();
    assert_eq!(changes.len(), 1 + 2 * (depth - 1) + 1);
    assert_eq!(changes[0].path, Path::new("beside"));
}

#[test]
fn wide_folders_links_and_holes_are_read_once() {
    let (Some(place), layers) = (place(), Layers::new()) else { return };
    let script = "import os\nos.mkdir('wide')\nfor n in range(5000):\n os.mkdir('wide/%d' % n)\n\
                  f = open('holes', 'wb'); f.truncate(4 << 30); f.close()\n\
                  f = open('one', 'wb'); f.truncate(60 << 20); f.write(b'x'); f.close()\n\
                  for n in range(39):\n os.link('one', 'link%d' % n)";
    let (overlays, _) = python(&place, script, &[], Some(&layers));
    let changes = overlays[0].changes().unwrap();
    assert_eq!(changes.len(), 5_000 + 1 + 1 + 40);
    let file = |name: &str| {
        let kind = changes.iter().find(|change| change.path == Path::new(name)).map(|change| &change.kind);
        let Some(OverlayChangeKind::File { size, on_disk, linked, .. }) = kind else {
            panic!("{name}: {kind:?}")
        };
        (*size, *on_disk, *linked)
    };
    assert!(matches!(file("holes"), (0x1_0000_0000, ..65_536, None)), "{:?}", file("holes"));
    assert!(file("one").2.is_some() && file("one") == file("link38"));
}

#[test]
fn a_name_that_is_no_text_is_told_as_it_is() {
    let (Some(place), layers) = (place(), Layers::new()) else { return };
    let (overlays, _) = python(&place, "open(b'\\xff\\n', 'w').close()", &[], Some(&layers));
    assert_eq!(overlays[0].changes().unwrap()[0].path, Path::new(OsStr::from_bytes(b"\xff\n")));
}
