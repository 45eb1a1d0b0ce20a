//! Batches of listeners: one change for one action of a person.

use super::*;
use crate::protocol::RescanReason;

fn heard(make: impl FnOnce(&Path), act: impl FnOnce(&Lab)) -> Vec<String> {
    // It is long enough that related changes are in one batch on a busy machine.
    let quiet =
        WatchOptions { quiet: Duration::from_millis(300), longest: Duration::from_secs(20), ..options() };
    let lab = Lab::with(quiet, make);
    let mut listener = lab.watch.subscribe();
    until("the start is told", || {
        lab.watch.status().untold == 0
            && lab.watch.0.0.tree.lock().known.files.window.due_at(Duration::ZERO, Duration::ZERO).is_none()
    });
    while listener.ready().is_some() {}
    act(&lab);
    if BACKEND.get() == WatchBackend::Poll {
        // It finds a change within seconds where nobody asks, and not all of it at once.
        lab.watch.current_snapshot(far()).unwrap();
    }
    let batch = next(&mut listener);
    assert_eq!(batch.generation, lab.watch.current_snapshot(far()).unwrap().generation());
    shown(&batch)
}

#[test]
fn saves_of_editors_are_one_change() {
    let file = |root: &Path| write(root, "f.rs", "old");
    assert_eq!(heard(file, |lab| lab.write("f.rs", "new")), ["~f.rs"]);
    // Vim: a number to try the folder, the old file as a backup, a new file, the backup removed.
    let vim = |lab: &Lab| {
        lab.write("4913", "");
        fs::remove_file(lab.path("4913")).unwrap();
        lab.rename("f.rs", "f.rs~");
        lab.write("f.rs", "newer");
        fs::remove_file(lab.path("f.rs~")).unwrap();
    };
    assert_eq!(heard(file, vim), ["~f.rs"]);
    // Editors that write another file and rename it over the first, and JetBrains' that keep both for a moment.
    let over = |lab: &Lab| {
        lab.write(".f.rs.tmp", "newer");
        lab.rename(".f.rs.tmp", "f.rs");
    };
    assert_eq!(heard(file, over), ["~f.rs"]);
    let both = |lab: &Lab| {
        lab.write("f.rs___jb_tmp___", "newer");
        lab.rename("f.rs", "f.rs___jb_old___");
        lab.rename("f.rs___jb_tmp___", "f.rs");
        fs::remove_file(lab.path("f.rs___jb_old___")).unwrap();
    };
    assert_eq!(heard(file, both), ["~f.rs"]);
    // The file is removed and written again.
    let anew = |lab: &Lab| {
        fs::remove_file(lab.path("f.rs")).unwrap();
        lab.write("f.rs", "anew");
    };
    assert_eq!(heard(file, anew), ["~f.rs"]);
}

#[test]
fn renames_are_told_with_where_from() {
    let files = |root: &Path| {
        write(root, "a", "1");
        write(root, "b", "2");
        write(root, "d/e/f", "3");
    };
    assert_eq!(heard(files, |lab| lab.rename("a", "c")), ["a>c"]);
    assert_eq!(heard(files, |lab| lab.rename("a", "A")), ["a>A"]);
    assert_eq!(heard(files, |lab| lab.rename("a", "b")), ["a>b"]);
    assert_eq!(heard(files, |lab| lab.rename("d", "g")), ["d/e/f>g/e/f"]);
    let chain = |lab: &Lab| {
        lab.rename("a", "x");
        lab.rename("x", "y");
        lab.rename("y", "d/z");
    };
    assert_eq!(heard(files, chain), ["a>d/z"]);
    let swap = |lab: &Lab| {
        lab.rename("a", "t");
        lab.rename("b", "a");
        lab.rename("t", "b");
    };
    assert_eq!(heard(files, swap), ["~a", "~b"]);
    assert_eq!(heard(files, |lab| fs::remove_dir_all(lab.path("d")).unwrap()), ["-d/e/f"]);
    assert_eq!(heard(files, |lab| lab.write("n/new", "")), ["+n/new"]);
}

#[test]
fn changes_are_told_though_nobody_asks_for_files() {
    let lab = Lab::new();
    let mut listener = lab.watch.subscribe();
    let mut all = Vec::new();
    lab.write("x/y", "");
    until("the change", || {
        all.extend(listener.ready().iter().flat_map(|batch| shown(batch)));
        all.contains(&"+x/y".to_owned())
    });
    assert_eq!(paths(&lab.watch.known_snapshot()), ["x/y"]);
}

#[test]
fn a_slow_listener_hears_that_it_missed_some() {
    let lab = Lab::with(WatchOptions { quiet: Duration::ZERO, longest: Duration::ZERO, ..options() }, |_| {});
    let mut listener = lab.watch.subscribe();
    let sender = lab.watch.0.0.listeners.lock().clone().unwrap();
    let mut round = 0;
    until("more batches than are kept", || {
        round += 1;
        lab.write("f", &"x".repeat(round % 99));
        if BACKEND.get() == WatchBackend::Poll {
            lab.watch.current_snapshot(far()).unwrap();
        }
        sender.len() > crate::listener::KEPT - 1
    });
    let before = lab.watch.current_snapshot(far()).unwrap().generation();
    lab.write("f", "a");
    until("one more", || {
        lab.watch.current_snapshot(far()).unwrap().generation() > before && lab.status().untold == 0
    });
    lab.write("f", "ab");
    until("it is told", || lab.watch.current_snapshot(far()).is_ok() && lab.status().untold == 0);
    assert_eq!(listener.ready().and_then(|batch| batch.rescan), Some(RescanReason::Lagged));
}

#[test]
fn an_ended_watch_says_so_and_holds_nothing() {
    let lab = Lab::new();
    lab.write("f", "");
    lab.check();
    let clone = lab.watch.clone();
    let mut listener = clone.subscribe();
    let shared = Arc::downgrade(&lab.watch.0.0);
    lab.watch.end_watch();
    assert_eq!(clone.current_snapshot(far()).err(), Some(SettleError::Ended));
    until("its watches are gone", || clone.0.0.tree.lock().known.folders.source.is_none());
    while listener.wait().is_some() {}
    drop((lab, clone));
    until("its thread is gone", || shared.upgrade().is_none());
}

#[test]
fn a_watch_that_is_dropped_while_it_reads_ends() {
    let folder = TempDir::new().unwrap();
    for number in 0..300 {
        write(folder.path(), &format!("{number}/f"), "");
    }
    for _ in 0..20 {
        let watch = FolderWatch::start(folder.path(), options()).unwrap();
        let shared = Arc::downgrade(&watch.0.0);
        drop(watch);
        until("its thread is gone", || shared.upgrade().is_none());
    }
}

with_other_backends!(
    saves_of_editors_are_one_change,
    renames_are_told_with_where_from,
    changes_are_told_though_nobody_asks_for_files,
    a_slow_listener_hears_that_it_missed_some,
    an_ended_watch_says_so_and_holds_nothing,
    a_watch_that_is_dropped_while_it_reads_ends,
);
