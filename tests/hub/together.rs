//! Two agents and an editor with unsaved text on one file: every answer is true and nothing is lost.

use serde_json::json;
use wherefore::protocol::{Act, Code, Policy};

use crate::support::{Bench, numbers};

#[tokio::test]
async fn a_dirty_buffer_is_read_and_edited_through_the_editor() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    bench.open("a.txt");
    bench.type_in("a.txt", &numbers(9, &[(1, "unsaved")]));
    let read = bench.call("fs.read", json!({ "path": "a.txt" }), None).await.result.unwrap();
    assert_eq!(
        (read["content"].as_str().unwrap(), &read["unsaved"]),
        (numbers(9, &[(1, "unsaved")]).as_str(), &json!(true))
    );
    let found = bench.call("search.lexical", json!({ "query": "unsaved" }), None).await.result.unwrap();
    assert_eq!(found[0]["path"], "a.txt");
    let (call, proposal) = bench.propose("fs.append", json!({ "path": "a.txt", "text": "ten\n" })).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let answer = call.await.unwrap().result.unwrap();
    assert_eq!(bench.buffer("a.txt"), format!("{}ten\n", numbers(9, &[(1, "unsaved")])));
    assert_eq!((bench.disk("a.txt"), &answer["unsaved"]), (numbers(9, &[]), &json!(true)));
}

#[tokio::test]
async fn two_agents_on_one_file_both_get_a_true_answer() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    bench.open("a.txt");
    bench.type_in("a.txt", &numbers(9, &[(9, "unsaved")]));
    let one = numbers(9, &[(2, "two of one"), (9, "unsaved")]);
    let other = numbers(9, &[(2, "two of other"), (5, "five of other"), (9, "unsaved")]);
    let (first, a) = bench.propose("fs.write", json!({ "path": "a.txt", "content": one })).await;
    let (second, b) = bench.propose("fs.write", json!({ "path": "a.txt", "content": other })).await;
    bench.decide(&a.id, &[], Act::Accept, None).await.unwrap();
    bench.decide(&b.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(first.await.unwrap().result.unwrap()["status"], "applied");
    let answer = second.await.unwrap().result.unwrap();
    assert_eq!(
        (&answer["status"], &answer["hunks"][0]["state"], &answer["hunks"][1]["state"]),
        (&json!("partly_applied"), &json!("stale"), &json!("accepted"))
    );
    assert_eq!(bench.buffer("a.txt"), numbers(9, &[(2, "two of one"), (5, "five of other"), (9, "unsaved")]));
}

#[tokio::test]
async fn an_old_hash_is_stale_and_says_what_changed() {
    let bench = Bench::new(&[("a.txt", "a\nb\n")]);
    let hash = bench.call("fs.read", json!({ "path": "a.txt" }), None).await.result.unwrap()["hash"].clone();
    bench.write("a.txt", "a\nB\n");
    for (tool, rest) in [
        ("fs.write", json!({ "content": "x\n" })),
        ("fs.append", json!({ "text": "x\n" })),
        ("fs.patch", json!({ "diff": "@@ -1,2 +1,2 @@\n a\n-b\n+x\n" })),
    ] {
        let mut arguments = rest;
        arguments["path"] = json!("a.txt");
        arguments["expected_hash"] = hash.clone();
        let fault = bench.call(tool, arguments, Some(Policy::Auto)).await.error.unwrap();
        assert_eq!(fault.code, Code::Stale, "{tool}");
        let changed = fault.details.unwrap()["changed"].as_str().unwrap().to_owned();
        assert!(changed.contains("-b\n+B\n"), "{changed}");
    }
    assert_eq!(bench.disk("a.txt"), "a\nB\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_appends_at_once_are_all_there() {
    let settings = "[review]\npolicy = \"auto\"\n";
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), settings).unwrap();
    let bench = Bench::with(&[("a.txt", "")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let calls = (0..20).map(|n| {
        bench.call_as(
            "appender/1",
            "fs.append",
            json!({ "path": "a.txt", "text": format!("line {n}\n") }),
            None,
        )
    });
    let answers = futures::future::join_all(calls).await;
    let text = bench.disk("a.txt");
    for (n, answer) in answers.iter().enumerate() {
        let applied = answer.result.as_ref().is_some_and(|result| result["status"] == "applied");
        let there = text.lines().filter(|line| *line == format!("line {n}")).count();
        assert_eq!(there, usize::from(applied), "line {n}: {answer:?}");
    }
    assert!(text.lines().count() > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_writes_to_one_line_the_later_is_stale_with_the_fresh_hash() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let mut stale = 0;
    for round in 0..40 {
        let write = |agent: &'static str| {
            let content = numbers(9, &[(5, &format!("{agent} {round}"))]);
            bench.call_as(agent, "fs.write", json!({ "path": "a.txt", "content": content }), None)
        };
        let (one, other) = tokio::join!(write("one/1"), write("other/1"));
        let mut applied = 0;
        for answer in [&one, &other] {
            match (&answer.result, &answer.error) {
                (Some(result), None) => {
                    assert_eq!(result["status"], "applied", "{answer:?}");
                    applied += 1;
                }
                (_, Some(fault)) => {
                    assert_eq!((fault.code, fault.applied), (Code::Stale, None), "{fault:?}");
                    let details = fault.details.as_ref().unwrap();
                    let fresh = bench.call("fs.read", json!({ "path": "a.txt" }), None).await.result.unwrap();
                    assert_eq!(details["hash"], fresh["hash"], "{fault:?}");
                    assert_eq!(fault.next_action.as_ref().unwrap()["tool"], "fs.read", "{fault:?}");
                    stale += 1;
                }
                (None, None) => panic!("neither result nor fault: {answer:?}"),
            }
        }
        assert!(applied > 0, "{one:?}\n{other:?}");
    }
    assert!(stale < 80, "each time one of them is applied");
}

#[tokio::test]
async fn a_text_that_changed_since_its_agent_read_it_is_not_written_over() {
    let bench = Bench::with(&[("a.txt", "a\nb\nc\n")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let read = |agent: &'static str| bench.call_as(agent, "fs.read", json!({ "path": "a.txt" }), None);
    let write = |agent: &'static str, content: &'static str| {
        bench.call_as(agent, "fs.write", json!({ "path": "a.txt", "content": content }), None)
    };
    read("one/1").await;
    bench.write("a.txt", "a\nB\nc\n");
    let fault = write("one/1", "a\nb\nC\n").await.error.unwrap();
    let now = read("other/1").await.result.unwrap()["hash"].clone();
    let details = fault.details.unwrap();
    assert_eq!((fault.code, &details["hash"]), (Code::Stale, &now));
    assert!(details["changed"].as_str().unwrap().contains("-b\n+B\n"), "{details}");
    assert_eq!((fault.next_action.unwrap()["tool"].as_str(), fault.applied), (Some("fs.read"), None));
    assert_eq!(bench.disk("a.txt"), "a\nB\nc\n");
    // This lasts until the agent reads the file, or names the text that it expects.
    assert_eq!(write("one/1", "x\n").await.error.unwrap().code, Code::Stale);
    let meant = json!({ "path": "a.txt", "content": "a\nB\nC\n", "expected_hash": now });
    assert_eq!(bench.call_as("one/1", "fs.write", meant, None).await.result.unwrap()["status"], "applied");
    // An agent that read nothing may write the file, and an agent knows its own changes to a text that it read.
    assert_eq!(write("third/1", "three\n").await.result.unwrap()["status"], "applied");
    read("one/1").await;
    let edit = json!({ "path": "a.txt", "find": "three", "replace": "four" });
    assert_eq!(bench.call_as("one/1", "fs.edit", edit, None).await.result.unwrap()["status"], "applied");
    assert_eq!(write("one/1", "five\n").await.result.unwrap()["status"], "applied");
    assert_eq!(write("one/1", "six\n").await.result.unwrap()["status"], "applied");
    // A removed file can be written again by an agent that got the report of that.
    std::fs::remove_file(bench.folder.path().join("a.txt")).unwrap();
    let fault = write("one/1", "seven\n").await.error.unwrap();
    assert_eq!((fault.code, &fault.details.unwrap()["hash"]), (Code::Stale, &json!(null)));
    assert_eq!(write("one/1", "seven\n").await.result.unwrap()["status"], "applied");
}

#[tokio::test]
async fn a_change_that_waits_and_is_accepted_in_part_is_known_to_its_agent() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    let (path, content) = ("a.txt", numbers(9, &[(2, "two"), (6, "six")]));
    bench.call("fs.read", json!({ "path": path }), None).await;
    bench.call("fs.write", json!({ "path": path, "content": content }), Some(Policy::Hold)).await;
    let id = bench.proposals().remove(0).id;
    bench.decide(&id, &["h1"], Act::Accept, None).await.unwrap();
    bench.decide(&id, &["h2"], Act::Reject, None).await.unwrap();
    let again = json!({ "path": path, "content": numbers(9, &[(2, "two"), (7, "seven")]) });
    let answer = bench.call("fs.write", again, Some(Policy::Hold)).await;
    assert_eq!(answer.result.unwrap()["status"], "pending");
}
