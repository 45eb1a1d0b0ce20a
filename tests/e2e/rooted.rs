//! The folder of an agent that names none: the nearest project, a root of its client's, and never the home folder unasked.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, wherefore};

/// The program as a client starts it in a folder of `folder`.
fn started_in(folder: &Path, here: &str) -> Command {
    let mut command = wherefore(folder, &["mcp"]);
    command.current_dir(folder.join(here));
    command
}

/// Answers the server's question for the client's roots.
fn tell_roots(agent: &mut Agent, roots: &[&Path]) {
    let asked = agent.expect("roots/list");
    let roots: Vec<Value> = roots
        .iter()
        .map(|root| json!({ "uri": format!("file://{}", root.display()), "name": "r" }))
        .collect();
    agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } }));
}

const READ: &str = "Find the first word of the list";

#[test]
fn a_client_started_at_home_is_asked_for_its_roots() {
    let folder = place();
    let home = folder.path().join("home");
    let capabilities = json!({ "roots": { "listChanged": true } });
    let mut agent = Agent::run(started_in(folder.path(), "home"), "test-agent", LEGACY, capabilities);
    // A request that comes before the answer waits for it.
    let call = agent.begin_call("fs_read", json!({ "path": "a.txt", "why": READ }));
    tell_roots(&mut agent, &[&home, &folder.path().join("missing"), &folder.path().join("work")]);
    let (read, is_error) = agent.finish_call(call);
    assert!(!is_error && read["content"].as_str().unwrap().starts_with("one"), "{read}");
    let changed = agent.expect("notifications/tools/list_changed");
    assert_eq!(changed["id"], Value::Null);
    let roots: Vec<Value> = servers(folder.path()).iter().map(|server| server["roots"].clone()).collect();
    assert_eq!(roots, [json!([folder.path().canonicalize().unwrap().join("work")])]);
    agent.leave();
    assert!(!home.join(".wherefore").exists());
}

#[test]
fn no_home_folder_is_served_without_being_told() {
    let folder = place();
    let capabilities = json!({ "roots": {} });
    let mut agent = Agent::run(started_in(folder.path(), "home"), "test-agent", LEGACY, capabilities);
    tell_roots(&mut agent, &[]);
    let error = agent.request("tools/list", json!({})).unwrap_err();
    let says_what = |error: &Value| {
        let message = error["message"].as_str().unwrap();
        message.contains("holds the home folder") && message.contains("--root")
    };
    assert!(says_what(&error), "{error}");
    // Its client opens a folder.
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    tell_roots(&mut agent, &[&folder.path().join("work")]);
    let tools = agent.request("tools/list", json!({})).unwrap();
    assert!(!tools["tools"].as_array().unwrap().is_empty(), "{tools}");

    // A client that has no roots to tell, in the home folder and in the root of all.
    for here in ["home", "/"] {
        let mut command = started_in(folder.path(), here);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), format!("{hello}\n").as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert!(says_what(&answer["error"]), "{answer}");
        assert_eq!(ended.status.code(), Some(1));
    }
}

#[test]
fn the_nearest_project_is_served_and_not_a_folder_around_it() {
    let folder = place();
    let work = folder.path().join("work");
    let mut around = Agent::start(folder.path(), LEGACY, &["--root", folder.path().to_str().unwrap()]);
    around.call("fs_read", json!({ "path": "work/a.txt", "why": READ }));
    let mut inside = Agent::start(folder.path(), LEGACY, &[]);
    inside.call("fs_read", json!({ "path": "a.txt", "why": READ }));
    // A part of the project belongs to it, and so does a linked working tree in it.
    for part in ["part", "linked"] {
        fs::create_dir(work.join(part)).unwrap();
    }
    fs::write(work.join("linked/.git"), "gitdir: ../.git/worktrees/linked\n").unwrap();
    for part in ["work/part", "work/linked"] {
        let mut agent = Agent::run(started_in(folder.path(), part), "test-agent", LEGACY, json!({}));
        agent.call("fs_read", json!({ "path": "a.txt", "why": READ }));
    }
}

#[test]
fn nulls_and_texts_of_a_client_are_read_as_the_schema_has_them() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let read = agent.call("fs_read", json!({ "path": "a.txt", "range": null, "numbers": null, "why": READ }));
    assert_eq!((read["content"].as_str(), &read["warnings"]), (Some("one\ntwo\nthree\n"), &Value::Null));
    let range = json!({ "start": "2", "end": "2" });
    let read =
        agent.call("fs_read", json!({ "path": "a.txt", "range": range, "numbers": "true", "why": READ }));
    assert_eq!(read["content"], "2\ttwo\n", "{read}");
    assert_eq!(read["warnings"], json!(["a value of another type was read as the schema has it"]));
    // By another name of the tool, and where only the operations that find tools are listed.
    let read = agent.call("read_file", json!({ "path": "a.txt", "range": null, "why": READ }));
    assert!(read["content"].as_str().unwrap().starts_with("one"), "{read}");
    let found = agent
        .call("search_tool_by_category", json!({ "query": "read a file", "limit": "2", "cursor": null }));
    assert!(found.to_string().contains("fs.read"), "{found}");
    // A null for a required argument does not count as absent.
    let fault = agent.fault("fs_read", json!({ "path": null, "why": READ }));
    assert_eq!(fault["code"], "INVALID_ARGS", "{fault}");
}
