//! The small surface: agents find tools, see their schemas, call them, and the log has the way to each call.

use serde_json::{Value, json};

use crate::support::agent::{Agent, MODERN, place, wherefore};

fn agent(require_expand: &str) -> (tempfile::TempDir, Agent) {
    let folder = place();
    std::fs::create_dir_all(folder.path().join("home/.config/wherefore")).unwrap();
    let settings = format!("[discovery]\nsurface = \"discovery\"\nrequire_expand = \"{require_expand}\"\n");
    std::fs::write(folder.path().join("home/.config/wherefore/config.toml"), settings).unwrap();
    let agent = Agent::start(folder.path(), MODERN, &[]);
    (folder, agent)
}

fn read() -> Value {
    let arguments = json!({ "path": "a.txt", "why": "Find out which number the report begins with" });
    json!({ "tool_id": "fs.read", "arguments": arguments })
}

#[test]
fn a_tool_is_found_expanded_and_called() {
    let (folder, mut agent) = agent("warn");
    let listed = agent.request("tools/list", json!({})).unwrap();
    let names: Vec<_> = listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    let operations =
        ["search_tool_by_category", "list", "search_nodes", "expand_tool", "call_tool", "call_tools"];
    assert_eq!(
        names,
        operations.into_iter().chain(["review_wait", "task_complete"]).map(Value::from).collect::<Vec<_>>()
    );

    let root = agent.call("list", json!({}));
    assert!(root["nodes"].as_array().unwrap().iter().any(|node| node["name"] == "Files"), "{root}");
    let nodes = agent.call("search_nodes", json!({ "query": "read a file" }));
    assert_eq!(nodes["results"][0]["path"], json!(["Files"]));
    let found = agent.call("search_tool_by_category", json!({ "query": "read a file", "limit": 3 }));
    assert_eq!(found["results"][0]["tool_id"], "fs.read");
    let fault = agent.fault("search_tool_by_category", json!({ "query": "read", "category_path": ["Fils"] }));
    assert_eq!((&fault["code"], &fault["hints"][0]), (&json!("UNKNOWN_PATH"), &json!("Files")));
    let expanded = agent.call("expand_tool", json!({ "tool_id": "fs.read" }));
    assert_eq!(expanded["args_schema"]["properties"]["path"]["type"], "string");
    let answer = agent.call("call_tool", read());
    assert_eq!((&answer["lines"], answer.get("warnings")), (&json!(3), None));

    let log = wherefore(folder.path(), &["log", "--format", "json"]).output().unwrap();
    let calls: Vec<Value> = String::from_utf8(log.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &Value| event["type"] == "tool_call")
        .collect();
    let of = |tool: &str| calls.iter().rfind(|call| call["tool"] == tool).unwrap();
    let found = calls.iter().find(|call| call["args"]["limit"] == 3).unwrap();
    assert_eq!(of("expand_tool")["follows"], found["call_id"]);
    assert_eq!(of("fs.read")["follows"], of("expand_tool")["call_id"]);
}

#[test]
fn a_tool_that_was_not_expanded_is_warned_of_or_refused() {
    let (_folder, mut warned) = agent("warn");
    let answer = warned.call("call_tool", read());
    assert!(answer["warnings"][0].as_str().unwrap().contains("not expanded"), "{answer}");
    let fault = warned.fault("call_tool", json!({ "tool_id": "fs.write", "arguments": { "path": "b" } }));
    assert_eq!(fault["code"], "MISSING_WHY");
    assert!(fault["details"]["args_schema"]["properties"]["content"].is_object(), "{fault:#}");

    // By its own name as well, but where it is listed with its schema.
    let direct = warned.call("fs_read", read()["arguments"].clone());
    assert!(direct["warnings"][0].as_str().unwrap().contains("not expanded"), "{direct}");
    let (_folder, mut refused) = agent("refuse");
    let fault = refused.fault("fs_read", read()["arguments"].clone());
    assert_eq!(fault["next_action"]["arguments"]["tool_id"], "fs.read", "{fault}");
    refused.call(
        "task_complete",
        json!({ "summary": "All is read", "why": "Tell the person that the report is read" }),
    );
    let (_folder, mut refused) = agent("refuse");
    let fault = refused.fault("call_tool", read());
    assert_eq!(
        (&fault["code"], &fault["next_action"]["arguments"]["tool_id"]),
        (&json!("INVALID_ARGS"), &json!("fs.read"))
    );
    assert_eq!(refused.call("call_tool", read())["lines"], 3, "the fault has shown the schema");
    let fault = refused.fault("call_tool", json!({ "tool_id": "fs.raed", "arguments": {} }));
    assert_eq!(fault["code"], "TOOL_NOT_FOUND");
}
