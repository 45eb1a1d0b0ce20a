//! Servers that keep to the protocol: listing, calls, what they say and ask meanwhile.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::support::{Agent, Bench, Person, server};
use crate::catalogue::Risk;
use crate::ports::{Ask, Caller};
use crate::protocol::{Code, Fault, Status};
use crate::registry::{DefinitionFormat, render_definition};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tools_of_a_server_are_called_like_our_own() {
    let bench = Bench::new(json!({}));
    assert!(bench.registry.find_tool("srv.echo").is_none(), "nothing is known before it was listed");
    assert_eq!(bench.settle().await, [""; 0]);
    let echo = bench.registry.find_tool("srv.echo").unwrap();
    assert_eq!((echo.def().risk, echo.def().nodes[0].join("/").as_str()), (Risk::Read, "Custom/srv"));
    assert_eq!(render_definition(echo.def(), DefinitionFormat::Mcp, "")["name"], "srv_echo");
    // The why is ours alone, unless the server has one of its own.
    assert_eq!(bench.text("srv.echo", json!({ "text": "hi" })).await, json!({ "text": "hi" }));
    let why = "Keep the promise that this test makes to its reader";
    assert_eq!(bench.text("srv_why_too", json!({})).await, json!({ "why": why }));
    assert_eq!(bench.result("srv.add", json!({ "a": 1, "b": 2 })).await, json!({ "sum": 3 }));
    let image = bench.call("srv.image", json!({})).await;
    assert_eq!((image.blocks.len(), &image.blocks[1]["mimeType"]), (2, &json!("image/png")));
    let value = image.result.unwrap();
    assert_eq!(value["media"], json!([{ "type": "image", "bytes": 12, "mime_type": "image/png" }]));
    let missing = bench.fault("srv.add", json!({ "a": 1 })).await;
    assert_eq!(missing.code, Code::InvalidArgs, "it never reached the server: {missing:?}");
}

#[tokio::test]
async fn a_server_sees_a_clean_environment() {
    let bench = Bench::with(
        json!({ "srv": server(json!({ "env": { "GREETING": "${PATH}", "MODE": "" }, "cwd": "below" })) }),
        &[("work/below/x", "")],
        Person::default(),
    );
    bench.settle().await;
    let seen = bench.text("srv.environment", json!({})).await;
    let names: Vec<&str> =
        seen["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(names.contains(&"GREETING") && names.contains(&"PATH"), "{names:?}");
    assert!(
        names.iter().all(|name| ["GREETING", "MODE", "PATH", "HOME", "LANG", "TMPDIR"].contains(name)),
        "{names:?}"
    );
    assert!(seen["cwd"].as_str().unwrap().ends_with("work/below"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_says_and_asks_goes_to_the_caller() {
    let bench = Bench::new(json!({}));
    bench.settle().await;
    let agent = Arc::new(Agent::default());
    let call = |tool: &'static str| bench.call_as(tool, json!({}), Some(agent.clone()));
    assert_eq!(call("srv.steps").await.status, Status::Ok);
    let told = || agent.0.lock().clone();
    bench.until("progress", || told().len() == 3).await;
    assert_eq!(told(), ["step 1 Some(25)", "step 2 Some(50)", "step 4 Some(100)"]);
    let asked = call("srv.ask").await.result.unwrap();
    assert_eq!(asked["text"], json!({ "action": "accept", "content": { "colour": "blue" } }).to_string());
    let sampled = call("srv.sample").await.result.unwrap();
    assert!(sampled["text"].as_str().unwrap().contains("\"text\":\"5\""), "{sampled}");
    let roots = call("srv.roots").await.result.unwrap();
    assert!(
        roots["text"].as_str().unwrap().contains(&format!("file://{}", bench.session.workspace().root())),
        "{roots}"
    );
    // Whom to ask is not known where several calls are in flight.
    let hang = bench.call_as("srv.hang", json!({}), Some(agent.clone()));
    let unsure = tokio::select! {
        _ = hang => panic!("it hangs"),
        unsure = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            call("srv.ask").await.result.unwrap()
        } => unsure,
    };
    assert!(unsure["text"].as_str().unwrap().contains("no single call"), "{unsure}");
    // Without a person to ask, the server gets an error.
    let nobody = bench.text("srv.ask", json!({})).await;
    assert!(nobody["error"]["message"].as_str().is_some(), "{nobody}");
}

/// A caller that makes the same call again with its answers.
#[derive(Debug)]
struct Later(Option<Value>);

impl Caller for Later {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn ask(&self, asks: Vec<(String, Ask)>) -> BoxFuture<'_, Result<Map<String, Value>, Fault>> {
        let again = || Fault::new(Code::Cancelled, "it is called again");
        let answer = |answer: &Value| asks.into_iter().map(|(key, _)| (key, answer.clone())).collect();
        let answers = self.0.as_ref().map(answer).ok_or_else(again);
        Box::pin(async move { answers })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_may_answer_by_calling_again() {
    let bench = Bench::new(json!({}));
    bench.settle().await;
    let asked = bench.call_as("srv.ask", json!({}), Some(Arc::new(Later(None)))).await;
    assert_eq!(asked.error.map(|fault| fault.message).as_deref(), Some("it is called again"));
    let answer = json!({ "action": "accept", "content": { "colour": "red" } });
    let answered = bench.call_as("srv.ask", json!({}), Some(Arc::new(Later(Some(answer.clone()))))).await;
    assert_eq!(answered.result.unwrap()["text"], answer.to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_nobody_waits_for_is_cancelled_there() {
    let bench = Bench::new(json!({}));
    let notes = bench.path("notes");
    let bench = Bench::at(
        bench.folder,
        json!({ "srv": server(json!({ "env": { "NOTES": notes } })) }),
        Person::default(),
    );
    bench.settle().await;
    let waiting = tokio::time::timeout(Duration::from_millis(500), bench.call("srv.hang", json!({})));
    assert!(waiting.await.is_err());
    bench.until("the cancellation", || bench.notes().iter().any(|note| note.starts_with("cancelled"))).await;
    // The server is as it was.
    assert_eq!(bench.text("srv.echo", json!({ "text": "x" })).await, json!({ "text": "x" }));
    assert_eq!(bench.notes().iter().filter(|note| note.starts_with("started")).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_eras_of_the_protocol_are_spoken() {
    let bench = Bench::new(json!({ "env": { "MODE": "modern" } }));
    bench.settle().await;
    assert_eq!(bench.text("srv.echo", json!({ "text": "x" })).await, json!({ "text": "x" }));
    let agent = Arc::new(Agent::default());
    let asked = bench.call_as("srv.ask", json!({}), Some(agent)).await;
    let text = asked.result.unwrap()["text"].as_str().unwrap().to_owned();
    let expected =
        json!({ "state": "s1", "answers": { "c": { "action": "accept", "content": { "colour": "blue" } } } });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    assert_eq!(bench.fault("srv.ask", json!({})).await.code, Code::Unsupported);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_definition_names_one_tool_of_a_server() {
    let bench = Bench::with(
        json!({ "srv": server(json!({ "import": false })), "other": { "command": "no-such-program-at-all" } }),
        &[],
        Person::default(),
    );
    let definition = |name: &str, more: &str| {
        format!(
            "tool:\n  name: {name}\n  description: Says it.\n  {more}\n  input_schema:\n    type: object\n    \
             properties: {{ why: {{ type: string, description: Why }} }}\n    required: [why]\n"
        )
    };
    let texts = [
        definition("mine.echo", "mcp_server: srv"),
        definition("mine.say", "mcp_server: srv\n  remote_tool: echo"),
        definition("mine.none", "mcp_server: srv"),
        definition("mine.lost", "mcp_server: nowhere"),
        definition("mine.broken", "mcp_server: other"),
        definition(
            "mine.strict",
            "mcp_server: srv\n  remote_tool: echo\n  output_schema: { type: object, required: [n] }",
        ),
    ];
    let files: Vec<(String, String)> =
        texts.into_iter().enumerate().map(|(at, text)| (format!("/person/{at}.yaml"), text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(bench.read(&files), [""; 0]);
    assert!(bench.registry.find_tool("srv.echo").is_none(), "nothing is taken in that is not asked for");
    for tool in ["mine.echo", "mine.say"] {
        assert_eq!(bench.text(tool, json!({})).await, json!({}));
    }
    for (tool, code, said) in [
        ("mine.none", Code::NotFound, "srv has no tool \"none\""),
        ("mine.lost", Code::NotFound, "\"nowhere\", which the settings do not have"),
        ("mine.broken", Code::NotFound, "no-such-program-at-all"),
        ("mine.strict", Code::Internal, "`n` is missing"),
    ] {
        let fault = bench.fault(tool, json!({})).await;
        assert_eq!(fault.code, code, "{fault:?}");
        assert!(fault.message.contains(said) && fault.suggestion.is_some(), "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listing_is_kept_so_that_no_process_is_needed() {
    let bench = Bench::new(json!({}));
    let servers = json!({ "srv": server(json!({ "env": { "NOTES": bench.path("notes") } })) });
    let bench = Bench::at(bench.folder, servers.clone(), Person::default());
    bench.settle().await;
    let schema = bench.registry.find_tool("srv.add").unwrap().def().clone();
    let folder = bench.folder;
    drop((bench.upstreams, bench.registry));
    let bench = Bench::at(folder, servers, Person::default());
    assert_eq!(*bench.registry.find_tool("srv.add").unwrap().def(), schema);
    bench.settle().await;
    assert_eq!(
        bench.notes().iter().filter(|note| note.starts_with("started")).count(),
        1,
        "it was not needed again"
    );
    assert_eq!(bench.result("srv.add", json!({ "a": 1, "b": 2 })).await, json!({ "sum": 3 }));
}
