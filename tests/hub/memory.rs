//! The tools of the memory through the pipeline: hints decided, contexts fitted, summaries reviewed.

use serde_json::{Value, json};
use wherefore::protocol::{Act, Code, HintAct, HintParams, Policy, Status};

use self::scripted::{Played, Scripted};
use crate::support::Bench;

#[allow(dead_code, unreachable_pub, reason = "the tests of the models use all of it")]
#[path = "../../server/model/tests/scripted.rs"]
mod scripted;

fn hint(bench: &Bench, path: &str, advice: HintAct) {
    bench
        .served()
        .session()
        .working_files()
        .apply_hint(&HintParams { path: path.to_owned(), advice, why: None, root: None })
        .unwrap();
}

async fn result(bench: &Bench, tool: &str, arguments: Value) -> Value {
    let answer = bench.call(tool, arguments, Some(Policy::Auto)).await;
    assert_eq!(answer.error, None, "{tool}");
    (*answer.result.unwrap()).clone()
}

/// The paths under one member of an answer.
fn paths(answer: &Value, member: &str) -> Vec<String> {
    let all = answer[member].as_array().unwrap();
    all.iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn each_hint_is_answered_with_what_became_of_it() {
    let lines = "a line of some words\n".repeat(10_000);
    let bench = Bench::new(&[
        ("a.rs", "a\n"),
        ("pinned.rs", "p\n"),
        ("busy.rs", "b\n"),
        ("open.rs", "o\n"),
        ("big.rs", lines.as_str()),
        (".env", "KEY=1\n"),
    ]);
    hint(&bench, "pinned.rs", HintAct::Pin);
    for _ in 0..8 {
        bench.call("fs.read", json!({ "path": "busy.rs" }), None).await;
    }
    bench.open("open.rs");
    bench.type_in("open.rs", "typed\n");
    let cold = ["pinned.rs", "busy.rs", "open.rs", "a.rs"]
        .map(|path| json!({ "path": path, "why": "Done with it" }));
    let hot = ["big.rs", "./b.rs", ".env", "a.rs", "../x"]
        .map(|path| json!({ "path": path, "why": "It comes next" }));
    let answer = result(&bench, "memory.advise", json!({ "hot": hot, "cold": cold })).await;
    let told: Vec<String> = answer["outcomes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|told| {
            format!(
                "{} {} {}",
                told["advice"].as_str().unwrap(),
                told["path"].as_str().unwrap(),
                told["outcome"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "cold pinned.rs overridden",
            "cold busy.rs promoted",
            "cold open.rs overridden",
            "cold a.rs honoured",
            "hot big.rs deferred",
            "hot ./b.rs overridden",
            "hot .env overridden",
            "hot a.rs honoured",
            "hot ../x overridden",
        ]
    );
    let reason = |at: usize| answer["outcomes"][at]["reason"].as_str().unwrap();
    assert!(reason(1).contains("8 reads by tester/1"), "{}", reason(1));
    assert!(reason(5).contains("near it: ") && reason(5).contains("a.rs"), "{}", reason(5));
    let hot = bench.disk(".wherefore/hot.yml");
    assert!(hot.contains("- path: a.rs\n  why: It comes next\n  by: tester/1\n"), "{hot}");
    assert!(!bench.disk(".wherefore/cold.yml").contains("a.rs"));
    let log = bench.log();
    assert!(
        log.contains("**Hint by tester/1** ") && log.contains(": 9 files\n") && log.contains("type: hint"),
        "{log}"
    );
    let none = bench.call("memory.advise", json!({}), None).await;
    assert!(none.error.is_none(), "a reason alone advises nothing: {:?}", none.error);
}

#[tokio::test]
async fn a_context_holds_what_matters_and_says_what_it_does_not() {
    let long: String = (1..=400).map(|line| format!("fn number_{line}() {{}}\n")).collect();
    let bench = Bench::new(&[
        ("main.rs", "fn main() {}\n"),
        ("long.rs", long.as_str()),
        ("cold.rs", "cold\n"),
        ("README.md", "# Read me\n"),
        ("asked/x.rs", "secret\n"),
        (".wherefore/config.toml", "[rules]\nask = [\"asked/**\"]\n"),
    ]);
    for path in ["long.rs", "cold.rs", "README.md"] {
        bench.call("fs.read", json!({ "path": path }), None).await;
    }
    bench.open("main.rs");
    bench.type_in("main.rs", "fn main() { unsaved() }\n");
    bench.open("asked/x.rs");
    hint(&bench, "cold.rs", HintAct::Cold);
    let answer = result(&bench, "context.assemble", json!({ "budget": 600 })).await;
    assert_eq!(paths(&answer, "included"), ["main.rs", "README.md", "long.rs"], "{answer}");
    assert_eq!(answer["included"][0]["content"], "fn main() { unsaved() }\n");
    assert_eq!(paths(&answer, "cut"), ["long.rs"]);
    assert!(answer["tokens"].as_u64().unwrap() <= 600);
    assert_eq!(answer["tokenizer"], "o200k_base");
    assert_eq!(paths(&answer, "left_out"), ["asked/x.rs", "cold.rs"]);
    assert!(answer["left_out"][0]["reason"].as_str().unwrap().contains("asked before"), "{answer}");
    let first = answer["cut"][0]["lines"]["start"].as_u64().unwrap();
    assert!(
        answer["included"][2]["content"].as_str().unwrap().contains(&format!("fn number_{}()", first - 1))
    );

    // Named files come first; roles choose among the rest; an unknown model is counted roughly, and that is reported.
    let arguments = json!({ "paths": ["cold.rs"], "roles": ["doc"], "model": "opus", "budget": 600 });
    let answer = result(&bench, "context.assemble", arguments).await;
    assert_eq!(paths(&answer, "included"), ["cold.rs", "README.md"]);
    assert_eq!((&answer["tokenizer"], answer["warnings"].as_array().unwrap().len()), (&json!("estimate"), 1));

    bench.write(".wherefore/working-set.yml", "budget: 40\nmodel: gpt-4\nfiles:\n  - path: long.rs\n    priority: 1\n    truncate_strategy: never\n");
    let answer = result(&bench, "context.assemble", json!({})).await;
    assert_eq!((&answer["budget"], &answer["tokenizer"]), (&json!(40), &json!("cl100k_base")));
    assert!(paths(&answer, "left_out").contains(&"long.rs".to_owned()), "{answer}");

    let answer = result(&bench, "context.assemble", json!({ "budget": 60, "query": "read me" })).await;
    assert_eq!(paths(&answer, "included")[0], "README.md", "{answer}");
    let missing = bench.call("context.assemble", json!({ "paths": ["mian.rs"] }), None).await.error.unwrap();
    assert_eq!((missing.code, missing.hints), (Code::NotFound, vec!["main.rs".to_owned()]));
    let log = bench.log();
    assert!(log.contains("type: context_assembly") && log.contains("\"tokenizer\":\"cl100k_base\""), "{log}");
}

#[tokio::test]
async fn a_context_touches_nothing_and_closed_files_stay_closed() {
    let bench = Bench::new(&[("a.rs", "a\n"), (".env", "KEY=1\n")]);
    bench.call("fs.read", json!({ "path": "a.rs" }), None).await;
    bench.open(".env");
    let before = bench.served().session().working_files().working_set().files;
    for _ in 0..3 {
        let answer = result(&bench, "context.assemble", json!({})).await;
        assert_eq!(
            (paths(&answer, "included"), paths(&answer, "left_out")),
            (vec!["a.rs".to_owned()], vec![".env".to_owned()])
        );
    }
    let reads = |files: &[wherefore::protocol::WorkingFile]| {
        files.iter().find(|file| file.path == "a.rs").unwrap().reasons.clone()
    };
    assert_eq!(reads(&bench.served().session().working_files().working_set().files), reads(&before));
    let denied = bench.call("context.assemble", json!({ "paths": [".env"] }), None).await.error.unwrap();
    assert_eq!(denied.code, Code::PermissionDenied);
}

#[tokio::test]
async fn a_summary_is_reviewed_as_any_change_is() {
    let bench = Bench::new(&[
        ("src/a.rs", "//! Adds.\n\n/// Adds two. Fast.\npub fn add() {}\n"),
        ("notes/own.md", "mine\n"),
    ]);
    let arguments = json!({ "target_paths": ["src/a.rs"], "into_path": "notes/a.summary.md" });
    let (call, proposal) = bench.propose("memory.summarize", arguments.clone()).await;
    assert_eq!(bench.disk("notes/a.summary.md"), "(none)");
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let answer = call.await.unwrap();
    assert_eq!(answer.status, Status::Ok);
    let written = bench.disk("notes/a.summary.md");
    let (front, body) = written.split_once("---\n\n").unwrap();
    assert!(
        front.starts_with("---\nsummary_of:\n  - src/a.rs\ncreated: ")
            && front.ends_with("style: bullet\nby: extractive\n"),
        "{front}"
    );
    assert_eq!(
        body,
        "# [src/a.rs](../src/a.rs)\n\n- Adds. ([a.rs:1](../src/a.rs#L1))\n- `pub fn add()`: Adds two. ([a.rs:4](../src/a.rs#L4))\n"
    );
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    // Nothing new to say leaves the file as it is; something new is a change of those lines.
    assert_eq!(result(&bench, "memory.summarize", arguments.clone()).await["status"], "unchanged");
    bench.write("src/a.rs", "/// Adds three.\npub fn add() {}\n");
    let changed = result(&bench, "memory.summarize", arguments).await;
    assert_eq!((&changed["status"], &changed["statements"]), (&json!("applied"), &json!(1)));

    for (targets, into, code) in [
        (json!(["src/a.rs"]), "notes/own.md", Code::InvalidArgs),
        (json!(["src/a.rs"]), "src/a.rs", Code::InvalidArgs),
        (json!(["src/b.rs"]), "s.md", Code::NotFound),
        (json!(["src"]), "s.md", Code::InvalidArgs),
        (json!(["src/a.rs"]), "../s.md", Code::PermissionDenied),
        (json!([]), "s.md", Code::InvalidArgs),
    ] {
        let arguments = json!({ "target_paths": targets, "into_path": into });
        let fault = bench.call("memory.summarize", arguments, Some(Policy::Auto)).await.error.unwrap();
        assert_eq!(fault.code, code, "{targets} {into}: {fault:?}");
        assert!(fault.suggestion.is_some(), "{fault:?}");
    }
}

/// A server of a model that answers with this text, or fails where there is none.
fn model(answer: Option<Value>) -> Scripted {
    Scripted::start(move |_, seen| match (&*seen.line, &answer) {
        ("POST /v1/chat/completions", Some(answer)) => {
            let delta = json!({ "content": answer.to_string() });
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": "stop" });
            Played::events([json!({ "choices": [choice] }).to_string(), "[DONE]".to_owned()])
        }
        _ => Played::body(404, "application/json", r#"{"error":{"message":"not here"}}"#),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_is_the_models_where_one_is_set_and_says_so() {
    let bench = Bench::new(&[("src/a.rs", "/// Adds two. Fast.\npub fn add() {}\n")]);
    let arguments = json!({ "target_paths": ["src/a.rs"], "into_path": "s.md", "keep_refs": false });
    let answer = json!({ "statements": [{ "text": "It adds.", "line": 2, "depth": 0 }] });
    let set = |server: &Scripted| {
        let name = format!("{}/v1#small", server.url);
        bench
            .hub
            .settings_changed(Some(json!({ "review": { "policy": "auto" }, "model": { "name": name } })));
    };
    let works = model(Some(answer));
    set(&works);
    let made = result(&bench, "memory.summarize", arguments.clone()).await;
    assert_eq!((&made["by"], made.get("note")), (&json!("127.0.0.1/small"), None));
    let written = bench.disk("s.md");
    assert!(written.contains("\nby: \"127.0.0.1/small\"\n---\n\n# src/a.rs\n\n- It adds.\n"), "{written}");

    let fails = model(None);
    set(&fails);
    let made = result(&bench, "memory.summarize", arguments).await;
    assert_eq!(made["by"], "extractive");
    assert!(made["note"].as_str().unwrap().contains("not here"), "{made}");
    let written = bench.disk("s.md");
    assert!(written.contains("\nby: extractive\ninstead_of: \"127.0.0.1/small\"\n---\n"), "{written}");
    assert!(written.contains("Adds two."), "{written}");
}
