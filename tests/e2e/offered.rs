//! The offer for an agent's model, and its cost: instructions, the list of tools, and the result of a call.

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place};

/// Tools that came later than the first measurement, which was of the others.
const LATER: [&str; 11] = [
    "editor_diagnostics",
    "git_diff",
    "git_log",
    "git_status",
    "js_exec",
    "process_list",
    "provenance_why",
    "python_exec",
    "terminal_kill",
    "terminal_output",
    "terminal_run",
];

/// Arguments that came later: the address of a part of a file, and what becomes of the part.
const LATER_ARGUMENTS: [&str; 3] = ["at", "value", "remove"];

/// Bytes of what a model is sent of a tool.
fn cost(tool: &Value) -> usize {
    let seen = json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] });
    seen.to_string().len()
}

/// The same without the arguments that came later.
fn cost_at_first(tool: &Value) -> usize {
    let mut tool = tool.clone();
    if let Some(properties) = tool["inputSchema"]["properties"].as_object_mut() {
        properties.retain(|name, _| !LATER_ARGUMENTS.contains(&name.as_str()));
    }
    cost(&tool)
}

#[test]
fn the_tools_cost_a_model_at_most_three_fifths_of_what_they_did() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let listed = agent.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    let first: Vec<&Value> = tools.iter().filter(|tool| !LATER.contains(&name(tool).as_str())).collect();
    assert_eq!((tools.len(), first.len()), (28, 17));
    let (of_first, of_all) =
        (first.into_iter().map(cost_at_first).sum::<usize>(), tools.iter().map(cost_at_first).sum::<usize>());
    let of_parts = tools.iter().map(cost).sum::<usize>() - of_all;
    assert!(of_parts <= 1_700, "parts by their address cost {of_parts} bytes");
    // 23,239 and, without provenance_why, 35,009 bytes before.
    assert!(of_first <= 13_900, "17 tools cost {of_first} bytes");
    assert!(of_all <= 24_200, "28 tools cost {of_all} bytes");
    for tool in tools {
        let title = tool["title"].as_str().unwrap();
        assert!(title.len() <= 25 && title.split(' ').count() <= 4, "{title:?} is a name");
        assert_eq!(tool["annotations"]["title"], tool["title"]);
    }
    let edit = tools.iter().find(|tool| tool["name"] == "fs_edit").unwrap();
    assert_eq!(edit["title"], "Edit file");
}

#[test]
fn the_instructions_begin_with_what_the_tools_are_for() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), crate::support::agent::MODERN, &[]);
    let answer = agent.request("server/discover", json!({})).unwrap();
    let instructions = answer["instructions"].as_str().unwrap();
    let first: String = instructions.chars().take(200).collect();
    assert!(first.contains("instead of your own edit tools"), "{first}");
    assert!(first.contains("reviews each change") && first.contains("before it is written"), "{first}");
}

#[test]
fn an_exact_change_is_answered_in_half_the_bytes() {
    let folder = place();
    let text: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    std::fs::write(folder.path().join("work/b.txt"), text).unwrap();
    let hunk = |line: usize| {
        let (above, below) = (line - 1, line + 1);
        format!(
            "@@ -{above},3 +{above},3 @@\n line {above}\n-line {line}\n+line {line} changed\n line {below}\n"
        )
    };
    let mut agent = Agent::start(folder.path(), LEGACY, &["--policy", "auto"]);
    let patch = |diff: String| json!({ "path": "b.txt", "diff": diff, "why": "Mark the lines that the list is to be read by" });
    let exact = agent.call("fs_patch", patch([3, 15, 27].map(hunk).concat()));
    assert_eq!((&exact["status"], exact.get("placed")), (&json!("applied"), None), "{exact:#}");
    assert!(exact["text"].as_str().unwrap().contains("   15  line 15 changed\n"), "{exact:#}");
    // 880 bytes before.
    assert!(exact.to_string().len() <= 440, "{} bytes: {exact}", exact.to_string().len());
    // Hunks that were placed loosely are reported, with the lines around them.
    let loose = agent.call(
        "fs_patch",
        patch("@@ -8,3 +8,3 @@\n line  8\n-line  9\n+line 9 changed\n line  10\n".to_owned()),
    );
    assert_eq!(loose["placed"][0]["level"], "whitespace", "{loose:#}");
    assert!(loose["text"].as_str().unwrap().contains("    6  line 6\n"), "{loose:#}");
}

#[test]
fn a_file_is_read_with_its_lines_numbered() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let read = |more: Value| {
        let mut input = json!({ "path": "a.txt", "why": "Find out which line names the second number" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    assert_eq!(agent.call("fs_read", read(json!({})))["content"], "one\ntwo\nthree\n");
    assert_eq!(
        agent.call("fs_read", read(json!({ "numbers": true })))["content"],
        "1\tone\n2\ttwo\n3\tthree\n"
    );
    let part = read(json!({ "numbers": true, "range": { "start": 2, "end": 3 } }));
    assert_eq!(agent.call("fs_read", part)["content"], "2\ttwo\n3\tthree\n");
}
