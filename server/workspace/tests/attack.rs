//! A folder that another process swaps with a symlink to outside, while files are read and written.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Lab, path};
use crate::workspace::{ExpectedFile, WorkspaceFiles};

const SWAPS: usize = 3000;
/// Calls of each kind that must have worked in between, so that the test tests something.
const CALLS: usize = 100;

/// Swaps `work/dir` with a link to outside and back.
fn swap(lab: &Lab, time: usize) {
    let (dir, aside) = (lab.at.join("dir"), lab.at.join("aside"));
    std::fs::rename(&dir, &aside).unwrap();
    let target = if time.is_multiple_of(2) { lab.outside.to_str().unwrap() } else { "../outside" };
    let _ = std::os::unix::fs::symlink(target, &dir);
    // A folder that a call made there meanwhile goes as well.
    while std::fs::rename(&aside, &dir).is_err() {
        let _ = std::fs::remove_file(&dir).or_else(|_| std::fs::remove_dir_all(&dir));
    }
}

fn read(files: &WorkspaceFiles) -> usize {
    if let Ok(listing) = files.list_folder(&path("dir"), 0, 100) {
        assert!(listing.entries.iter().all(|entry| entry.name != "marker"), "listed outside");
    }
    let reads = ["dir/secret", "dir/deep/secret"].map(|name| files.read_bytes(&path(name), 100).ok());
    let reads = reads.into_iter().flatten();
    reads.inspect(|(bytes, _)| assert_eq!(bytes, b"inside", "read outside")).count()
}

fn write(files: &WorkspaceFiles, round: usize) -> usize {
    let written = [
        files.write_bytes(&path("dir/written"), b"ours", &ExpectedFile::Anything),
        files.write_bytes(&path(&format!("dir/new-{}", round % 7)), b"ours", &ExpectedFile::Absent),
        files.copy_file(&path("dir/secret"), &path("dir/copied"), &ExpectedFile::Anything),
    ];
    let _ = files.remove_file(&path("dir/marker"), &ExpectedFile::Anything);
    let _ = files.remove_file(&path(&format!("dir/new-{}", round % 5)), &ExpectedFile::Anything);
    let _ = files.make_folders(&path("dir/made/deeper"));
    let _ = files.remove_folder(&path("dir/made/deeper"));
    written.iter().filter(|result| result.is_ok()).count()
}

/// Runs `call` until `done`, and counts what worked.
fn work(done: &AtomicBool, count: &AtomicUsize, mut call: impl FnMut(usize) -> usize) {
    let mut round = 0;
    while !done.load(Ordering::Relaxed) {
        count.fetch_add(call(round), Ordering::Relaxed);
        round += 1;
    }
}

#[test]
fn nothing_outside_is_read_or_written() {
    for lab in Lab::both() {
        lab.put("dir/secret", "inside");
        lab.put("dir/deep/secret", "inside");
        std::fs::create_dir(lab.outside.join("deep")).unwrap();
        std::fs::write(lab.outside.join("deep/secret"), "secret").unwrap();
        std::fs::write(lab.outside.join("marker"), "secret").unwrap();
        let (done, reads, writes) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let workers = [
                scope.spawn(|| work(&done, &reads, |_| read(&lab.files))),
                scope.spawn(|| work(&done, &writes, |round| write(&lab.files, round))),
            ];
            let mut time = 0;
            let enough = |count: &AtomicUsize| count.load(Ordering::Relaxed) >= CALLS;
            while time < SWAPS || !(enough(&reads) && enough(&writes)) {
                swap(&lab, time);
                time += 1;
                if time.is_multiple_of(8) {
                    std::thread::sleep(std::time::Duration::from_micros(200));
                }
                if workers.iter().any(|worker| worker.is_finished()) {
                    break;
                }
            }
            done.store(true, Ordering::Relaxed);
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        });
        let mut outside: Vec<_> =
            std::fs::read_dir(&lab.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        outside.sort();
        assert_eq!(outside, ["deep", "marker", "secret"]);
        for name in ["secret", "deep/secret", "marker"] {
            assert_eq!(std::fs::read(lab.outside.join(name)).unwrap(), b"secret");
        }
        assert!(lab.names().iter().all(|name| !name.contains("tmp")), "{:?}", lab.names());
    }
}
