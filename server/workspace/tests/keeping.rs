//! The state that this machine keeps of a workspace, outside of it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Lab, code, path};
use crate::base::hash;
use crate::protocol::{Code, Fault};
use crate::workspace::{ExpectedFile, WorkspaceRoot, WorkspaceState};

fn state(lab: &Lab, base: Option<PathBuf>) -> WorkspaceState {
    WorkspaceState::new(Arc::new(WorkspaceRoot::open(&lab.at).unwrap()), base)
}

#[test]
fn it_is_made_on_the_first_write_private_and_named() {
    for lab in Lab::both() {
        lab.put("file", "");
        lab.files.read_bytes(&path("file"), 9).unwrap();
        let state = lab.files.state();
        assert_eq!((state.read_file("a").unwrap(), state.sweep_temporaries().unwrap()), (None, 0));
        assert!(!state.folder().base_folder().unwrap().exists());
        lab.files.write_bytes(&path("file"), b"x", &ExpectedFile::Anything).unwrap();
        let kept = lab.kept();
        let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&kept), mode(&state.folder().base_folder().unwrap().to_owned())], [0o700; 2]);
        let name = kept.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("work-") && name.len() == "work-".len() + 16, "{name}");
        let named = std::fs::read_to_string(kept.join("root")).unwrap();
        assert_eq!(named.trim_end(), lab.at.canonicalize().unwrap().to_str().unwrap());
        assert_eq!(lab.names(), ["file"]);
        assert!(!lab.at.join(".wherefore").exists());
    }
}

#[test]
fn files_are_written_whole_listed_bounded_and_removed() {
    let lab = Lab::new();
    let state = lab.files.state();
    state.write_file("proposals/2.json", b"two").unwrap();
    state.write_file("proposals/1.json", b"one").unwrap();
    state.write_file("proposals/1.json", b"one again").unwrap();
    assert_eq!(state.list_folder("proposals").unwrap(), ["1.json", "2.json"]);
    assert_eq!(state.read_file("proposals/1.json").unwrap().unwrap(), b"one again");
    assert_eq!(code(state.write_file("proposals/3.json", &vec![b' '; (16 << 20) + 1])), Code::QuotaExceeded);
    let giant = std::fs::File::create(lab.kept().join("proposals/4.json")).unwrap();
    giant.set_len(3 << 30).unwrap();
    assert_eq!(code(state.read_file("proposals/4.json")), Code::Unsupported);
    let aside = state.set_aside("proposals/4.json").unwrap();
    assert!(std::path::Path::new(&aside).exists(), "{aside}");
    assert!(state.remove_file("proposals/1.json").unwrap());
    assert!(!state.remove_file("proposals/1.json").unwrap());
    assert_eq!(state.list_folder("proposals").unwrap(), ["2.json"]);
    for climbing in ["../x", "a/../../x"] {
        assert_eq!(code(state.write_file(climbing, b"")), Code::Internal);
        assert_eq!(code(state.read_file(climbing)), Code::Internal);
    }
    assert_eq!(state.list_folder("tmp").unwrap(), Vec::<String>::new());
}

#[test]
fn contents_are_kept_by_their_hash() {
    let lab = Lab::new();
    let state = lab.files.state();
    let hash = state.put_object(b"content").unwrap();
    assert_eq!(hash, hash::short_hash(b"content"));
    assert_eq!(state.put_object(b"content").unwrap(), hash);
    assert_eq!(state.get_object(&hash).unwrap().unwrap(), b"content");
    std::fs::write(lab.kept().join("objects").join(&hash), "forged").unwrap();
    assert_eq!(state.get_object(&hash).unwrap(), None);
    assert_eq!(state.put_object(b"content").unwrap(), hash);
    assert_eq!(state.get_object(&hash).unwrap().unwrap(), b"content");
    assert_eq!(state.get_object("../lock").unwrap(), None);
}

#[test]
fn a_link_in_it_is_refused() {
    let lab = Lab::new();
    lab.files.write_bytes(&path("file"), b"x", &ExpectedFile::Anything).unwrap();
    std::fs::remove_dir(lab.kept().join("tmp")).unwrap();
    std::fs::remove_file(lab.kept().join("lock")).unwrap();
    symlink(&lab.outside, lab.kept().join("tmp")).unwrap();
    symlink(lab.outside.join("secret"), lab.kept().join("lock")).unwrap();
    assert_eq!(code(lab.files.state().write_file("x", b"x")), Code::PermissionDenied);
    assert_eq!(code(lab.files.state().lock_workspace()), Code::PermissionDenied);
    assert_eq!(
        code(lab.files.write_bytes(&path("file"), b"y", &ExpectedFile::Anything)),
        Code::PermissionDenied
    );
    assert_eq!(lab.get("file"), b"x");
    assert_eq!(std::fs::read(lab.outside.join("secret")).unwrap(), b"secret");
}

#[test]
fn where_it_cannot_be_kept_nothing_is_written_and_the_way_out_is_said() {
    let lab = Lab::new();
    lab.put("file", "old");
    let planted = lab.at.join("state");
    lab.put("state/wherefore/x", "");
    lab.link("linked", "state");
    std::fs::write(lab.outside.join("no-folder"), "").unwrap();
    let places = [
        None,
        Some(planted.join("wherefore")),
        Some(lab.at.join("linked/wherefore")),
        Some(lab.outside.join("no-folder/wherefore")),
    ];
    for place in places {
        let state = Arc::new(state(&lab, place.clone()));
        let files = crate::workspace::WorkspaceFiles::new(
            state.clone(),
            lab.files.paths().rules().clone(),
            crate::rules::FileOpener::NoConsent,
        );
        let fault =
            Fault::from(files.write_bytes(&path("file"), b"new", &ExpectedFile::Anything).unwrap_err());
        assert!(fault.suggestion.as_ref().is_some_and(|way| way.contains("XDG_STATE_HOME")), "{fault:?}");
        assert_eq!(files.read_bytes(&path("file"), 9).unwrap().0, b"old", "{place:?}");
        assert_eq!(state.sweep_temporaries().unwrap_or(0), 0);
    }
}

#[test]
fn the_lock_lets_one_in() {
    let lab = Lab::new();
    let inside = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..25 {
                    let lock = lab.files.state().lock_workspace().unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    if round % 10 == 0 {
                        // A process that takes the file away opens no second door.
                        let _ = std::fs::remove_file(lab.kept().join("lock"));
                    }
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(lock);
                }
            });
        }
    });
}

#[test]
fn a_folder_that_was_removed_is_made_anew() {
    let lab = Lab::new();
    lab.files.state().write_file("a", b"a").unwrap();
    std::fs::remove_dir_all(lab.files.state().folder().base_folder().unwrap()).unwrap();
    assert_eq!(lab.files.state().read_file("a").unwrap(), None);
    lab.files.write_bytes(&path("file"), b"x", &ExpectedFile::Anything).unwrap();
    assert!(lab.kept().join("lock").exists());
}

#[test]
fn a_sweep_leaves_a_writer_that_lives_alone() {
    let lab = Lab::new();
    let writing = lab.files.state().lock_temporary().unwrap();
    lab.intend(".wherefore-tmp-live", "sub");
    lab.put("sub/.wherefore-tmp-live", "half");
    assert_eq!(lab.files.state().sweep_temporaries().unwrap(), 0);
    assert_eq!(lab.get("sub/.wherefore-tmp-live"), b"half");
    drop(writing);
    assert_eq!(lab.files.state().sweep_temporaries().unwrap(), 1);
}
