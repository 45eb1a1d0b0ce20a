//! Very much at once: checkouts, more than the kernel keeps, trees that go.

use super::*;
use crate::protocol::RescanReason;
use std::process::Command;

#[test]
fn a_checkout_of_ten_thousand_files() {
    let files = rounds(10_000);
    let folder = TempDir::new().unwrap();
    let git = |args: &[&str]| {
        let settings =
            ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.fsync=none", "-c", "gc.auto=0"];
        Command::new("git").args(settings).args(args).current_dir(folder.path()).output()
    };
    if !git(&["init", "-q"]).is_ok_and(|output| output.status.success()) {
        // Another test has a storm without git.
        return;
    }
    for version in ["one", "two"] {
        for number in 0..files {
            write(folder.path(), &format!("{}/{}/f{number}", number % 40, number % 7), version);
        }
        let only = format!("{version}/only");
        write(folder.path(), &only, "");
        git(&["checkout", "-q", "-b", version]).unwrap();
        git(&["add", "-A"]).unwrap();
        git(&["commit", "-q", "-m", version]).unwrap();
        if version == "one" {
            fs::remove_dir_all(folder.path().join(version)).unwrap();
        }
    }
    let lab = Lab { watch: FolderWatch::start(folder.path(), options()).unwrap(), folder };
    lab.check();
    for version in ["one", "two", "one"] {
        let done =
            Command::new("git").args(["checkout", "-q", version]).current_dir(lab.folder.path()).status();
        assert!(done.unwrap().success());
        lab.check();
        assert_eq!(lab.watch.known_snapshot().get("3/0/f203").map(|entry| entry.stamp.size), Some(3));
    }
}

/// Checks that all was read again, where events can be lost.
#[track_caller]
fn overflowed(lab: &Lab) {
    let reason = match BACKEND.get() {
        WatchBackend::Poll => RescanReason::Started,
        _ => RescanReason::Overflow,
    };
    assert_eq!(lab.status().last_rescan.map(|rescan| rescan.reason), Some(reason));
}

#[test]
fn more_than_the_kernel_keeps_is_read_again() {
    let lab = Lab::with(options(), |root| write(root, "d/a0", ""));
    // While the tree is held no events are read.
    let held = lab.watch.0.0.tree.lock();
    for number in 0..10_000 {
        lab.rename(&format!("d/a{number}"), &format!("d/a{}", number + 1));
    }
    lab.write("e/f", "");
    drop(held);
    assert_eq!(lab.files(), ["d/a10000", "e/f"]);
    overflowed(&lab);
    lab.check();
    lab.write("e/g", "");
    lab.write("d/h", "");
    lab.check();
}

#[test]
fn folders_that_moved_unseen_are_watched_where_they_are() {
    let lab = Lab::with(options(), |root| {
        for name in ["a", "b", "c"] {
            write(root, &format!("{name}/sub/{name}"), "");
        }
    });
    let held = lab.watch.0.0.tree.lock();
    lab.rename("a", "t");
    lab.rename("b", "a");
    lab.rename("c", "b");
    lab.rename("t", "c");
    lab.write("x", "");
    for number in 0..10_000 {
        lab.rename(if number % 2 == 0 { "x" } else { "y" }, if number % 2 == 0 { "y" } else { "x" });
    }
    drop(held);
    lab.check();
    overflowed(&lab);
    for name in ["a", "b", "c"] {
        lab.write(&format!("{name}/sub/more"), "");
        lab.write(&format!("{name}/more"), "");
        lab.check();
    }
}

#[test]
fn a_storm_while_others_ask() {
    let lab = Lab::new();
    let changes = usize::try_from(rounds(5_000)).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..changes {
                lab.write(&format!("{}/{}/f", number % 20, number % 13), &"x".repeat(number % 30));
                if number % 10 == 0 {
                    fs::remove_dir_all(lab.path(&format!("{}", (number / 10) % 20))).unwrap();
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            lab.watch.current_snapshot(far()).unwrap();
        }
    });
    lab.check();
    assert!(lab.folder_count() < 1 + 20 * 14);
}

#[test]
fn huge_trees_come_and_go() {
    let lab = Lab::new();
    for number in 0..rounds(10_000) {
        lab.write(&format!("huge/{}/{number}", number % 100), "");
    }
    lab.check();
    let outside = TempDir::new().unwrap();
    fs::rename(lab.path("huge"), outside.path().join("huge")).unwrap();
    assert!(lab.files().is_empty());
    assert_eq!(lab.folder_count(), 1);
    fs::rename(outside.path().join("huge"), lab.path("huge")).unwrap();
    lab.check();
    fs::remove_dir_all(lab.path("huge")).unwrap();
    lab.check();
    assert_eq!(lab.folder_count(), 1);
}

#[test]
fn what_happens_while_it_starts_is_seen() {
    for _ in 0..rounds(20) {
        let folder = TempDir::new().unwrap();
        for number in 0..200 {
            write(folder.path(), &format!("{number}/{number}"), "");
        }
        let watch = FolderWatch::start(folder.path(), options()).unwrap();
        for number in 0..200 {
            let dir = folder.path().join(number.to_string());
            match number % 3 {
                0 => fs::remove_dir_all(&dir).unwrap(),
                1 => fs::rename(&dir, folder.path().join(format!("0{number}"))).unwrap(),
                _ => write(folder.path(), &format!("{number}/more/{number}"), "x"),
            }
        }
        Lab { folder, watch }.check();
    }
}

#[test]
fn a_repository_whose_excludes_are_written_at_once_while_others_ask() {
    for _ in 0..rounds(100) {
        let lab = Lab::with(options(), |root| write(root, "c", ""));
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                lab.write(".git/info/exclude", "*");
                lab.write(".git/info/exclude", "!c");
                done.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                lab.watch.current_snapshot(far()).unwrap();
            }
        });
        lab.check();
    }
}

with_other_backends!(
    a_checkout_of_ten_thousand_files,
    more_than_the_kernel_keeps_is_read_again,
    folders_that_moved_unseen_are_watched_where_they_are,
    a_storm_while_others_ask,
    huge_trees_come_and_go,
    what_happens_while_it_starts_is_seen,
    a_repository_whose_excludes_are_written_at_once_while_others_ask,
);
