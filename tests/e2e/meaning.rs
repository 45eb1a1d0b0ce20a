//! Tools found by what they mean: a request that shares no word with a tool, and a model that is not there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::agent::{Agent, MODERN, place, until, wherefore};
use crate::support::embeddings::{Behaviour, Model, set};

const KEY: &str = "sk-the-secret-of-the-test-model";
/// A request with no word of any tool.
const REQUEST: &str = "zzyzx quuxify";
/// It means what fs.copy does.
const MEANINGS: &[&[&str]] = &[&["fs copy", "zzyzx"], &["Bakes", "yvzzy"]];
/// The time limit of a search in addition to its wait, on a busy machine.
const AMPLE: Duration = Duration::from_secs(8);

pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    wherefore(folder, args).env("TEST_MODEL_KEY", KEY).env("WHEREFORE_LOG", "trace").output().unwrap()
}

/// A server that has opened its folder, with its standard error.
pub(crate) fn serve(folder: &Path, stderr: Stdio) -> Child {
    let mut command = wherefore(folder, &["serve", "--root", "."]);
    command.env("TEST_MODEL_KEY", KEY).env("WHEREFORE_LOG", "trace");
    let mut server = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("ready"), "{line}");
    server
}

fn search(agent: &mut Agent, query: &str) -> Value {
    let id = agent.begin_call("search_tool_by_category", json!({ "query": query, "limit": 3 }));
    agent.finish_call(id).0
}

/// Searches until a tool comes first: its vector is made in the background.
fn find(agent: &mut Agent, query: &str, tool: &str) -> Value {
    let since = Instant::now();
    loop {
        let found = search(agent, query);
        if found.pointer("/results/0/tool_id") == Some(&json!(tool)) {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{found:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_request_that_shares_no_word_finds_its_tool() {
    let folder = place();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 5_000);
    let noted = folder.path().join("server.log");
    let mut server = serve(folder.path(), std::fs::File::create(&noted).unwrap().into());
    let mut agent = Agent::start(folder.path(), MODERN, &[]);
    let found = find(&mut agent, REQUEST, "fs.copy");
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(members(&found["results"][0]), ["tool_id", "path", "summary", "tags", "confidence"]);
    let nodes = agent.call("search_nodes", json!({ "query": REQUEST }));
    assert_eq!(nodes["results"][0]["path"], json!(["Files"]));
    let listed = agent.call("list", json!({ "query": REQUEST, "path": ["Files"] }));
    assert_eq!(listed["tools"][0]["tool_id"], "fs.copy");
    assert_eq!(model.texts().iter().filter(|text| text.as_str() == REQUEST).count(), 1, "it is remembered");

    // A tool that is defined while the server runs gets its vector too.
    let tools = folder.path().join("work/.wherefore/tools");
    std::fs::create_dir_all(&tools).unwrap();
    let definition = "tool:\n  name: oven.heat\n  description: Bakes bread.\n  input_schema:\n    type: object\n    \
                      properties: { why: { type: string, description: Why } }\n    required: [why]\n";
    std::fs::write(tools.join("oven.yaml"), definition).unwrap();
    find(&mut agent, "yvzzy", "oven.heat");

    agent.leave();
    // It ends by itself with its last agent.
    until("the server ends", || server.try_wait().unwrap().is_some());
    assert!(model.keys().iter().all(|key| key.as_deref() == Some(&*format!("Bearer {KEY}"))));
    let log = run(folder.path(), &["log", "--format", "json"]);
    let noted = std::fs::read_to_string(&noted).unwrap();
    assert!(noted.contains("test-model"), "the ranker is traced");
    for text in [&noted, &*String::from_utf8_lossy(&log.stdout), &*String::from_utf8_lossy(&log.stderr)] {
        assert!(!text.contains(KEY));
    }
    // Nothing of the files went out.
    assert!(!model.texts().iter().any(|text| text.contains("one\ntwo")));
}

#[test]
fn the_command_line_makes_vectors_first_and_keeps_them() {
    let folder = place();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 5_000);
    let tool = |id: &str, text: &str| json!({ "id": id, "path": ["Own"], "name": id, "description": text });
    let tools =
        [tool("oven", "Bakes bread."), tool("brewCoffee", "Brews coffee.")].map(|tool| tool.to_string());
    std::fs::write(folder.path().join("work/own.jsonl"), tools.join("\n")).unwrap();
    for (args, first) in [
        (vec!["tools", "search", REQUEST, "--json"], "fs.copy"),
        (vec!["tools", "search", "--catalogue", "own.jsonl", "yvzzy", "--json"], "oven"),
    ] {
        let before = model.texts().len();
        let output = run(folder.path(), &args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        assert_eq!(found.pointer("/results/0/tool_id"), Some(&json!(first)), "{found:#}");
        assert!(said.contains("vectors of 0 of") && !said.contains(KEY), "{said}");
        assert!(model.texts().len() > before + 1);
        let before = model.texts().len();
        assert!(run(folder.path(), &args).status.success());
        assert_eq!(model.texts().len(), before + 1, "the next process asks for the request alone");
    }
    let nodes = run(folder.path(), &["tools", "search-nodes", "--catalogue", "own.jsonl", "yvzzy", "--json"]);
    let nodes: Value = serde_json::from_slice(&nodes.stdout).unwrap();
    assert_eq!(nodes.pointer("/results/0/path"), Some(&json!(["Own"])));
    let doctor = String::from_utf8(run(folder.path(), &["doctor", "--json"]).stdout).unwrap();
    assert!(doctor.contains("vectors of 64 numbers") && !doctor.contains(KEY), "{doctor}");
}

#[test]
fn a_model_that_is_away_hangs_or_rambles_costs_no_answer() {
    let words = "apply a diff to a file";
    let folder = place();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 300);
    // The vectors of the tools are there: what fails from now on is the request's.
    assert!(run(folder.path(), &["tools", "search", words]).status.success());
    for behaviour in [Behaviour::Hangs, Behaviour::Rambles] {
        *model.behaviour.lock().unwrap() = behaviour;
        let mut server = serve(folder.path(), Stdio::null());
        let mut agent = Agent::start(folder.path(), MODERN, &[]);
        for query in [words, "apply a diff to a file, please"] {
            let began = Instant::now();
            let found = search(&mut agent, query);
            assert!(began.elapsed() < AMPLE, "{behaviour:?}: {:?}", began.elapsed());
            assert_eq!(found.pointer("/results/0/tool_id"), Some(&json!("fs.patch")), "{found:#}");
        }
        agent.leave();
        until("the server ends", || server.try_wait().unwrap().is_some());
    }
    let output = run(folder.path(), &["tools", "search", words, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.pointer("/results/0/tool_id"), Some(&json!("fs.patch")));

    // No server listens there; nor has it ever made a vector.
    set(folder.path(), "http://127.0.0.1:1/v1", 300);
    let output = run(folder.path(), &["tools", "search", words, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.pointer("/results/0/tool_id"), Some(&json!("fs.patch")));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("ranked without it") && !said.contains(KEY), "{said}");
    let doctor = String::from_utf8(run(folder.path(), &["doctor", "--json"]).stdout).unwrap();
    assert!(
        doctor.contains("found by their words alone") && doctor.contains("\"healthy\": true"),
        "{doctor}"
    );
}

#[test]
fn a_project_does_not_say_where_texts_go() {
    let folder = place();
    let model = Model::start(MEANINGS);
    let own = folder.path().join("work/.wherefore");
    std::fs::create_dir_all(&own).unwrap();
    let settings = format!("[embeddings]\nurl = \"{}\"\nmodel = \"test-model\"\n", model.url);
    std::fs::write(own.join("config.toml"), settings).unwrap();
    assert_eq!(run(folder.path(), &["tools", "search", REQUEST]).status.code(), Some(1));
    assert!(model.texts().is_empty());
    let status = String::from_utf8(run(folder.path(), &["status"]).stdout).unwrap();
    assert!(status.contains("[embeddings]") && status.contains("not taken"), "{status}");
}
