//! Documents 001, 003 and 004: calls in the forms in which models' APIs give them, and the way out of a fault, by every door
//! that takes calls.

use serde_json::{Value, json};

use crate::environment::agent::{Agent, LEGACY};
use crate::environment::{Editor, Options, Project};

const WHY: &str = "Learn what the notes hold before they are sorted";

/// Two calls in each form in which a message holds them, the second with its arguments as text.
fn messages() -> Vec<(&'static str, Value)> {
    let (read, list) = (json!({ "path": "a.txt", "why": WHY }), json!({ "path": ".", "why": WHY }));
    let functions = json!([
        { "id": "c1", "type": "function", "function": { "name": "read_file", "arguments": read } },
        { "id": "c2", "type": "function", "function": { "name": "list_files", "arguments": list.to_string() } },
    ]);
    let message = json!({ "role": "assistant", "content": null, "tool_calls": functions });
    let blocks = json!([
        { "type": "text", "text": "Let me look." },
        { "type": "tool_use", "id": "c1", "name": "read_file", "input": read },
        { "type": "tool_use", "id": "c2", "name": "list_files", "input": list.to_string() },
    ]);
    let output = json!([
        { "type": "reasoning", "id": "r", "summary": [] },
        { "type": "function_call", "id": "f1", "call_id": "c1", "name": "read_file", "arguments": read.to_string() },
        { "type": "function_call", "id": "f2", "call_id": "c2", "name": "list_files", "arguments": list.to_string() },
    ]);
    vec![
        ("a message", message.clone()),
        ("Ollama's answer", json!({ "model": "m", "created_at": "now", "message": message, "done": true })),
        (
            "OpenAI's answer",
            json!({ "id": "r", "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }], "usage": {} }),
        ),
        ("OpenAI's response", json!({ "id": "r", "object": "response", "output": output })),
        (
            "Anthropic's answer",
            json!({ "id": "m", "type": "message", "role": "assistant", "content": blocks, "stop_reason": "tool_use" }),
        ),
        ("a list", functions.clone()),
        ("blocks", blocks),
        ("calls", json!({ "calls": functions })),
        ("calls as text", json!({ "calls": functions.to_string() })),
    ]
}

fn check_results(form: &str, answers: &[Value]) {
    assert_eq!(answers.len(), 2, "{form}: {answers:?}");
    let text = answers[0].to_string();
    assert!(text.contains("one\\ntwo"), "{form}: {text}");
    assert!(answers[1].to_string().contains("a.txt"), "{form}: {answers:?}");
}

#[test]
fn document_004_arguments_handling_an_answer_of_a_model_is_read_as_it_came() {
    let project = Project::new(&[]);
    for (form, message) in messages() {
        let text = message.to_string();
        check_results(form, &project.run_with(&["call", "--batch"], &[], &format!("{text}\n")).lines());
        check_results(form, &project.run_with(&["call", "-"], &[], &text).lines());
        check_results(form, &project.run(&["call", &text]).lines());
        let ids: Vec<Value> = project.run(&["call", "--format", "openai", &text]).lines();
        assert_eq!(
            (&ids[0]["tool_call_id"], &ids[1]["tool_call_id"]),
            (&json!("c1"), &json!("c2")),
            "{form}"
        );
    }
    let block = json!({ "type": "tool_use", "id": "c1", "name": "fs.read", "input": { "path": "a.txt", "why": WHY } });
    assert_eq!(project.batch(&[block])[0]["result"]["content"], "one\ntwo\nthree\n");
    let two = json!({ "choices": [{ "message": {} }, { "message": {} }] });
    assert_eq!(project.batch(&[two])[0]["error"]["code"], "INVALID_ARGS");
}

#[test]
fn document_004_tool_lifecycle_an_answer_names_the_call_that_it_is_to() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), LEGACY, &["--policy", "auto"]);
    for (form, message) in messages() {
        let answers = agent.call("call_tools", message);
        let answers = answers["answers"].as_array().unwrap();
        check_results(form, answers);
        let labels = |at: usize| ["id", "tool", "status"].map(|name| answers[at][name].clone());
        assert_eq!(labels(0), [json!("c1"), json!("read_file"), json!("ok")], "{form}");
        assert_eq!(labels(1), [json!("c2"), json!("list_files"), json!("ok")], "{form}");
    }
    let block = json!({ "type": "tool_use", "id": "c1", "name": "fs.read", "input": { "path": "a.txt", "why": WHY } });
    let answers = agent.call("call_tools", block)["answers"].clone();
    assert_eq!((&answers[0]["id"], &answers[0]["lines"]), (&json!("c1"), &json!(3)), "{answers}");
    // Own ids where the caller gave none, and the id of a call that cannot be read.
    let message = json!({ "calls": [
        { "tool": "fs.read", "arguments": { "path": "absent.txt", "why": WHY } },
        { "id": "c9", "name": "fs.read", "argumnets": {} },
        { "id": "c8", "name": "fs.write", "arguments": { "path": "b.txt", "content": "b\n", "why": WHY } },
        { "id": "c7", "name": "terminal.run", "arguments": { "cmd": ["sleep", "9"], "background": true, "why": WHY } },
    ] });
    let answers = agent.call("call_tools", message);
    let answer = |at: usize| &answers["answers"][at];
    assert!(answer(0)["id"].as_str().unwrap().starts_with("c-"), "{answers}");
    assert_eq!((&answer(0)["status"], &answer(0)["error"]["code"]), (&json!("error"), &json!("NOT_FOUND")));
    assert_eq!((&answer(1)["id"], &answer(1)["error"]["code"]), (&json!("c9"), &json!("INVALID_ARGS")));
    assert_eq!((&answer(2)["id"], &answer(2)["status"]), (&json!("c8"), &json!("applied")));
    // A result with an id of its own stands apart.
    assert_eq!((&answer(3)["id"], answer(3)["result"]["id"].is_string()), (&json!("c7"), true), "{answers}");
    agent.leave();
}

#[test]
fn document_001_error_model_a_next_action_is_a_call_of_the_same_door() {
    let project = Project::new(&[]);
    let mut editor = Editor::connect(&Options::default());
    for (tool, arguments) in [
        ("fs.raed", json!({ "why": WHY })),
        ("order.pizza", json!({ "why": WHY })),
        ("fs.read", json!({ "path": 7, "why": WHY })),
        ("list", json!({ "path": ["Fliles"] })),
        (
            "search_tool_by_category",
            json!({ "query": "read a file", "category_path": ["Memory"], "limit": 900 }),
        ),
        ("expand_tool", json!({ "tool_id": "fs.raed" })),
    ] {
        let fault = project.call(tool, &arguments).json();
        let next = &fault["next_action"];
        let ran = project.call(next["tool"].as_str().unwrap(), &next["arguments"]);
        // A search for what no tool does answers with its own way out.
        assert!(
            ran.code == Some(0) || ran.json()["code"] == "NO_MATCH_IN_CATEGORY",
            "{tool}: {fault}: {ran:?}"
        );
        let answer =
            editor.request("wherefore/call", json!({ "tool": tool, "arguments": arguments })).unwrap();
        let next = &answer["error"]["next_action"];
        let taken = editor.request("wherefore/call", next.clone()).unwrap();
        let is_taken = taken["status"] == "ok" || taken["error"]["code"] == "NO_MATCH_IN_CATEGORY";
        assert!(is_taken, "{tool}: {answer}: {taken}");
    }
    let calls = json!({ "calls": [{ "tool": "list", "arguments": {} }, { "_tool": "expand_tool", "tool_id": "fs.read" }] });
    let lines = project.run(&["call", &calls.to_string()]).lines();
    assert_eq!((&lines[0]["status"], &lines[1]["result"]["tool_id"]), (&json!("ok"), &json!("fs.read")));
}

#[test]
fn document_001_list_browses_the_same_nodes_by_every_door() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let mut editor = Editor::connect(&Options::default());
    for params in [json!({}), json!({ "path": ["Files"], "limit": 2 }), json!({ "query": "read a file" })] {
        let by_agent = agent.call("list", params.clone());
        let by_editor = editor.request("wherefore/list", params.clone()).unwrap();
        assert_eq!(by_agent["nodes"], by_editor["nodes"], "{params}");
        assert_eq!(by_agent["tools"], by_editor["tools"], "{params}");
        assert_eq!(by_agent["next_cursor"], by_editor["next_cursor"], "{params}");
    }
    let all = editor.request("wherefore/listTools", json!({})).unwrap();
    assert!(all["tools"].as_array().unwrap().len() > 20, "{all}");
    agent.leave();
}

#[test]
fn document_001_search_goes_on_from_a_cursor_by_every_door() {
    let project = Project::new(&[]);
    let query = ["tools", "search", "read a file", "--limit", "2"];
    let first = project.run(&[&query[..], &["--json"]].concat()).json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = project.run(&[&query[..], &["--json", "--cursor", cursor]].concat()).json();
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let params = json!({ "query": "read a file", "limit": 2, "cursor": cursor });
    assert_eq!(agent.call("search_tool_by_category", params)["results"], second["results"]);
    assert_ne!(first["results"], second["results"]);
    let shown = project.run(&query);
    assert!(shown.err.contains(&format!("--cursor {cursor}")), "{shown:?}");
    let batch = json!({ "id": 1, "query": "read a file", "limit": 2, "cursor": cursor }).to_string();
    let answer = project.run_with(&["tools", "search", "--batch"], &[], &batch).json();
    assert_eq!(answer["results"], second["results"], "{answer}");
    agent.leave();
}
