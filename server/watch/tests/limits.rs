//! Cases without the kernel's events, or with only some: polling, the limit of watches, a root that goes and comes.

use super::*;
use crate::protocol::{RescanReason, WatchMode};

fn many(root: &Path) {
    for number in 0..30 {
        write(root, &format!("d{number}/e/f"), "");
    }
}

#[test]
fn beyond_ten_watches_folders_are_read_before_each_answer() {
    let lab = Lab::with(WatchOptions { max_watches: 10, ..options() }, many);
    let status = lab.status();
    let counts = (status.mode, status.folders_watched, status.folders_polled);
    if BACKEND.get() == WatchBackend::Poll {
        assert_eq!((counts, status.problems), ((WatchMode::Polling, 0, 61), Vec::new()));
    } else {
        assert_eq!(counts, (WatchMode::Mixed, 10, 51));
        assert!(
            status.problems.iter().any(|problem| problem.contains("max_user_watches")),
            "{:?}",
            status.problems
        );
    }
    for number in 0..30 {
        lab.write(&format!("d{number}/e/f"), &"x".repeat(number));
        lab.check();
        lab.write(&format!("d{number}/new/g"), "");
        lab.check();
        lab.rename(&format!("d{number}/e"), &format!("d{number}/h"));
        lab.check();
        lab.write(&format!("d{number}/.ignore"), "g\n");
        lab.check();
    }
    fs::remove_dir_all(lab.path("d7")).unwrap();
    lab.rename("d8", "d9/d8");
    lab.rename("d9", "d7");
    lab.check();
}

#[test]
fn each_backend_sees_all_there_is_and_says_which_it_is() {
    let lab = Lab::with(options(), many);
    let (used, mode) = match BACKEND.get() {
        WatchBackend::Auto => (WatchBackend::Inotify, WatchMode::Native),
        WatchBackend::Poll => (WatchBackend::Poll, WatchMode::Polling),
        chosen => (chosen, WatchMode::Native),
    };
    assert_eq!((lab.status().backend, lab.status().mode), (used, mode));
    lab.write("d1/e/f", "1");
    lab.write("n/o/p", "1");
    lab.check();
    lab.rename("d2", "n/d2");
    fs::remove_dir_all(lab.path("d3")).unwrap();
    lab.check();
    lab.write(".ignore", "d4\n");
    lab.check();
    lab.write(".ignore", "d5\n");
    lab.check();
    // It is reported without a query.
    let mut listener = lab.watch.subscribe();
    lab.write("late", "");
    let mut all = Vec::new();
    until("the change", || {
        all.extend(listener.ready().iter().flat_map(|batch| shown(batch)));
        all.contains(&"+late".to_owned())
    });
}

#[test]
fn old_folders_are_not_listed_again_but_seen_when_they_change() {
    let lab = Lab::with(options(), |root| {
        write(root, ".ignore", "skipped\n");
        many(root);
        // As if it had lain there for long.
        let past = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for entry in WalkBuilder::new(root).build().flatten() {
            fs::File::open(entry.path()).unwrap().set_modified(past).unwrap();
        }
    });
    assert!(lab.watch.0.0.tree.lock().known.folders.folders.values().all(|folder| !folder.fresh));
    lab.write("d1/e/f", "changed in place");
    lab.check();
    lab.write("d1/e/g", "new");
    lab.check();
    lab.write(".ignore", "f\n");
    lab.check();
    fs::remove_file(lab.path("d1/e/g")).unwrap();
    lab.check();
}

#[test]
fn a_root_that_is_replaced_is_read_anew() {
    let above = TempDir::new().unwrap();
    let root = above.path().join("root");
    write(&root, "a/old", "");
    let watch = FolderWatch::start(&root, options()).unwrap();
    assert_eq!(paths(&watch.current_snapshot(far()).unwrap()), ["a/old"]);
    fs::rename(&root, above.path().join("aside")).unwrap();
    assert_eq!(watch.current_snapshot(far()).err(), Some(SettleError::RootMissing));
    assert!(watch.status().problems.iter().any(|problem| problem.contains("no folder stands")));
    assert!(watch.known_snapshot().is_empty());
    write(&root, "a/new", "");
    assert_eq!(paths(&watch.current_snapshot(far()).unwrap()), ["a/new"]);
    assert_eq!(watch.status().last_rescan.map(|rescan| rescan.reason), Some(RescanReason::RootReplaced));
    // Removed and made again between two questions, many times, as its inode may be the same.
    for round in 0..rounds(50) {
        fs::remove_dir_all(&root).unwrap();
        write(&root, &format!("b{round}/f"), "");
        assert_eq!(paths(&watch.current_snapshot(far()).unwrap()), [format!("b{round}/f")]);
    }
    write(&root, "last/g", "");
    assert_eq!(
        paths(&watch.current_snapshot(far()).unwrap()),
        [format!("b{}/f", rounds(50) - 1), "last/g".to_owned()]
    );
    // It is noticed without a query.
    fs::remove_dir_all(&root).unwrap();
    until("it is gone", || watch.known_snapshot().is_empty());
    write(&root, "back", "");
    until("it is back", || paths(&watch.known_snapshot()) == ["back"]);
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let lab = Lab::with(WatchOptions { max_files: 5, ..options() }, many);
    assert_eq!(lab.files().len(), 5);
    lab.write("another", "");
    assert_eq!(lab.files().len(), 5);
    assert!(lab.status().problems.iter().any(|problem| problem.contains("more than 5 files")));
}

#[test]
fn what_is_no_folder_is_not_watched() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "f", "");
    for path in ["f", "missing"] {
        let error = FolderWatch::start(&folder.path().join(path), options()).err().unwrap();
        assert!(error.to_string().contains("is no folder that can be read"), "{error}");
    }
}

with_other_backends!(
    beyond_ten_watches_folders_are_read_before_each_answer,
    each_backend_sees_all_there_is_and_says_which_it_is,
    old_folders_are_not_listed_again_but_seen_when_they_change,
    a_root_that_is_replaced_is_read_anew,
    what_is_too_much_is_left_out_and_said,
    what_is_no_folder_is_not_watched,
);
