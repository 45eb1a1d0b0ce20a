//! Servers of the Model Context Protocol in a sandbox: those that a project names, and those that the person wants confined.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wherefore::protocol::{Code, Fault, ServerStatus};
use wherefore::requests::Status;
use wherefore::sandbox::SandboxLevel;

use crate::support::Bench;

const PROBE: &str = include_str!("../cases/upstream/probe.mjs");
const TOOL: &str = "tool:\n  name: mine.probe\n  description: Tells what it reaches.\n  mcp_server: srv\n  remote_tool: probe\n  \
                    input_schema:\n    type: object\n    properties:\n      port: { type: integer, description: A port }\n      \
                    outside: { type: string, description: A file }\n      why: { type: string, description: Why }\n    \
                    required: [why]\n";

/// The project's entry of its server.
fn named(more: &str) -> String {
    format!(
        "[mcp_servers.srv]\ncommand = \"node\"\nargs = [\"probe.mjs\"]\nenv = {{ GIVEN = \"yes\" }}\n{more}"
    )
}

fn files(settings: &str) -> Vec<(&str, &str)> {
    vec![
        ("probe.mjs", PROBE),
        ("a.txt", "one\n"),
        (".env", "MARKENV\n"),
        (".wherefore/tools/x.yaml", TOOL),
        (".wherefore/config.toml", settings),
    ]
}

/// A bench whose person answers yes.
fn bench(settings: &str) -> Bench {
    let bench = Bench::new(&files(settings));
    bench.will_answer(Some("Allow"));
    bench
}

/// The places that the server reaches.
async fn probe(bench: &Bench) -> Result<Value, Fault> {
    probe_at(bench, &TcpListener::bind("127.0.0.1:0").unwrap()).await
}

/// The places that the server reaches, including that listener of the host.
async fn probe_at(bench: &Bench, host: &TcpListener) -> Result<Value, Fault> {
    let outside = bench.state.path().join("outside.txt");
    std::fs::write(&outside, "MARKOUTSIDE").unwrap();
    let arguments = json!({ "port": host.local_addr().unwrap().port(), "outside": outside });
    let answer = bench.call("mine.probe", arguments, None).await;
    match answer.error {
        Some(fault) => Err(fault),
        None => Ok(serde_json::from_str(answer.result.unwrap()["text"].as_str().unwrap()).unwrap()),
    }
}

async fn status(bench: &Bench) -> ServerStatus {
    bench.ask::<Status>(()).await.unwrap().workspaces[0].servers[0].clone()
}

/// Asserts that a server reaches the workspace and no more.
fn confined(reached: &Value) {
    assert_eq!((&reached["read"], &reached["given"]), (&json!("one\n"), &json!("yes")), "{reached}");
    assert_eq!(
        (&reached["network"], &reached["outside"]),
        (&json!("ECONNREFUSED"), &json!("ENOENT")),
        "{reached}"
    );
    assert!(!reached.to_string().contains("MARK"), "{reached}");
}

/// Asserts that a server runs as the person does.
fn free(reached: &Value) {
    assert_eq!(
        (&reached["network"], &reached["outside"]),
        (&json!("connected"), &json!("MARKOUTSIDE")),
        "{reached}"
    );
    assert_eq!(
        (&reached["write"], &reached["closed"]),
        (&json!("written"), &json!("MARKENV\n")),
        "{reached}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_a_project_names_runs_in_a_sandbox_and_status_says_so() {
    let bench = bench(&named(""));
    let before = status(&bench).await;
    assert_eq!((before.running, before.confined, before.of_project, before.tier), (false, true, true, None));
    let reached = probe(&bench).await.unwrap();
    confined(&reached);
    assert_eq!(
        (&reached["write"], bench.disk("written.txt")),
        (&json!("EROFS"), "(none)".to_owned()),
        "{reached}"
    );
    let now = status(&bench).await;
    assert!(now.running && now.tier.as_deref().unwrap().starts_with("tier A"), "{now:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_projects_server_writes_the_workspace_where_its_settings_say_so_and_never_leaves_the_sandbox() {
    let bench = bench(&named("writes = true\nsandbox = false\n"));
    let reached = probe(&bench).await.unwrap();
    confined(&reached);
    assert_eq!(
        (&reached["write"], bench.disk("written.txt")),
        (&json!("written"), "by the server\n".to_owned())
    );
    let problems = bench.served().workspace_status().problems.join("\n");
    assert!(problems.contains("mcp_servers.srv.sandbox"), "{problems}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_a_sandbox_reaches_the_hosts_that_are_named_and_no_other() {
    let [host, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let port = host.local_addr().unwrap().port();
    let bench = bench(&named(&format!("hosts = [\"127.0.0.1:{port}\"]\n")));
    let reached = probe_at(&bench, &host).await.unwrap();
    confined(&reached);
    assert_eq!(reached["proxied"], "HTTP/1.1 200", "{reached}");
    assert_eq!(probe_at(&bench, &other).await.unwrap()["proxied"], "HTTP/1.1 403");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_person_opens_a_projects_server_by_their_consent() {
    let bench = bench(&named(""));
    confined(&probe(&bench).await.unwrap());
    let folder = bench.served();
    folder.toolbox().upstreams().consent_unconfined("srv").unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let reached = loop {
        // The tools are read again soon after the consent.
        match probe(&bench).await {
            Ok(reached) if reached["network"] == "connected" => break reached,
            other => assert!(Instant::now() < until, "{other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    free(&reached);
    let now = status(&bench).await;
    assert_eq!((now.running, now.confined, now.tier), (true, false, None));
    folder.toolbox().upstreams().revoke_consent("srv").unwrap();
    bench.will_answer(Some("Deny"));
    assert!(probe(&bench).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_persons_own_server_runs_in_a_sandbox_where_they_say_so() {
    for (sandbox, assert) in [(Value::Null, free as fn(&Value)), (json!(true), confined)] {
        let bench = bench("");
        let mut server = json!({ "command": "node", "args": ["probe.mjs"], "env": { "GIVEN": "yes" } });
        if !sandbox.is_null() {
            server["sandbox"] = sandbox;
        }
        bench.hub.settings_changed(Some(json!({ "mcp_servers": { "srv": server } })));
        assert(&probe(&bench).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_projects_server_is_not_started_where_no_sandbox_can_be_built() {
    let settings = named("");
    let bench = Bench::in_tier(&files(&settings), SandboxLevel::Nothing);
    bench.will_answer(Some("Allow"));
    let fault = probe(&bench).await.unwrap_err();
    assert_eq!(fault.code, Code::SandboxUnavailable, "{fault:?}");
    assert!(fault.suggestion.unwrap().contains("wherefore doctor"));
    assert_eq!(bench.disk("written.txt"), "(none)");
    assert!(!status(&bench).await.running);
}
