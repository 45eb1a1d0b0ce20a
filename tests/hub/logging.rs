//! The contents of the session log when an answer comes.

use serde_json::json;

use wherefore::protocol::{EditorNotice, Envelope, Status};

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
    let log = bench.served().session_log(None).unwrap().path;
    let mut ids = Vec::new();
    for (tool, arguments) in calls.iter().cycle().take(100) {
        let id = bench.call(tool, arguments.clone(), None).await.call_id;
        let text = std::fs::read_to_string(&log).unwrap();
        assert!(text.contains(&format!("\"call_id\":\"{id}\"")), "{tool}");
        ids.push(id);
    }
    // The end of a read-only call may be logged a moment later; a request to the server sees it.
    let text = bench.log();
    for id in ids {
        assert_eq!(text.matches(&format!("\"call_id\":\"{id}\"")).count(), 2, "{id}");
    }
}

#[tokio::test]
async fn a_root_made_anew_is_worked_in_without_a_restart() {
    let bench = Bench::with(&[("a.txt", "alpha\n")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let found = |answer: Envelope| answer.result.unwrap_or_default().to_string();
    assert!(found(bench.call("search.lexical", json!({ "query": "alpha" }), None).await).contains("a.txt"));
    let root = bench.folder.path().canonicalize().unwrap();
    // The server may make a file of its own in it meanwhile.
    assert!((0..100).any(|_| std::fs::remove_dir_all(&root).is_ok()), "the root stays");
    std::fs::create_dir(&root).unwrap();
    bench.write("b.txt", "beta\n");
    let answer = bench.call("search.lexical", json!({ "query": "beta" }), None).await;
    assert!(
        answer.warnings.iter().any(|warning| warning.contains("another folder")),
        "{:?}",
        answer.warnings
    );
    assert!(found(answer).contains("b.txt"));
    assert!(!found(bench.call("search.lexical", json!({ "query": "alpha" }), None).await).contains("a.txt"));
    let write = json!({ "path": "c.txt", "content": "gamma\n" });
    assert!(bench.call("fs.write", write, None).await.status == Status::Ok);
    assert!(found(bench.call("search.lexical", json!({ "query": "gamma" }), None).await).contains("c.txt"));
    assert!(bench.log().contains("\"type\":\"recovery\""));
    let told = bench.editor.told.lock().unwrap();
    let troubles = told.iter().filter(|notice| matches!(notice, EditorNotice::Trouble(_))).count();
    assert_eq!(troubles, 2, "the folder and the log are told of once each");
}

#[tokio::test]
async fn a_tool_whose_definition_was_refused_is_missing_for_a_reason() {
    let whole = "tool:\n  name: greet.person\n  description: Greets.\n  input_schema: { type: object, properties: { why: { type: string, description: Why. } }, required: [why] }\n  risk: harmless\n  aliases: [say_hello]\n";
    let broken = "custom_tools:\n  - name: broken.tool\n    description: [\n";
    let files = [(".wherefore/tools/greet.yaml", whole), (".wherefore/tools/broken.yaml", broken)];
    let bench = Bench::with(&files, false);
    for (name, file, rule) in [
        ("greet.person", "greet.yaml:5", "(risk)"),
        ("greet_person", "greet.yaml:5", "(risk)"),
        ("say_hello", "greet.yaml:5", "(risk)"),
        ("broken.tool", "broken.yaml:", "(yaml)"),
    ] {
        let fault = bench.call(name, json!({ "name": "you" }), None).await.error.unwrap();
        assert_eq!(fault.code, wherefore::protocol::Code::ToolNotFound);
        assert!(fault.message.contains("was refused"), "{fault:?}");
        assert!(fault.message.contains(file) && fault.message.contains(rule), "{fault:?}");
    }
    let fault = bench.call("nobody.defines.this", json!({}), None).await.error.unwrap();
    assert!(!fault.message.contains("refused"), "{fault:?}");
}
