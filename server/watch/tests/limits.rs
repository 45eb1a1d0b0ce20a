//! Where the kernel does not tell, or not all: polling, the limit of watches, a root that goes and comes.

use super::*;
use crate::protocol::{RescanReason, WatchMode};

fn many(root: &Path) {
    for number in 0..30 {
        write(root, &format!("d{number}/e/f"), "");
    }
}

#[test]
fn beyond_ten_watches_folders_are_read_before_each_answer() {
    let lab = Lab::with(Options { max_watches: 10, ..options() }, many);
    let status = lab.status();
    assert_eq!((status.mode, status.folders_watched, status.folders_polled), (WatchMode::Mixed, 10, 51));
    assert!(
        status.problems.iter().any(|problem| problem.contains("max_user_watches")),
        "{:?}",
        status.problems
    );
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
fn polling_sees_all_there_is() {
    let lab = Lab::with(Options { polling: true, ..options() }, many);
    assert_eq!(lab.status().mode, WatchMode::Polling);
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
    // And it is told, though nobody asks.
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
    let lab = Lab::with(Options { polling: true, ..options() }, |root| {
        write(root, ".ignore", "skipped\n");
        many(root);
        // As if it had lain there for long.
        let past = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for entry in WalkBuilder::new(root).build().flatten() {
            fs::File::open(entry.path()).unwrap().set_modified(past).unwrap();
        }
    });
    assert!(lab.watch.0.0.tree.lock().folders.values().all(|folder| !folder.fresh));
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
    for polling in [false, true] {
        let above = TempDir::new().unwrap();
        let root = above.path().join("root");
        write(&root, "a/old", "");
        let watch = Watch::start(&root, Options { polling, ..options() }).unwrap();
        assert_eq!(paths(&watch.settled(far()).unwrap()), ["a/old"]);
        fs::rename(&root, above.path().join("aside")).unwrap();
        assert_eq!(watch.settled(far()).err(), Some(Unsettled::RootMissing));
        assert!(watch.status().problems.iter().any(|problem| problem.contains("no folder stands")));
        assert!(watch.known().is_empty());
        write(&root, "a/new", "");
        assert_eq!(paths(&watch.settled(far()).unwrap()), ["a/new"]);
        assert_eq!(watch.status().last_rescan.map(|rescan| rescan.reason), Some(RescanReason::RootReplaced));
        // Removed and made again between two questions, many times, as its inode may be the same.
        for round in 0..50 {
            fs::remove_dir_all(&root).unwrap();
            write(&root, &format!("b{round}/f"), "");
            assert_eq!(paths(&watch.settled(far()).unwrap()), [format!("b{round}/f")]);
        }
        write(&root, "b49/g", "");
        assert_eq!(paths(&watch.settled(far()).unwrap()), ["b49/f", "b49/g"]);
        // Nobody asks, and it is noticed.
        fs::remove_dir_all(&root).unwrap();
        until("it is gone", || watch.known().is_empty());
        write(&root, "back", "");
        until("it is back", || paths(&watch.known()) == ["back"]);
    }
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let lab = Lab::with(Options { max_files: 5, ..options() }, many);
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
        let error = Watch::start(&folder.path().join(path), options()).err().unwrap();
        assert!(error.to_string().contains("is no folder that can be read"), "{error}");
    }
}
