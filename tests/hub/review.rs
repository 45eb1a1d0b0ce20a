//! Proposals: decided hunk by hunk, applied at once, read back.

use serde_json::json;
use wherefore::protocol::{Act, Code, Status};

use crate::support::{Bench, Manner, numbers, states};

const FIVE: [(usize, &str); 5] = [(2, "two"), (6, "six"), (10, "ten"), (14, "fourteen"), (18, "eighteen")];

async fn five_hunks(open: bool) {
    let bench = Bench::new(&[("a.txt", &numbers(20, &[]))]);
    if open {
        bench.open("a.txt");
    }
    let (call, proposal) =
        bench.propose("fs.write", json!({ "path": "a.txt", "content": numbers(20, &FIVE) })).await;
    assert_eq!(proposal.hunks().count(), 5);
    bench.decide(&proposal.id, &["h3"], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), numbers(20, &[(10, "ten")]));
    bench.decide(&proposal.id, &["h2", "h4"], Act::Reject, Some("figures read better")).await.unwrap();
    bench.decide(&proposal.id, &["h1", "h5"], Act::Accept, None).await.unwrap();
    let answer = call.await.unwrap();
    let expected = numbers(20, &[(2, "two"), (10, "ten"), (18, "eighteen")]);
    assert_eq!(bench.disk("a.txt"), expected);
    if open {
        assert_eq!(bench.buffer("a.txt"), expected);
    }
    assert_eq!(answer.status, Status::Ok);
    let result = answer.result.unwrap();
    assert_eq!(result["status"], "partly_applied");
    assert_eq!(states(&result), ["h1 accepted", "h2 rejected", "h3 accepted", "h4 rejected", "h5 accepted"]);
    assert_eq!(result["hunks"][1]["reason"], "figures read better");
    assert!(result["hash"].is_string(), "{result}");
    let log = bench.log();
    assert!(log.contains("figures read better") && log.contains("partly_applied"), "{log}");
}

#[tokio::test]
async fn five_hunks_on_disk_three_accepted() {
    five_hunks(false).await;
}

#[tokio::test]
async fn five_hunks_in_the_editor_three_accepted() {
    five_hunks(true).await;
}

#[tokio::test]
async fn rejecting_everything_is_a_fault_with_the_reason() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": "b\n" })).await;
    bench.decide(&proposal.id, &[], Act::Reject, Some("keep the a")).await.unwrap();
    let fault = call.await.unwrap().error.unwrap();
    assert_eq!(fault.code, Code::Rejected);
    assert!(fault.message.contains("keep the a"), "{fault:?}");
    assert_eq!(bench.disk("a.txt"), "a\n");
}

#[tokio::test]
async fn what_an_editor_claims_is_read_back() {
    for (manner, expected) in [(Manner::Claims, "0"), (Manner::Halves, "1"), (Manner::Refuses, "0")] {
        let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
        bench.open("a.txt");
        bench.manner(manner);
        let content = numbers(9, &[(2, "two"), (6, "six")]);
        let (call, proposal) =
            bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
        let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert!(!answer.problems.is_empty(), "{manner:?}");
        let accepted = answer.proposals[0].hunks().filter(|hunk| hunk.state.as_str() == "accepted").count();
        assert_eq!(accepted.to_string(), expected, "{manner:?}");
        bench.manner(Manner::Obeys);
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
        assert_eq!(bench.disk("a.txt"), content);
    }
}

#[tokio::test]
async fn hunks_follow_the_text_and_go_stale_where_it_changes() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    bench.open("a.txt");
    let content = numbers(9, &[(2, "two"), (6, "six")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
    bench.type_in("a.txt", &format!("new first line\n{}", numbers(9, &[(6, "someone's six")])));
    let now = bench.proposals().remove(0);
    let starts: Vec<_> = now.hunks().map(|hunk| (hunk.start, hunk.state.as_str())).collect();
    assert_eq!(starts, [(2, "pending"), (5, "stale")]);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(
        bench.buffer("a.txt"),
        format!("new first line\n{}", numbers(9, &[(2, "two"), (6, "someone's six")]))
    );
    let result = call.await.unwrap().result.unwrap();
    assert_eq!((&result["status"], &result["unsaved"]), (&json!("partly_applied"), &json!(true)));
    assert_eq!(
        bench.disk("a.txt"),
        numbers(9, &[]),
        "a dirty buffer is never written behind the editor's back"
    );
}

#[tokio::test]
async fn an_accepted_hunk_is_taken_back_by_name() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    let content = numbers(9, &[(2, "two\nand a half"), (6, "six")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    call.await.unwrap();
    bench.decide(&proposal.id, &["h1"], Act::Reject, Some("too long")).await.unwrap();
    assert_eq!(bench.disk("a.txt"), numbers(9, &[(6, "six")]));
}

#[tokio::test]
async fn files_are_made_and_removed() {
    let bench = Bench::new(&[("old.txt", "old\n")]);
    let (call, proposal) =
        bench.propose("fs.write", json!({ "path": "deep/er/new.txt", "content": "new\n" })).await;
    assert!(!bench.folder.path().join("deep").exists());
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
    assert_eq!(bench.disk("deep/er/new.txt"), "new\n");
    let diff = "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
    let (call, proposal) = bench.propose("fs.patch", json!({ "path": "old.txt", "diff": diff })).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
    assert_eq!(bench.disk("old.txt"), "(none)");
}

#[tokio::test]
async fn a_new_file_is_new_also_while_its_empty_document_is_open() {
    // Some editors end the one line of an empty document.
    for empty in ["", "\n", "\r\n"] {
        let bench = Bench::new(&[]);
        let content = "new\nfile\n";
        let (call, proposal) =
            bench.propose("fs.write", json!({ "path": "deep/er/new.txt", "content": content })).await;
        bench.open_new("deep/er/new.txt", empty);
        assert_eq!(bench.proposals().len(), 1, "who looks where it will be leaves it as it is");
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
        assert_eq!(bench.buffer("deep/er/new.txt"), content, "it is made where the person sees it");
        assert!(bench.folder.path().join("deep/er").is_dir(), "so that the editor can save it");
    }
}

#[tokio::test]
async fn whether_an_open_file_was_removed_is_the_disks_to_say() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.open("a.txt");
    let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let removal = json!({ "path": "a.txt", "diff": diff });
    let (call, proposal) = bench.propose("fs.patch", removal.clone()).await;
    // Unsaved text is not removed.
    bench.type_in("a.txt", "a\nb\n");
    let waiting = bench.proposals();
    assert!(
        waiting.is_empty()
            || bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap().problems.len() == 1
    );
    assert_eq!((bench.disk("a.txt").as_str(), bench.buffer("a.txt").as_str()), ("a\n", "a\nb\n"));
    drop(call);
    // Saved as it was, it is; the editor shows it to the end.
    bench.type_in("a.txt", "a\n");
    let (call, proposal) = bench.propose("fs.patch", removal).await;
    let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!((answer.problems, bench.disk("a.txt")), (Vec::<String>::new(), "(none)".to_owned()));
    assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
    assert!(bench.proposals().iter().all(|waiting| waiting.id != proposal.id), "nothing of it waits");
    assert!(bench.log().contains("\"status\":\"applied\""), "{}", bench.log());
    let told = bench.editor.told.lock().unwrap();
    assert!(told.iter().any(
        |notice| matches!(notice, wherefore::protocol::EditorNotice::Removed(uri) if uri.ends_with("/a.txt"))
    ));
}

#[tokio::test]
async fn what_somebody_else_removed_is_accepted_though_it_is_shown() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.open("a.txt");
    let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let (call, proposal) = bench.propose("fs.patch", json!({ "path": "a.txt", "diff": diff })).await;
    std::fs::remove_file(bench.folder.path().join("a.txt")).unwrap();
    let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(answer.problems, Vec::<String>::new());
    assert_eq!(call.await.unwrap().result.unwrap()["status"], "applied");
}

#[tokio::test]
async fn a_decision_that_is_broken_off_is_told_as_far_as_it_came() {
    let bench = Bench::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    bench.open("b.txt");
    let diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n\
                diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n";
    let (_call, proposal) = bench.propose("fs.patch", json!({ "diff": diff })).await;
    // It claims that it made the edit, which is waited for.
    bench.manner(Manner::Claims);
    let decision = bench.decide(&proposal.id, &[], Act::Accept, None);
    tokio::time::timeout(std::time::Duration::from_millis(300), decision).await.unwrap_err();
    assert_eq!((bench.disk("a.txt").as_str(), bench.disk("b.txt").as_str()), ("A\n", "b\n"));
    let waiting = bench.proposals().remove(0);
    let states: Vec<_> = waiting.hunks().map(|hunk| (hunk.state.as_str(), hunk.reviewed)).collect();
    assert_eq!(states, [("accepted", true), ("pending", false)]);
    assert_eq!(bench.log().matches("\"type\":\"decision\"").count(), 1, "{}", bench.log());
    bench.manner(Manner::Obeys);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("b.txt"), "B\n");
    assert_eq!(bench.log().matches("\"type\":\"decision\"").count(), 2, "{}", bench.log());
}
