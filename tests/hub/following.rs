//! Hunks follow the files on the disk by events: no listing is necessary for that, and a listing reads no file.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use wherefore::hub::{DocumentEvent, EditorId, Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{Act, EditorNotice, HunkState, Policy, ProposalsParams};

use crate::support::{Bench, launcher, numbers};

/// The number of reads that this thread has made.
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

/// Waits until the editor got such hunks at a path: their lines and states.
async fn told(bench: &Bench, path: &str, hunks: &[(u32, HunkState)]) {
    let is_it = |notice: &EditorNotice| match notice {
        EditorNotice::Changed(proposal) => {
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
        let listed = bench.served().queue().store().list_proposals(&params);
        assert_eq!((reads() - before, listed.len()), (itself, 100));
    }
    assert_eq!(bench.log(), log, "whoever looks leaves no trace");

    bench.write("7.txt", &format!("new\n{}", numbers(9, &[(6, "someone's six")])));
    std::fs::remove_file(bench.folder.path().join("8.txt")).unwrap();
    std::fs::rename(bench.folder.path().join("9.txt"), bench.folder.path().join("nine.txt")).unwrap();
    let (waits, stale) = (HunkState::Pending, HunkState::Stale);
    told(&bench, "7.txt", &[(2, waits), (5, stale)]).await;
    told(&bench, "8.txt", &[(1, stale), (5, stale)]).await;
    told(&bench, "nine.txt", &[(1, waits), (5, waits)]).await;
    let waiting = bench.proposals();
    assert_eq!(waiting.len(), 99);
    let seventh = waiting.iter().find(|proposal| proposal.files[0].path == "7.txt").unwrap();
    let hunks: Vec<_> = seventh.hunks().map(|hunk| (hunk.start, hunk.state)).collect();
    assert_eq!(hunks, [(2, waits), (5, stale)]);
    assert_eq!(bench.log().matches("\"by\":\"text\"").count(), 2, "{}", bench.log());
}

#[tokio::test]
async fn stale_hunks_wait_again_where_their_text_is_back() {
    let text = numbers(9, &[]);
    let bench = Bench::with(&[("a.txt", &text), ("b.txt", &text)], false);
    for path in ["a.txt", "b.txt"] {
        propose(&bench, path, &numbers(9, &[(2, "two"), (6, "six")])).await;
    }
    let (waits, stale) = (HunkState::Pending, HunkState::Stale);
    // A branch without the one file, and with other lines in the other, is switched to and back.
    bench.write("a.txt", &numbers(9, &[(2, "another two"), (6, "another six")]));
    std::fs::remove_file(bench.folder.path().join("b.txt")).unwrap();
    told(&bench, "a.txt", &[(1, stale), (5, stale)]).await;
    told(&bench, "b.txt", &[(1, stale), (5, stale)]).await;
    assert!(bench.proposals().is_empty());
    bench.editor.told.lock().unwrap().clear();
    bench.write("a.txt", &format!("new\n{text}"));
    bench.write("b.txt", &text);
    told(&bench, "a.txt", &[(2, waits), (6, waits)]).await;
    told(&bench, "b.txt", &[(1, waits), (5, waits)]).await;
    for proposal in bench.proposals() {
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    }
    assert_eq!(bench.disk("a.txt"), format!("new\n{}", numbers(9, &[(2, "two"), (6, "six")])));
    assert_eq!(bench.disk("b.txt"), numbers(9, &[(2, "two"), (6, "six")]));
    assert_eq!(bench.log().matches("\"by\":\"text\"").count(), 4, "{}", bench.log());
}

#[tokio::test]
async fn no_hunk_follows_its_file_to_a_path_that_the_rules_close() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    propose(&bench, "a.txt", &numbers(9, &[(2, "two")])).await;
    std::fs::rename(bench.folder.path().join("a.txt"), bench.folder.path().join(".env")).unwrap();
    told(&bench, "a.txt", &[(1, HunkState::Stale)]).await;
    assert!(bench.proposals().is_empty());
}

#[tokio::test]
async fn a_hunk_of_a_read_only_file_says_so() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[])), ("b.txt", &numbers(9, &[]))], false);
    let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(bench.folder.path().join("a.txt"), read_only).unwrap();
    for path in ["a.txt", "b.txt"] {
        propose(&bench, path, &numbers(9, &[(2, "two")])).await;
    }
    let warnings: Vec<_> =
        bench.proposals().iter().map(|one| one.files[0].hunks[0].warning.clone()).collect();
    assert_eq!(warnings, [Some("its file is read-only".to_owned()), None]);
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
    bench.hub.apply_document_event(EditorId::default(), DocumentEvent::Closed { uri });
    told(&bench, "a.txt", &[(1, HunkState::Pending)]).await;
}

/// A person goes on typing while an agent's change waits in the same lines: both are kept, as git would merge them.
#[tokio::test]
async fn what_is_typed_beside_the_changed_words_of_a_hunk_becomes_part_of_it() {
    let text = "fn a() {\n    let total = 1;\n}\n";
    let bench = Bench::with(&[("a.txt", text)], true);
    bench.open("a.txt");
    let (_, proposal) = bench
        .propose("fs.write", json!({ "path": "a.txt", "content": text.replace("= 1;", "= 2;\n    done();") }))
        .await;
    let shown = || {
        let told = bench.editor.told.lock().unwrap();
        let last = told.iter().rev().find_map(|notice| match notice {
            EditorNotice::Changed(proposal) => proposal.hunks().next().cloned(),
            _ => None,
        });
        last.map(|hunk| (hunk.state, hunk.old.concat(), hunk.new.concat()))
    };
    for letters in ["s", "su", "sum", "sum_total"] {
        let typed = text.replace("total", letters);
        bench.type_in("a.txt", &typed);
        told(&bench, "a.txt", &[(1, HunkState::Pending)]).await;
        let (old, new) =
            (format!("    let {letters} = 1;\n"), format!("    let {letters} = 2;\n    done();\n"));
        assert_eq!(shown(), Some((HunkState::Pending, old, new)));
        bench.editor.told.lock().unwrap().clear();
    }
    // Taken back, and typed once more.
    bench.type_in("a.txt", text);
    told(&bench, "a.txt", &[(1, HunkState::Pending)]).await;
    assert_eq!(shown().unwrap().2, "    let total = 2;\n    done();\n");
    assert!(!bench.proposals()[0].files[0].hunks[0].edited, "it is the agent's again");
    let typed = text.replace("total", "sum").replace("fn a", "// Why\nfn a");
    bench.type_in("a.txt", &typed);
    let decided = bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
    assert!(decided.problems.is_empty(), "{decided:?}");
    let now = bench.buffer("a.txt");
    assert_eq!(now, "// Why\nfn a() {\n    let sum = 2;\n    done();\n}\n");
    // The words that the hunk changes are a conflict: it is set aside, and nothing of the person's is lost.
    let (_, proposal) =
        bench.propose("fs.write", json!({ "path": "a.txt", "content": now.replace("= 2;", "= 3;") })).await;
    bench.type_in("a.txt", &now.replace("= 2;", "= 4;"));
    told(&bench, "a.txt", &[(2, HunkState::Stale)]).await;
    assert!(bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.is_err());
    bench.type_in("a.txt", &now);
    told(&bench, "a.txt", &[(2, HunkState::Pending)]).await;
    bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), now.replace("= 2;", "= 3;"));
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
        environment: None,
    });
    hub.add_root(&root).unwrap();
    let listed = hub.folder_at(None).unwrap().queue().store().list_proposals(&ProposalsParams::default());
    let states: Vec<_> = listed[0].hunks().map(|hunk| hunk.state).collect();
    assert_eq!(states, [HunkState::Pending, HunkState::Stale]);
    assert_eq!(files(bench.folder.path()), before, "no log is opened by who only looks");
    // The findings are logged as soon as somebody acts in the folder.
    hub.close();
    assert!(files(bench.folder.path()).len() > before.len());
}
