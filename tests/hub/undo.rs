//! Undo: the old bytes, later edits kept, refused where they overlap, itself undone.

use serde_json::json;
use wherefore::protocol::{Act, Code, Policy};
use wherefore::requests::Undo;
use wherefore::requests::undo::UndoParams;

use crate::support::{Bench, numbers};

async fn undo(bench: &Bench, call: Option<&str>) -> Result<String, Code> {
    let params = UndoParams { call: call.map(str::to_owned), root: None };
    bench.ask::<Undo>(params).await.map(|answer| answer.undo_id.to_string()).map_err(|fault| fault.code)
}

#[tokio::test]
async fn an_undo_brings_the_bytes_back_and_is_itself_undone() {
    let bench = Bench::with(&[("a.txt", "a\r\nb")], false);
    bench.call("fs.write", json!({ "path": "a.txt", "content": "c\n" }), Some(Policy::Hold)).await;
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let after = bench.disk("a.txt");
    let first = undo(&bench, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "a\r\nb");
    assert_eq!(undo(&bench, None).await, Err(Code::NotFound), "nothing else stands");
    undo(&bench, Some(&first)).await.unwrap();
    assert_eq!(bench.disk("a.txt"), after);
    undo(&bench, Some(&proposal.call_id)).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "a\r\nb");
}

#[tokio::test]
async fn later_edits_stay_and_overlapping_ones_refuse() {
    let bench = Bench::new(&[("a.txt", &numbers(20, &[]))]);
    bench.open("a.txt");
    let content = numbers(20, &[(3, "three"), (12, "twelve")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let id = call.await.unwrap().call_id;
    bench.type_in("a.txt", &numbers(20, &[(1, "my own"), (3, "three"), (12, "twelve, says I")]));
    assert_eq!(undo(&bench, Some(&id)).await, Err(Code::Stale));
    assert_eq!(bench.buffer("a.txt"), numbers(20, &[(1, "my own"), (3, "three"), (12, "twelve, says I")]));
    bench.type_in("a.txt", &numbers(20, &[(1, "my own"), (3, "three"), (12, "twelve")]));
    undo(&bench, Some(&id)).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), numbers(20, &[(1, "my own")]));
}

#[tokio::test]
async fn hunks_accepted_one_by_one_with_typing_between_are_undone_together() {
    let bench = Bench::new(&[("a.txt", &numbers(20, &[]))]);
    bench.open("a.txt");
    let content = numbers(20, &[(3, "three"), (12, "twelve")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
    bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
    bench.type_in("a.txt", &format!("top\n{}", bench.buffer("a.txt")));
    bench.decide(&proposal.id, &["h2"], Act::Accept, None).await.unwrap();
    let id = call.await.unwrap().call_id;
    assert_eq!(bench.buffer("a.txt"), format!("top\n{content}"));
    undo(&bench, Some(&id)).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), format!("top\n{}", numbers(20, &[])));
}

#[tokio::test]
async fn folders_and_copies_are_undone() {
    let bench = Bench::new(&[("src/a.txt", "a\n"), ("src/b.bin", "\0\u{1}")]);
    bench.call("fs.mkdir", json!({ "path": "x/y" }), Some(Policy::Hold)).await;
    let waits: Vec<_> = bench.proposals();
    bench.decide(&waits[0].id, &[], Act::Accept, None).await.unwrap();
    assert!(bench.folder.path().join("x/y").is_dir());
    let made = undo(&bench, None).await.unwrap();
    assert!(!bench.folder.path().join("x").exists());
    undo(&bench, Some(&made)).await.unwrap();
    assert!(bench.folder.path().join("x/y").is_dir());
    bench.call("fs.copy", json!({ "src": "src", "dst": "copy" }), Some(Policy::Hold)).await;
    let waits = bench.proposals();
    bench.decide(&waits[0].id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(std::fs::read(bench.folder.path().join("copy/b.bin")).unwrap(), b"\0\x01");
    undo(&bench, None).await.unwrap();
    assert!(!bench.folder.path().join("copy").exists());
}

#[tokio::test]
async fn what_the_editor_took_back_is_not_taken_back_again() {
    let bench = Bench::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    bench.open("a.txt");
    let mut calls = Vec::new();
    for (path, text) in [("b.txt", "two\n"), ("a.txt", "two\n")] {
        let (call, proposal) = bench.propose("fs.write", json!({ "path": path, "content": text })).await;
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        calls.push(call.await.unwrap().call_id);
    }
    // The editor's own undo: the buffer is as before, the disk is not.
    bench.type_in("a.txt", "one\n");
    let before = bench.log();
    let params = UndoParams { call: None, root: None };
    let fault = bench.ask::<Undo>(params).await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    assert!(fault.message.contains("nothing of c-"), "{}", fault.message);
    assert!(fault.message.contains("a.txt is as it was before, in the editor"), "{}", fault.message);
    assert!(fault.suggestion.is_some_and(|text| text.contains(&*calls[0])), "the one before is named");
    assert_eq!(bench.log(), before, "no undo is logged that did nothing");
    // Its redo: the change is in place again and can be taken back like any other.
    bench.type_in("a.txt", "two\n");
    let back = undo(&bench, None).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), "one\n");
    undo(&bench, Some(&back)).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), "two\n");
    undo(&bench, Some(&calls[0])).await.unwrap();
    assert_eq!(bench.disk("b.txt"), "one\n");
}

#[tokio::test]
async fn an_undo_names_only_what_it_changed() {
    let bench = Bench::new(&[("src/a.txt", "a\n"), ("src/b.txt", "b\n")]);
    bench.call("fs.copy", json!({ "src": "src", "dst": "copy" }), Some(Policy::Hold)).await;
    let waits = bench.proposals();
    bench.decide(&waits[0].id, &[], Act::Accept, None).await.unwrap();
    bench.write("copy/mine.txt", "mine\n");
    let answer = bench.ask::<Undo>(UndoParams { call: None, root: None }).await.unwrap();
    assert_eq!(answer.paths, ["copy/b.txt", "copy/a.txt"], "the folder stays for what was put into it");
    assert_eq!(bench.disk("copy/mine.txt"), "mine\n");
}

#[tokio::test]
async fn an_undo_rejects_what_still_waits_of_its_call() {
    let bench = Bench::with(&[("a.txt", &numbers(20, &[]))], false);
    let content = numbers(20, &[(3, "three"), (12, "twelve")]);
    let write = json!({ "path": "a.txt", "content": content });
    bench.call("fs.write", write.clone(), Some(Policy::Hold)).await;
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
    let params = UndoParams { call: Some(proposal.call_id.to_string()), root: None };
    let answer = bench.ask::<Undo>(params).await.unwrap();
    assert_eq!((answer.paths[0].as_str(), answer.paths.len(), answer.withdrawn), ("a.txt", 1, 1));
    assert_eq!(bench.disk("a.txt"), numbers(20, &[]));
    assert_eq!(bench.proposals(), [], "nothing of it waits");
    let told = bench.call("fs.ls", json!({ "path": "." }), None).await.decisions;
    assert_eq!((told.len(), told[0].status.as_str()), (1, "undone"));
    assert_eq!(told[0].hunks[1].state.as_str(), "rejected");
    assert!(bench.log().contains("the call was taken back"), "{}", bench.log());
    // If nothing of it was accepted yet, only the pending hunks are affected.
    bench.call("fs.write", write, Some(Policy::Hold)).await;
    let proposal = bench.proposals().remove(0);
    let params = UndoParams { call: Some(proposal.call_id.to_string()), root: None };
    let answer = bench.ask::<Undo>(params).await.unwrap();
    assert_eq!((answer.undo_id.as_str(), answer.paths.len(), answer.withdrawn), ("", 0, 2));
    assert_eq!((bench.proposals().len(), bench.disk("a.txt")), (0, numbers(20, &[])));
    let told = bench.call("fs.ls", json!({ "path": "." }), None).await.decisions;
    assert_eq!((told.len(), told[0].status.as_str()), (1, "rejected"));
}

#[tokio::test]
async fn a_removed_file_is_brought_back_though_an_editor_shows_it_still() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.open("a.txt");
    let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let (call, proposal) = bench.propose("fs.patch", json!({ "path": "a.txt", "diff": diff })).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let id = call.await.unwrap().call_id;
    assert_eq!(bench.disk("a.txt"), "(none)");
    undo(&bench, Some(&id)).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "a\n");
}
