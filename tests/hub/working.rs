//! The working set: the effects of touches, hints, pins and reviews, and the notices to the editor.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::json;
use wherefore::protocol::{
    Act, Advice, Code, EditorNotice, Fault, HintAct, HintOutcome, HintParams, Outcome, Policy, WorkingFile,
};
use wherefore::requests::Collect;
use wherefore::requests::collect::CollectParams;

use crate::support::Bench;

fn files(bench: &Bench) -> Vec<WorkingFile> {
    bench.served().session().working_files().working_set().files
}

fn file(bench: &Bench, path: &str) -> WorkingFile {
    files(bench)
        .into_iter()
        .find(|file| file.path == path)
        .unwrap_or_else(|| panic!("{path} is not in the set"))
}

fn hint(bench: &Bench, path: &str, advice: HintAct) -> Result<HintOutcome, Fault> {
    let why = Some("It is mine".into());
    let params = HintParams { path: path.to_owned(), advice, why, root: None };
    Ok(bench.served().session().working_files().apply_hint(&params)?)
}

async fn read(bench: &Bench, path: &str, times: usize) {
    for _ in 0..times {
        let arguments = json!({ "path": path, "why": "Find where the limit is set" });
        let answer = bench.call_as("codex/1", "fs.read", arguments, None).await;
        assert_eq!(answer.error, None);
    }
}

/// The number of notices to the editor that other files matter.
fn told(bench: &Bench) -> usize {
    bench.editor.told.lock().unwrap().iter().filter(|notice| **notice == EditorNotice::WorkingSet).count()
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{what}: it never came to that");
}

#[tokio::test]
async fn what_is_touched_more_is_hotter_and_says_why() {
    let bench = Bench::new(&[("a.rs", "a\n"), ("b.rs", "b\n"), ("c.md", "c\n"), ("d.rs", "d\n")]);
    assert_eq!(files(&bench), []);
    read(&bench, "a.rs", 3).await;
    read(&bench, "b.rs", 1).await;
    bench.call("fs.ls", json!({ "path": "." }), None).await;
    bench.open("c.md");
    bench.type_in("c.md", "typed\n");
    let order: Vec<(String, Vec<String>)> =
        files(&bench).into_iter().map(|file| (file.path, file.reasons)).collect();
    assert_eq!(
        order,
        [
            (
                "c.md".to_owned(),
                vec!["open in the editor, with unsaved changes".to_owned(), "edited just now".to_owned()]
            ),
            (
                "a.rs".to_owned(),
                vec!["3 reads by codex/1, the last just now: Find where the limit is set".to_owned()]
            ),
            ("b.rs".to_owned(), vec!["1 read by codex/1, just now: Find where the limit is set".to_owned()]),
        ]
    );
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "b.rs", "content": "B\n" })).await;
    let found = file(&bench, "b.rs");
    assert_eq!(found.pending_hunks, 1);
    assert_eq!(found.reasons[0], format!("1 hunk of proposal {} waits for a decision", proposal.id));
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    call.await.unwrap();
    let found = file(&bench, "b.rs");
    assert_eq!(
        (found.pending_hunks, found.reasons[0].starts_with("1 change by tester/1, just now: ")),
        (0, true)
    );
    // A file that is gone from the disk is gone from the set.
    std::fs::remove_file(bench.folder.path().join("a.rs")).unwrap();
    assert!(files(&bench).iter().all(|file| file.path != "a.rs"));
}

#[tokio::test]
async fn a_person_pins_and_says_hot_and_cold() {
    let bench = Bench::new(&[("a.rs", &"a\n".repeat(100)), ("b.rs", "b\n"), (".env", "KEY=1\n")]);
    assert_eq!(hint(&bench, "a.rs", HintAct::Pin).unwrap().outcome, Outcome::Honoured);
    hint(&bench, "b.rs", HintAct::Hot).unwrap();
    let found = file(&bench, "a.rs");
    assert_eq!((found.pinned, found.hotness, found.tokens), (true, 0.9, Some(50)));
    let found = file(&bench, "b.rs");
    assert_eq!(
        (found.advice, found.reasons),
        (Some(Advice::Hot), vec!["called hot by the person: It is mine".into()])
    );
    hint(&bench, "b.rs", HintAct::Cold).unwrap();
    assert_eq!(file(&bench, "b.rs").advice, Some(Advice::Cold));
    assert!(!bench.disk(".wherefore/hot.yml").contains("b.rs"), "{}", bench.disk(".wherefore/hot.yml"));
    hint(&bench, "b.rs", HintAct::Clear).unwrap();
    hint(&bench, "a.rs", HintAct::Unpin).unwrap();
    assert_eq!(files(&bench), []);
    let missing = hint(&bench, "c/a.rs", HintAct::Pin).unwrap_err();
    assert_eq!(missing.code, Code::NotFound);
    assert_eq!(hint(&bench, ".env", HintAct::Hot).unwrap_err().code, Code::PermissionDenied);
    assert_eq!(hint(&bench, ".", HintAct::Hot).unwrap_err().code, Code::InvalidArgs);
    assert!(bench.log().contains("Hint by person: 1 file"), "{}", bench.log());
}

#[tokio::test]
async fn what_a_person_writes_counts_and_stays() {
    let bench = Bench::new(&[("a.rs", "a\n"), ("b.rs", "b\n")]);
    hint(&bench, "a.rs", HintAct::Hot).unwrap();
    let own = "# mine\n- b.rs # the other\n- path: gone.rs\n  why: Soon\n";
    bench.write(".wherefore/hot.yml", own);
    bench.write(
        ".wherefore/working-set.yml",
        "budget: 77\nfiles:\n  - path: b.rs\n    priority: 1\n    role: sauce\n",
    );
    let set = bench.served().session().working_files().working_set();
    assert_eq!(set.budget, 77);
    assert_eq!(set.problems.len(), 1, "{:?}", set.problems);
    assert!(bench.served().workspace_status().problems.contains(&set.problems[0]));
    let paths: Vec<&str> = set.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["b.rs", "gone.rs"]);
    assert_eq!(set.files[0].priority, Some(1));
    assert!(set.files[1].reasons.contains(&"there is no such file, or it is closed by a rule".to_owned()));
    hint(&bench, "a.rs", HintAct::Hot).unwrap();
    hint(&bench, "a.rs", HintAct::Clear).unwrap();
    assert_eq!(bench.disk(".wherefore/hot.yml"), own);
    // A slip of theirs costs nothing: it is named, and nothing is written over it.
    bench.write(".wherefore/hot.yml", "- [oops\n");
    let fault = hint(&bench, "a.rs", HintAct::Hot).unwrap_err();
    assert!(fault.message.contains(".wherefore/hot.yml"), "{fault:?}");
    assert_eq!(bench.disk(".wherefore/hot.yml"), "- [oops\n");
}

#[tokio::test]
async fn the_editor_hears_of_it_once_and_only_of_changes() {
    let bench = Bench::new(&[("a.rs", "a\n"), ("b.rs", "b\n")]);
    bench.open("a.rs");
    until("opened", || told(&bench) == 1).await;
    for key in 0..100 {
        bench.type_in("a.rs", &format!("{key}\n"));
    }
    until("typed", || told(&bench) == 2).await;
    hint(&bench, "a.rs", HintAct::Pin).unwrap();
    until("pinned", || told(&bench) == 3).await;
    hint(&bench, "b.rs", HintAct::Cold).unwrap();
    until("cold", || told(&bench) == 4).await;
    // Pinning again changes nothing; what comes after it shows that it was looked at.
    hint(&bench, "a.rs", HintAct::Pin).unwrap();
    tokio::time::sleep(Duration::from_millis(250)).await;
    hint(&bench, "a.rs", HintAct::Unpin).unwrap();
    until("unpinned", || told(&bench) >= 5).await;
    assert_eq!(told(&bench), 5);
}

#[tokio::test]
async fn agents_hints_end_with_the_session_and_a_persons_stay() {
    let bench = Bench::new(&[("a.rs", "a\n"), ("b.rs", "b\n")]);
    hint(&bench, "a.rs", HintAct::Hot).unwrap();
    let arguments =
        json!({ "hot": [{ "path": "b.rs", "why": "The parser is here" }], "why": "Keep the parser at hand" });
    let answer = bench.call("memory.advise", arguments, None).await;
    assert_eq!(answer.error, None);
    assert_eq!(file(&bench, "b.rs").advice, Some(Advice::Hot));
    bench.hub.close();
    let left = bench.disk(".wherefore/hot.yml");
    assert!(left.contains("a.rs") && !left.contains("b.rs"), "{left}");
    assert!(bench.log().contains("an agent's hint ends with the session"), "{}", bench.log());
}

#[tokio::test]
async fn what_has_cooled_is_dropped_where_somebody_asks() {
    let bench = Bench::new(&[("a.rs", "a\n"), ("b.rs", &"b\n".repeat(100))]);
    bench.hub.settings_changed(Some(json!({ "memory": { "budget": 10 }, "review": { "policy": "auto" } })));
    read(&bench, "a.rs", 6).await;
    read(&bench, "b.rs", 1).await;
    let dropped = bench.ask::<Collect>(CollectParams::default()).await.unwrap().dropped;
    let told: Vec<_> = dropped.iter().map(|dropped| (dropped.path.as_str(), dropped.outcome)).collect();
    assert_eq!(told, [("b.rs", Outcome::Dropped)]);
    assert!(dropped[0].reason.contains("50 of them its"), "{}", dropped[0].reason);
    assert_eq!(files(&bench).len(), 1);
    assert_eq!(bench.ask::<Collect>(CollectParams::default()).await.unwrap().dropped, []);
    let policy =
        bench.call("fs.write", json!({ "path": "b.rs", "content": "B\n" }), Some(Policy::Auto)).await;
    assert_eq!(policy.error, None);
    assert!(file(&bench, "b.rs").hotness > 0.4, "what is touched again is back");
}

#[tokio::test]
async fn what_is_written_into_the_files_by_hand_is_told() {
    let bench = Bench::new(&[("a.rs", "a\n"), (".wherefore/cold.yml", "[]\n")]);
    // The watch begins on a task of its own: until it works, the file is written again.
    let tries = Cell::new(0);
    until("the set is told", || {
        tries.set(tries.get() + 1);
        let line = format!("- path: a.rs\n  why: Look here, I say for the {}. time\n", tries.get());
        bench.write(".wherefore/hot.yml", &line);
        told(&bench) > 0
    })
    .await;
    assert_eq!(file(&bench, "a.rs").path, "a.rs");
}

#[tokio::test]
async fn heat_follows_a_renamed_file() {
    let bench = Bench::new(&[("a.rs", "fn a() {}\n"), ("b.rs", "b\n")]);
    read(&bench, "a.rs", 2).await;
    // Events during the start of the watch are not reported: then it is moved back, and once more.
    let (old, new) = (bench.folder.path().join("a.rs"), bench.folder.path().join("moved.rs"));
    let moved = Cell::new(Instant::now());
    std::fs::rename(&old, &new).unwrap();
    until("it is warm at its new path", || {
        if moved.get().elapsed() > Duration::from_secs(1) {
            moved.set(Instant::now());
            let (from, to) = if new.exists() { (&new, &old) } else { (&old, &new) };
            std::fs::rename(from, to).unwrap();
        }
        files(&bench).iter().any(|file| file.path == "moved.rs")
    })
    .await;
    assert!(file(&bench, "moved.rs").reasons[0].contains("read"), "{:?}", file(&bench, "moved.rs").reasons);
}
