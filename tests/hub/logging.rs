//! What is in the session log when an answer comes.

use serde_json::json;

use crate::support::Bench;

#[tokio::test]
async fn no_answer_comes_before_its_call_is_in_the_log() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    let calls = [
        ("fs.read", json!({ "path": "a.txt" })),
        ("fs.read", json!({ "path": "gone.txt" })),
        ("fs.ls", json!({ "path": "." })),
        ("search.lexical", json!({ "query": "a" })),
        ("no.such.tool", json!({})),
    ];
    bench.call("fs.ls", json!({ "path": "." }), None).await;
    let log = bench.hub.log(None, None).unwrap().path;
    let mut ids = Vec::new();
    for (tool, arguments) in calls.iter().cycle().take(100) {
        let id = bench.call(tool, arguments.clone(), None).await.call_id;
        let text = std::fs::read_to_string(&log).unwrap();
        assert!(text.contains(&format!("call_id: {id}\n")), "{tool}");
        ids.push(id);
    }
    // How a call ended that changed nothing may follow a moment later; whoever asks the server sees it.
    let text = bench.log();
    for id in ids {
        assert_eq!(text.matches(&format!("call_id: {id}\n")).count(), 2, "{id}");
    }
}
