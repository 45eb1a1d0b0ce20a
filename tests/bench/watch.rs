//! The back ends of the watch on a tree of 10,000 files: `cargo bench -p wherefore-watch`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use wherefore_protocol::WatchBackend;
use wherefore_watch::{FolderWatch, WatchOptions};

/// Files of the tree, and the folders that they lie in.
const FILES: usize = 10_000;
const FOLDERS: usize = 500;
/// Starts and changes that are measured.
const STARTS: usize = 9;
const CHANGES: usize = 200;
/// Changes that nobody asks about; each may take seconds with polling.
const TOLD: usize = 9;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The median, and the value that 95 % do not exceed.
fn show(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    format!("{:.2?} / {:.2?}", at(50), at(95))
}

fn measure(backend: WatchBackend, root: &Path) {
    let options = || WatchOptions { backend, outer_rules: false, ..WatchOptions::default() };
    let begin = || {
        let began = Instant::now();
        let watch = FolderWatch::start(root, options()).unwrap();
        assert!(watch.current_snapshot(far()).unwrap().len() >= FILES);
        (began.elapsed(), watch)
    };
    let starts = (0..STARTS).map(|_| begin().0).collect();
    let watch = begin().1;
    let change = |number: usize, text: &str| {
        let path = format!("d{}/f{}", number % FOLDERS, number % FILES);
        fs::write(root.join(&path), text).unwrap();
        path
    };
    let mut asked = Vec::new();
    let mut idle = Vec::new();
    for number in 0..CHANGES {
        let path = change(number, &"x".repeat(1 + number % 50));
        let began = Instant::now();
        let list = watch.current_snapshot(far()).unwrap();
        asked.push(began.elapsed());
        assert_eq!(list.get(&path).unwrap().stamp.size, 1 + number as u64 % 50);
        let began = Instant::now();
        watch.current_snapshot(far()).unwrap();
        idle.push(began.elapsed());
    }
    let mut told = Vec::new();
    for number in 0..TOLD {
        // Times in whole seconds tell this one from the last.
        std::thread::sleep(Duration::from_millis(1_100));
        let size = 1_000 + number as u64;
        let path = change(number, &"x".repeat(1_000 + number));
        let began = Instant::now();
        while watch.known_snapshot().get(&path).unwrap().stamp.size != size {
            std::thread::sleep(Duration::from_micros(200));
        }
        told.push(began.elapsed());
    }
    let used = watch.status();
    println!(
        "| `{:?}`, {:?} | {} | {} | {} | {} |",
        backend,
        used.mode,
        show(starts),
        show(asked),
        show(idle),
        show(told)
    );
}

fn main() {
    let folder = tempfile::TempDir::new().unwrap();
    for number in 0..FILES {
        let path = folder.path().join(format!("d{}/f{number}", number % FOLDERS));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a line of text\n").unwrap();
    }
    println!(
        "| back end | start | question after a change | question, nothing changed | seen without a question |"
    );
    println!("|---|---|---|---|---|");
    for backend in [WatchBackend::Inotify, WatchBackend::Notify, WatchBackend::Poll] {
        measure(backend, folder.path());
    }
}
