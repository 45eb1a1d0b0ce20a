//! Hunks follow the files on the disk by events: nobody has to list them, and whoever lists them reads no file.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use wherefore::hub::{DocumentEvent, EditorId, Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{HunkState, Notice, Policy, ProposalsParams};

use crate::support::{Bench, launcher, numbers};

/// How many reads this thread has asked the system for.
fn reads() -> u64 {
    let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let count = io.lines().find_map(|line| line.strip_prefix("syscr: ")).unwrap();
    count.trim().parse().unwrap()
}

async fn propose(bench: &Bench, path: &str, content: &str) {
    let write = json!({ "path": path, "content": content });
    let answer = bench.call("fs.write", write, Some(Policy::Hold)).await;
    assert_eq!(answer.error, None);
}

/// Waits until the editor was told of such hunks at a path: their lines and states.
async fn told(bench: &Bench, path: &str, hunks: &[(u32, HunkState)]) {
    let is_it = |notice: &Notice| match notice {
        Notice::Changed(proposal) => {
            proposal.files[0].path == *path
                && proposal.hunks().map(|hunk| (hunk.start, hunk.state)).eq(hunks.iter().copied())
        }
        _ => false,
    };
    for _ in 0..2000 {
        if bench.editor.told.lock().unwrap().iter().any(is_it) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{path}: {:?}", bench.editor.told.lock().unwrap());
}

#[tokio::test]
async fn a_listing_reads_no_file_and_a_change_on_the_disk_is_heard_without_one() {
    let names: Vec<String> = (0..100).map(|number| format!("{number}.txt")).collect();
    let text = numbers(9, &[]);
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let bench = Bench::with(&files, false);
    for name in &names {
        propose(&bench, name, &numbers(9, &[(2, "two"), (6, "six")])).await;
    }
    let log = bench.log();
    let before = reads();
    let itself = reads() - before;
    for params in [
        ProposalsParams::default(),
        ProposalsParams { applied: true, ..ProposalsParams::default() },
        ProposalsParams { all: true, ..ProposalsParams::default() },
    ] {
        let before = reads();
        let listed = bench.served().queue().list(&params);
        assert_eq!((reads() - before, listed.len()), (itself, 100));
    }
    assert_eq!(bench.log(), log, "whoever looks leaves no trace");

    bench.write("7.txt", &format!("new\n{}", numbers(9, &[(6, "someone's six")])));
    std::fs::remove_file(bench.folder.path().join("8.txt")).unwrap();
    std::fs::rename(bench.folder.path().join("9.txt"), bench.folder.path().join("nine.txt")).unwrap();
    let (waits, stale) = (HunkState::Pending, HunkState::Stale);
    told(&bench, "7.txt", &[(2, waits), (5, stale)]).await;
    told(&bench, "8.txt", &[(1, stale), (5, stale)]).await;
    told(&bench, "9.txt", &[(1, stale), (5, stale)]).await;
    let waiting = bench.proposals();
    assert_eq!(waiting.len(), 98);
    let seventh = waiting.iter().find(|proposal| proposal.files[0].path == "7.txt").unwrap();
    let hunks: Vec<_> = seventh.hunks().map(|hunk| (hunk.start, hunk.state)).collect();
    assert_eq!(hunks, [(2, waits), (5, stale)]);
    assert_eq!(bench.log().matches("\nby: text\n").count(), 3, "{}", bench.log());
}

#[tokio::test]
async fn a_file_that_is_written_anew_keeps_its_hunks() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    propose(&bench, "a.txt", &numbers(9, &[(2, "two")])).await;
    let path = bench.folder.path().join("a.txt");
    std::fs::remove_file(&path).unwrap();
    tokio::time::sleep(Duration::from_millis(120)).await;
    bench.write("a.txt", &format!("new\n{}", numbers(9, &[])));
    told(&bench, "a.txt", &[(2, HunkState::Pending)]).await;
}

#[tokio::test]
async fn files_that_the_watch_does_not_list_are_heard_of_too() {
    let text = numbers(9, &[]);
    let bench = Bench::with(
        &[(".gitignore", "out\n"), (".git/HEAD", ""), ("out/a.txt", &text), (".hidden/b.txt", &text)],
        false,
    );
    for path in ["out/a.txt", ".hidden/b.txt"] {
        propose(&bench, path, &numbers(9, &[(2, "two")])).await;
    }
    propose(&bench, "out/deep/new.txt", "new\n").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    bench.write("out/a.txt", &numbers(9, &[(2, "someone's two")]));
    bench.write(".hidden/b.txt", &format!("new\n{text}"));
    std::fs::create_dir(bench.folder.path().join("out/deep")).unwrap();
    bench.write("out/deep/new.txt", "someone's\n");
    told(&bench, "out/a.txt", &[(1, HunkState::Stale)]).await;
    told(&bench, ".hidden/b.txt", &[(2, HunkState::Pending)]).await;
    told(&bench, "out/deep/new.txt", &[(0, HunkState::Stale)]).await;
}

#[tokio::test]
async fn a_document_that_is_closed_unsaved_shows_the_disk_again() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    bench.open("a.txt");
    let (_call, _) =
        bench.propose("fs.write", json!({ "path": "a.txt", "content": numbers(9, &[(2, "two")]) })).await;
    bench.type_in("a.txt", &format!("unsaved\n{}", numbers(9, &[])));
    told(&bench, "a.txt", &[(2, HunkState::Pending)]).await;
    bench.editor.told.lock().unwrap().clear();
    let root = bench.folder.path().canonicalize().unwrap();
    let uri = format!("file://{}/a.txt", root.display());
    bench.hub.document(EditorId::default(), DocumentEvent::Closed { uri });
    told(&bench, "a.txt", &[(1, HunkState::Pending)]).await;
}

/// The names and sizes of all files below a folder.
fn files(folder: &Path) -> Vec<(std::path::PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.metadata().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push((entry.path(), entry.metadata().unwrap().len())),
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn a_process_of_the_command_line_looks_once_and_leaves_no_trace() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    propose(&bench, "a.txt", &numbers(9, &[(2, "two"), (6, "six")])).await;
    let root = bench.hub.roots().remove(0);
    bench.hub.remove_root(&root);
    bench.write("a.txt", &numbers(9, &[(6, "someone's six")]));
    let before = files(bench.folder.path());
    let state = Some(bench.state.path().to_owned());
    let hub = Hub::new(HubOptions {
        editor: std::sync::Arc::new(NoEditor),
        shared_log: true,
        state,
        launcher: launcher(),
    });
    hub.add_root(&root).unwrap();
    let listed = hub.folder(None).unwrap().queue().list(&ProposalsParams::default());
    let states: Vec<_> = listed[0].hunks().map(|hunk| hunk.state).collect();
    assert_eq!(states, [HunkState::Pending, HunkState::Stale]);
    assert_eq!(files(bench.folder.path()), before, "no log is opened by who only looks");
    // What was found is in the log as soon as somebody does something there.
    hub.close();
    assert!(files(bench.folder.path()).len() > before.len());
}
