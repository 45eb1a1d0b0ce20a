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
