//! The card that names the crates, the schemas and the notifications: each statement, tried.

use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::environment::{Editor, Options, Project};

fn schema(path: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// What is wrong with a value, each with its place.
fn problems(schema: &Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn with_why(mut arguments: Value) -> Value {
    arguments["why"] = json!("Hold the program's events against the schema that it publishes");
    arguments
}

#[test]
fn every_event_of_a_log_keeps_to_the_published_schema() {
    let project = Project::new(&[]);
    let call = |tool: &str, arguments: Value| json!({ "tool": tool, "arguments": with_why(arguments) });
    project.batch(&[
        call("fs.read", json!({ "path": "a.txt" })),
        call("fs.read", json!({ "path": "absent" })),
        call("fs.write", json!({ "path": "b.txt", "content": "b\n" })),
        call("terminal.run", json!({ "cmd": ["true"] })),
        call("no.such.tool", json!({})),
        call("fetch", json!({ "url": "https://example.org/" })),
        json!({ "tool": "fs.read", "arguments": { "path": "a.txt", "why": "read the file" } }),
        json!({ "tool": "fs.read", "arguments": { "path": "a.txt" } }),
    ]);
    project.run(&["undo", "c-0003"]);
    let schema = schema("schemas/wire/event.json");
    let events = project.run(&["log", "--format", "json"]).lines();
    assert!(events.len() > 14, "{events:#?}");
    let wrong: Vec<_> = events
        .iter()
        .flat_map(|event| problems(&schema, event).into_iter().map(move |wrong| (wrong, event)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let stranger = json!({ "seq": 1, "time": "", "type": "session_end", "totals": {}, "colour": 1 });
    assert!(!problems(&schema, &stranger).is_empty(), "a member that no event has");
}

#[test]
fn the_schema_of_definitions_and_the_program_agree() {
    let schema = schema("schemas/definition.json");
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/definitions");
    let parsed = |name: &str| -> Value {
        serde_saphyr::from_str(&std::fs::read_to_string(cases.join(name)).unwrap()).unwrap()
    };
    for good in ["good-command", "good-custom-tools", "good-full", "good-minimal", "good-remote"] {
        assert_eq!(problems(&schema, &parsed(&format!("{good}.yaml"))), Vec::<String>::new(), "{good}");
    }
    for bad in ["bad-why", "bad-why-optional", "bad-missing", "bad-keys", "bad-schemas", "bad-root"] {
        assert!(!problems(&schema, &parsed(&format!("{bad}.yaml"))).is_empty(), "{bad}");
    }
    let three = json!({ "tool": {
        "name": "a.b", "description": "Does it.",
        "input_schema": { "type": "array", "properties": { "who": "text", "age": {} }, "required": ["who"] },
    }});
    assert!(problems(&schema, &three).len() >= 2, "{:?}", problems(&schema, &three));
    // What the program refuses beside: two things that run it, two forms in one file, names that are kept.
    let tool = json!({
        "name": "a.b", "description": "Does it.",
        "input_schema": { "properties": { "who": "string", "why": "string" }, "required": ["why"] },
    });
    let with = |name: &str, value: Value| {
        let mut tool = tool.clone();
        tool[name] = value;
        tool
    };
    let mut doubled = with("command", json!(["true"]));
    doubled["mcp_server"] = json!("mail");
    let mut kept = tool.clone();
    kept["input_schema"]["properties"]["_who"] = json!("string");
    let protocol =
        |properties: Value| json!({ "type": "object", "description": "x", "properties": properties });
    let named = json!({ "_tool": { "const": "mood" }, "_output": {}, "text": { "type": "string" } });
    let mut unknown = named.clone();
    unknown["_mood"] = json!({ "type": "string" });
    for refused in [
        json!({ "tool": doubled }),
        json!({ "tool": kept }),
        json!({ "tool": tool, "custom_tools": [tool] }),
        json!({ "type": "object", "properties": named }),
        protocol(json!({ "text": { "type": "string" } })),
        protocol(unknown),
    ] {
        assert!(!problems(&schema, &refused).is_empty(), "{refused}");
    }
    let function =
        json!({ "name": "find_text", "description": "Finds it.", "parameters": { "type": "object" } });
    let undescribed = json!({ "properties": { "who": { "type": "string" }, "why": { "type": "string" } }, "required": ["why"] });
    for taken in [
        json!({ "tool": with("command", json!(["true"])) }),
        json!({ "tool": with("input_schema", undescribed) }),
        json!({ "custom_tools": [tool] }),
        protocol(named),
        json!({ "type": "function", "function": function }),
    ] {
        assert_eq!(problems(&schema, &taken), Vec::<String>::new(), "{taken}");
    }
    let short = json!({ "tool": {
        "name": "a.b", "description": "Does it.",
        "input_schema": { "properties": { "who": "string", "ages": "int[]", "why": "string" }, "required": ["who", "why"] },
    }});
    assert_eq!(problems(&schema, &short), Vec::<String>::new());
}

#[test]
fn a_request_with_a_member_that_it_does_not_know_is_refused() {
    let mut editor = Editor::connect(&Options::default());
    let params = json!({ "proposal": "p-1", "hunk": "h1", "act": "accept" });
    let refused = editor.request("wherefore/decide", params).unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("`hunk` is no member"), "{refused}");
}

#[test]
fn status_counts_the_calls_of_a_session_that_ended() {
    let project = Project::new(&[]);
    let mut agent =
        crate::environment::agent::Agent::start(project.folder(), crate::environment::agent::LEGACY, &[]);
    for _ in 0..3 {
        agent.call("fs.read", with_why(json!({ "path": "a.txt" })));
    }
    agent.leave();
    crate::environment::agent::until("the server ended", || {
        crate::environment::agent::servers(project.folder()).is_empty()
    });
    let status = project.run(&["status", "--json"]).json();
    let workspace = &status["workspaces"][0];
    assert_eq!(workspace["calls"], 3, "{status}");
    // What is said of them is theirs as well.
    assert_eq!(workspace["ways"], json!({ "mcp": 3 }), "{status}");
    assert_eq!(workspace["agents"].as_array().map(Vec::len), Some(1), "{status}");
}

#[test]
fn a_plain_editor_hears_of_each_fault_and_change_however_many_calls_there_are() {
    let options =
        Options { settings: json!({ "notify": { "show": "all", "per_second": 2 } }), ..Options::default() };
    let mut editor = Editor::connect(&options);
    let work = editor.folder.path().join("work");
    std::fs::write(work.join(".env"), "KEY=1\n").unwrap();
    std::fs::write(work.join("a.txt"), "a\n").unwrap();
    let mut ids = Vec::new();
    for path in ["a.txt", "a.txt", "a.txt", "a.txt", ".env", "a.txt", "a.txt"] {
        let arguments = with_why(json!({ "path": path }));
        ids.push(editor.begin("wherefore/call", json!({ "tool": "fs.read", "arguments": arguments })));
    }
    for id in &ids {
        editor.finish(id).unwrap();
    }
    let messages = editor.drain(std::time::Duration::from_secs(3));
    let said: Vec<&str> = messages
        .iter()
        .filter(|message| message["method"] == "window/showMessage")
        .filter_map(|message| message["params"]["message"].as_str())
        .collect();
    assert!(
        said.iter().any(|text| text.starts_with("fs.read failed: ")),
        "the refused read is told: {said:#?}"
    );
    let folded =
        |text: &&str| text.strip_prefix("wherefore: ")?.split_once(" more call")?.0.parse::<usize>().ok();
    let folded: usize = said.iter().filter_map(folded).sum();
    let shown = said.iter().filter(|text| text.starts_with("fs.read a.txt: ")).count();
    assert!(
        folded > 0 && folded + shown == 6,
        "each call is told once, the refused one by itself: {said:#?}"
    );
    assert!(said.iter().any(|text| text.contains("fs.read .env: ")), "with its reason: {said:#?}");
}

#[test]
fn what_another_program_changed_is_told_as_that() {
    let options = Options { settings: json!({ "notify": { "show": "all" } }), ..Options::default() };
    let mut editor = Editor::connect(&options);
    let path = editor.folder.path().join("work/notes.md");
    std::fs::write(&path, "one\n").unwrap();
    let read = json!({ "tool": "fs.read", "arguments": with_why(json!({ "path": "notes.md" })) });
    editor.request("wherefore/call", read).unwrap();
    editor.drain(std::time::Duration::from_millis(500));
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let messages = editor.drain(std::time::Duration::from_secs(5));
    let said: Vec<&str> = messages
        .iter()
        .filter(|message| message["method"] == "window/showMessage")
        .filter_map(|message| message["params"]["message"].as_str())
        .collect();
    assert!(said.iter().all(|text| !text.contains("no reason given")), "{said:#?}");
}
