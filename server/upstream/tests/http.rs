//! Servers at a URL.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use super::support::{Agent, Bench, Person, script};
use crate::protocol::Code;

/// The test server over HTTP; it ends with its standard input.
struct Http {
    child: Child,
    port: u16,
}

impl Http {
    fn start(mode: &str) -> Self {
        let mut command = Command::new("node");
        command.arg(script()).arg("--http").env("MODE", mode);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn settings(&self) -> Value {
        json!({
            "url": format!("http://127.0.0.1:{}/mcp", self.port),
            "headers": { "X-Key": "open sesame" },
            "import": "Net/Test",
            "timeout_ms": 20_000,
        })
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_at_a_url_is_called_like_one_that_is_started() {
    for mode in ["", "modern"] {
        let http = Http::start(mode);
        let bench = Bench::with(json!({ "srv": http.settings() }), &[], Person::default());
        assert_eq!(bench.settle().await, [""; 0]);
        let echo = bench.registry.find_tool("srv.echo").unwrap();
        assert_eq!(echo.def().nodes[0].join("/"), "Custom/Net/Test");
        assert_eq!(bench.text("srv.echo", json!({ "text": "x" })).await, json!({ "text": "x" }), "{mode}");
        assert_eq!(bench.result("srv.add", json!({ "a": 1, "b": 2 })).await, json!({ "sum": 3 }));
        let agent = Arc::new(Agent::default());
        let asked = bench.call_as("srv.ask", json!({}), Some(agent)).await.result.unwrap();
        assert!(asked["text"].as_str().unwrap().contains("blue"), "{mode}: {asked}");
        let fault = bench.fault("srv.refuse", json!({})).await;
        assert_eq!(fault.code, Code::InvalidArgs, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_url_that_does_not_answer_well_is_named() {
    let http = Http::start("");
    let redirect = Http::start("redirect");
    let mut locked = http.settings();
    locked["headers"] = json!({});
    let gone = Http::start("");
    let nobody = gone.settings();
    drop(gone);
    let servers = json!({ "locked": locked, "nobody": nobody, "moved": redirect.settings() });
    let bench = Bench::with(servers, &[], Person::default());
    bench.settle().await;
    let problems = bench.upstreams.problems();
    for said in ["locked does not start", "nobody does not start", "moved does not start"] {
        assert!(problems.iter().any(|problem| problem.contains(said)), "{problems:#?}");
    }
    assert!(!problems.join("").contains("sesame"), "{problems:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_away_is_found_gone() {
    let http = Http::start("");
    let bench = Bench::with(json!({ "srv": http.settings() }), &[], Person::default());
    bench.settle().await;
    drop(http);
    let fault = bench.fault("srv.echo", json!({})).await;
    assert!(fault.message.contains("srv cannot be reached") && fault.recoverable, "{fault:?}");
    let fault = bench.fault("srv.echo", json!({})).await;
    assert!(fault.message.contains("started again in"), "{fault:?}");
}
