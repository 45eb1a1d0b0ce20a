//! An answer counts every change that was on the disk before it was asked for.

use std::io::Write;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn ten_thousand_rounds_of_writing_and_asking() {
    let lab = Lab::with(options(), |root| {
        for folder in 0..20 {
            write(root, &format!("d{folder}/keep"), "");
        }
    });
    for round in 0..rounds(10_000) {
        let path = format!("d{}/f{}", round % 20, round % 7);
        let before = lab.watch.known_snapshot().get(&path).map(|entry| entry.changed);
        let text = "x".repeat(usize::try_from(round % 50).unwrap());
        fs::write(lab.path(&path), &text).unwrap();
        let snapshot = lab.watch.current_snapshot(far()).unwrap();
        let entry = snapshot.get(&path).unwrap();
        assert_eq!(entry.stamp.size, round % 50, "round {round}");
        assert!(before.is_none_or(|before| entry.changed > before), "round {round}");
        if round % 3 == 0 {
            fs::remove_file(lab.path(&path)).unwrap();
            assert!(lab.watch.current_snapshot(far()).unwrap().get(&path).is_none(), "round {round}");
        }
    }
    assert_eq!(
        lab.status().last_rescan.map(|rescan| rescan.reason),
        Some(crate::protocol::RescanReason::Started)
    );
    lab.check();
}

#[test]
fn the_same_size_written_twice_counts_twice() {
    if BACKEND.get() == WatchBackend::Poll {
        // Times alone do not tell two changes within a tick of the clock apart.
        return;
    }
    let lab = Lab::new();
    lab.write("a", "1");
    let changed = || {
        let snapshot = lab.watch.current_snapshot(far()).unwrap();
        (snapshot.generation(), snapshot.get("a").unwrap().changed)
    };
    let mut last = changed();
    for text in ["2", "3", "4", "5"] {
        fs::write(lab.path("a"), text).unwrap();
        let now = changed();
        assert!(now.0 > last.0 && now.1 > last.1, "{last:?}, then {now:?}");
        assert_eq!(changed(), now);
        last = now;
    }
}

#[test]
fn many_who_ask_at_once_each_see_their_own_change() {
    let lab = Lab::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let lab = &lab;
            scope.spawn(move || {
                for round in 0..100 {
                    let path = format!("t{thread}/f{round}");
                    lab.write(&path, "x");
                    assert!(lab.watch.current_snapshot(far()).unwrap().get(&path).is_some(), "{path}");
                }
            });
        }
    });
    lab.check();
}

#[test]
fn folders_with_files_in_them_at_once() {
    let lab = Lab::new();
    for round in 0..rounds(200) {
        let top = format!("n{round}");
        fs::create_dir_all(lab.path(&format!("{top}/a/b/c"))).unwrap();
        lab.write(&format!("{top}/a/b/c/deep"), "1");
        lab.write(&format!("{top}/one"), "2");
        lab.check();
        lab.write(&format!("{top}/a/b/c/deep"), "longer");
        lab.check();
        match round % 3 {
            0 => fs::remove_dir_all(lab.path(&top)).unwrap(),
            1 => lab.rename(&top, &format!("m{round}")),
            _ => {}
        }
    }
    lab.check();
}

#[test]
fn folders_moved_in_and_out_are_followed() {
    let lab = Lab::new();
    let outside = TempDir::new().unwrap();
    let away = outside.path().join("away");
    lab.write("a/b/c/f", "1");
    lab.check();
    fs::rename(lab.path("a"), &away).unwrap();
    assert_eq!(lab.files(), Vec::<String>::new());
    fs::write(away.join("b/new"), "2").unwrap();
    lab.check();
    fs::rename(&away, lab.path("again")).unwrap();
    assert_eq!(lab.files(), ["again/b/c/f", "again/b/new"]);
    // Away and back between two questions, with a change meanwhile.
    fs::rename(lab.path("again"), &away).unwrap();
    fs::write(away.join("b/c/f"), "longer").unwrap();
    fs::create_dir_all(away.join("b/x/y")).unwrap();
    fs::write(away.join("b/x/y/z"), "").unwrap();
    fs::rename(&away, lab.path("again")).unwrap();
    lab.check();
    // Two folders change places, then one moves into the other.
    lab.write("other/g", "");
    lab.check();
    lab.rename("again", "third");
    lab.rename("other", "again");
    lab.rename("third", "other");
    lab.check();
    lab.rename("again", "other/again");
    lab.write("other/again/h", "");
    lab.write("other/b/c/f", "longest");
    lab.check();
}

#[test]
fn all_names_of_a_file_are_current() {
    let lab = Lab::new();
    let outside = TempDir::new().unwrap();
    lab.write("a", "1");
    lab.check();
    fs::hard_link(lab.path("a"), lab.path("b")).unwrap();
    lab.check();
    fs::write(lab.path("b"), "longer").unwrap();
    lab.check();
    fs::hard_link(lab.path("a"), outside.path().join("c")).unwrap();
    lab.check();
    fs::File::options().append(true).open(outside.path().join("c")).unwrap().write_all(b"more").unwrap();
    lab.check();
    fs::remove_file(lab.path("b")).unwrap();
    fs::remove_file(outside.path().join("c")).unwrap();
    lab.check();
}

#[test]
fn nothing_but_files_is_listed_and_nothing_waits() {
    let lab = Lab::new();
    lab.write("f", "");
    symlink("/", lab.path("everything")).unwrap();
    symlink("..", lab.path("loop")).unwrap();
    symlink("f", lab.path("link")).unwrap();
    let mkfifo = |path: &str| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, lab.path(path), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    mkfifo("pipe");
    mkfifo(".gitignore");
    fs::create_dir(lab.path(".git")).unwrap();
    use std::os::unix::ffi::OsStrExt;
    fs::write(lab.folder.path().join(std::ffi::OsStr::from_bytes(b"not\xffutf8")), "").unwrap();
    assert_eq!(lab.files(), ["f"]);
    assert_eq!(lab.folder_count(), 1);
    // The result is equal if all of it is there at the start.
    let again = FolderWatch::start(lab.folder.path(), options()).unwrap();
    assert_eq!(paths(&again.current_snapshot(far()).unwrap()), ["f"]);
    assert_eq!(again.status().problems, ["1 names are not UTF-8 and are not listed"]);
    // A folder gives way to a link to elsewhere. The walk to compare with would wait for the pipe.
    fs::remove_file(lab.path(".gitignore")).unwrap();
    lab.write("d/f", "");
    lab.check();
    fs::remove_dir_all(lab.path("d")).unwrap();
    symlink("/usr", lab.path("d")).unwrap();
    assert_eq!(lab.files(), ["f"]);
}

#[test]
fn a_thousand_folders_in_each_other() {
    let lab = Lab::new();
    let depth = usize::try_from(rounds(1_000)).unwrap();
    let deep = vec!["d"; depth].join("/");
    fs::create_dir_all(lab.path(&deep)).unwrap();
    lab.write(&format!("{deep}/f"), "");
    lab.check();
    assert_eq!(lab.folder_count(), depth + 1);
    lab.rename("d", "e");
    lab.check();
    assert_eq!(lab.watch.current_snapshot(far()).unwrap().len(), 1);
    fs::remove_dir_all(lab.path("e")).unwrap();
    lab.check();
    assert_eq!(lab.folder_count(), 1);
}

with_other_backends!(
    ten_thousand_rounds_of_writing_and_asking,
    the_same_size_written_twice_counts_twice,
    many_who_ask_at_once_each_see_their_own_change,
    folders_with_files_in_them_at_once,
    folders_moved_in_and_out_are_followed,
    all_names_of_a_file_are_current,
    nothing_but_files_is_listed_and_nothing_waits,
    a_thousand_folders_in_each_other,
);
