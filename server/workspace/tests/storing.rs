//! Our own folder.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Lab, code, path};
use crate::base::hash;
use crate::protocol::Code;
use crate::workspace::Expect;

#[test]
fn it_is_made_on_the_first_use_and_private() {
    for lab in Lab::both() {
        lab.put("file", "");
        lab.files.read(&path("file"), 9).unwrap();
        assert_eq!(lab.files.store().read("a").unwrap(), None);
        assert_eq!(lab.files.store().sweep().unwrap(), 0);
        assert!(!lab.at.join(".wherefore").exists());
        lab.files.store().dir("sessions/1").unwrap();
        let mode = |name: &str| std::fs::metadata(lab.at.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(".wherefore"), mode(".wherefore/sessions/1")], [0o700; 2]);
        assert_eq!(lab.get(".wherefore/.gitignore"), b"*\n");
    }
}

#[test]
fn files_are_written_whole_listed_and_removed() {
    for lab in Lab::both() {
        let store = lab.files.store();
        store.write("proposals/2.json", b"two").unwrap();
        store.write("proposals/1.json", b"one").unwrap();
        store.write("proposals/1.json", b"one again").unwrap();
        store.write("top", b"top").unwrap();
        assert_eq!(store.list("proposals").unwrap(), ["1.json", "2.json"]);
        assert_eq!(store.read("proposals/1.json").unwrap().unwrap(), b"one again");
        assert!(store.remove("proposals/1.json").unwrap());
        assert!(!store.remove("proposals/1.json").unwrap());
        assert!(!store.remove("none/1.json").unwrap());
        assert_eq!(store.list("none").unwrap(), Vec::<String>::new());
        for climbing in ["../x", "a/../../x"] {
            assert_eq!(code(store.write(climbing, b"")), Code::Internal);
            assert_eq!(code(store.read(climbing)), Code::Internal);
        }
        assert_eq!(store.list("tmp").unwrap(), Vec::<String>::new());
    }
}

#[test]
fn contents_are_kept_by_their_hash() {
    let lab = Lab::new();
    let store = lab.files.store();
    let hash = store.put(b"content").unwrap();
    assert_eq!(hash, hash::short(b"content"));
    assert_eq!(store.put(b"content").unwrap(), hash);
    assert_eq!(store.get(&hash).unwrap().unwrap(), b"content");
    lab.put(&format!(".wherefore/objects/{hash}"), "forged");
    assert_eq!(store.get(&hash).unwrap(), None);
    assert_eq!(store.put(b"content").unwrap(), hash);
    assert_eq!(store.get(&hash).unwrap().unwrap(), b"content");
    assert_eq!(store.get("../lock").unwrap(), None);
}

#[test]
fn a_planted_link_is_refused() {
    for lab in Lab::both() {
        lab.link(".wherefore", "../outside");
        assert_eq!(code(lab.files.store().write("x", b"x")), Code::PermissionDenied);
        assert_eq!(code(lab.files.store().dir(".")), Code::PermissionDenied);
        assert_eq!(code(lab.files.write(&path("file"), b"x", &Expect::Anything)), Code::PermissionDenied);
        std::fs::remove_file(lab.at.join(".wherefore")).unwrap();
        lab.link(".wherefore/tmp", "../../outside");
        lab.link(".wherefore/lock", "../../outside/secret");
        assert_eq!(code(lab.files.store().write("x", b"x")), Code::PermissionDenied);
        assert_eq!(code(lab.files.store().lock()), Code::PermissionDenied);
        let outside: Vec<_> =
            std::fs::read_dir(&lab.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(outside, ["secret"]);
        assert_eq!(std::fs::read(lab.outside.join("secret")).unwrap(), b"secret");
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
                    let lock = lab.files.store().lock().unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    if round % 10 == 0 {
                        // Whoever takes the file away opens no second door.
                        let _ = std::fs::remove_file(lab.at.join(".wherefore/lock"));
                    }
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(lock);
                }
            });
        }
    });
}

#[test]
fn a_sweep_leaves_a_writer_that_lives_alone() {
    let lab = Lab::new();
    let writing = lab.files.store().writing().unwrap();
    lab.link(".wherefore/tmp/.wherefore-tmp-live", "sub");
    lab.put("sub/.wherefore-tmp-live", "half");
    assert_eq!(lab.files.store().sweep().unwrap(), 0);
    assert_eq!(lab.get("sub/.wherefore-tmp-live"), b"half");
    drop(writing);
    assert_eq!(lab.files.store().sweep().unwrap(), 1);
}
