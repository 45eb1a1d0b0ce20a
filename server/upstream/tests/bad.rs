//! Servers that do not: each becomes a named fault of its own calls, and nothing else suffers.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{Bench, Person, server};
use crate::protocol::Code;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_start_says_why_and_is_left_alone_a_while() {
    for (mode, code, said) in [
        ("crash-start", Code::Internal, "no licence"),
        ("hang-start", Code::Timeout, "not ready within 1500 ms"),
        ("rubbish-start", Code::Timeout, "Welcome!"),
        ("odd-list", Code::Internal, "no list of `tools`"),
    ] {
        let bench = Bench::new(json!({ "env": { "MODE": mode }, "timeout_ms": 1500, "import": false }));
        let definition = "tool:\n  name: srv.echo\n  description: Says it.\n  mcp_server: srv\n  input_schema: { type: \
                          object, properties: { why: { type: string, description: Why } }, required: [why] }\n";
        bench.read(&[("/person/a.yaml", definition)]);
        let first = bench.fault("srv.echo", json!({})).await;
        assert_eq!(first.code, code, "{mode}: {first:?}");
        assert!(first.message.contains(said) && first.message.contains("srv"), "{mode}: {first:?}");
        assert!(first.suggestion.is_some());
        let second = bench.fault("srv.echo", json!({})).await;
        assert!(second.message.contains("started again in"), "{mode}: {second:?}");
        assert!(bench.upstreams.problems()[0].contains(said), "{:?}", bench.upstreams.problems());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_takes_only_its_own_calls_with_it() {
    let servers = json!({ "srv": server(json!({})), "well": server(json!({})) });
    let bench = Bench::with(servers, &[], Person::default());
    bench.settle().await;
    let began = Instant::now();
    let fault = bench.fault("srv.crash", json!({})).await;
    assert!(fault.message.contains("went away") && fault.message.contains("exit status: 3"), "{fault:?}");
    assert!(fault.message.contains("out of cheese") && fault.recoverable, "{fault:?}");
    let waits = bench.fault("srv.echo", json!({})).await;
    // On a machine that took longer than that it was started again already.
    let late = began.elapsed() > Duration::from_secs(1);
    assert!(late || waits.message.contains("started again in"), "{waits:?}");
    assert_eq!(bench.text("well.echo", json!({ "text": "x" })).await, json!({ "text": "x" }));
    assert_eq!(bench.fault("fs.read", json!({ "path": "none" })).await.code, Code::NotFound);
    bench.comes_back("srv.echo").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_is_cut_off_and_started_anew() {
    let bench = Bench::new(json!({ "timeout_ms": 1000 }));
    bench.settle().await;
    for tool in ["srv.hang", "srv.mute"] {
        let fault = bench.fault(tool, json!({})).await;
        assert_eq!(fault.code, Code::Timeout, "{fault:?}");
        assert!(fault.message.contains("srv") && fault.message.contains("1000 ms"), "{fault:?}");
    }
    // The first one answers others still; the second one does not, and is ended.
    bench
        .until("the end", || bench.upstreams.problems().iter().any(|problem| problem.contains("not answer")))
        .await;
    bench.comes_back("srv.echo").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_and_rubbish_do_not_drown_us() {
    let bench = Bench::new(json!({}));
    bench.settle().await;
    assert_eq!(bench.result("srv.rubbish", json!({})).await["text"], "after the rubbish");
    // A flood of messages is read slowly.
    let began = Instant::now();
    assert_eq!(bench.result("srv.flood", json!({})).await["text"], "after the flood");
    assert!(began.elapsed() > Duration::from_millis(1500), "{:?}", began.elapsed());
    let large = bench.call("srv.large", json!({})).await;
    assert!(large.truncated && large.result.unwrap()["text"].as_str().unwrap().len() <= 256 << 10);
    assert!(large.blocks[0]["text"].as_str().unwrap().len() <= 256 << 10);
    let endless = bench.fault("srv.endless", json!({})).await;
    assert!(endless.message.contains("a line of more than"), "{endless:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_answers_are_named() {
    let bench = Bench::new(json!({}));
    bench.settle().await;
    for (tool, arguments, code, said) in [
        ("srv.add", json!({ "a": 0.5, "b": 1 }), Code::Internal, "`sum`: expected an integer"),
        ("srv.bare", json!({}), Code::Internal, "no `content`"),
        ("srv.fail", json!({}), Code::Internal, "the disk is full"),
        ("srv.refuse", json!({}), Code::InvalidArgs, "no such colour"),
    ] {
        let fault = bench.fault(tool, arguments).await;
        assert_eq!(fault.code, code, "{fault:?}");
        assert!(fault.message.contains(said) && fault.recoverable && fault.suggestion.is_some(), "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_ends_with_us() {
    let bench = Bench::new(json!({}));
    let env = json!({ "env": { "NOTES": bench.path("notes"), "MODE": "stubborn" } });
    let bench = Bench::at(bench.folder, json!({ "srv": server(env) }), Person::default());
    bench.settle().await;
    let started =
        bench.notes().iter().find_map(|note| note.strip_prefix("started ")?.parse::<i32>().ok()).unwrap();
    let lives =
        || rustix::process::test_kill_process(rustix::process::Pid::from_raw(started).unwrap()).is_ok();
    assert!(lives());
    bench.upstreams.close();
    bench.until("its end", || !lives()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_cannot_be_taken_in_are_named() {
    let bench = Bench::new(json!({}));
    let tools = json!([
        { "name": "good", "inputSchema": { "type": "object" } },
        { "name": "good", "inputSchema": { "type": "object" } },
        { "name": "list", "inputSchema": { "type": "array" } },
        { "name": "hidden", "inputSchema": { "type": "object", "properties": { "a\u{202e}": {} } } },
        { "name": "broken", "inputSchema": 5 },
        { "description": "no name" },
        { "name": "say \u{200b}it/now", "description": "\u{202e}", "inputSchema": { "type": "object" } },
    ]);
    std::fs::write(bench.path("tools"), tools.to_string()).unwrap();
    let env = json!({ "env": { "TOOLS": bench.path("tools") } });
    let bench = Bench::at(bench.folder, json!({ "srv": server(env) }), Person::default());
    let mut problems = bench.settle().await;
    problems.extend(bench.upstreams.problems());
    for said in ["twice", "root type", "hidden characters", "no object", "no name"] {
        assert!(problems.iter().any(|problem| problem.contains(said)), "{said}: {problems:#?}");
    }
    let own: Vec<_> = bench.registry.tools();
    let own: Vec<_> =
        own.iter().filter(|tool| tool.name().starts_with("srv.")).map(|tool| tool.def()).collect();
    assert_eq!(own.len(), 2, "{own:?}");
    assert_eq!(own[0].name, "srv.good");
    assert!(own[1].name.starts_with("srv.say__it.now_"), "{}", own[1].name);
    assert_eq!(own[1].description, "\\u{202e}");
}
