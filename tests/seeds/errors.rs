//! Document 000 §6 and document 001, "Error model": every error has a code, a message, a way out, and the next action wherever
//! there is one.

use serde_json::{Value, json};

use crate::environment::Project;
use crate::environment::agent::{Agent, MODERN};

const WHY: &str = "Learn how the calculator reads numbers before their form changes";

fn with_why(mut arguments: Value) -> Value {
    arguments["why"] = json!(WHY);
    arguments
}

/// An error, and whether a program can follow its way out.
struct Expected {
    code: &'static str,
    has_next_action: bool,
}

fn check_fault(fault: &Value, expected: &Expected) {
    assert_eq!(fault["code"], expected.code, "{fault}");
    assert!(fault["recoverable"].is_boolean(), "{fault}");
    for member in ["message", "suggestion"] {
        assert!(fault[member].as_str().is_some_and(|text| text.len() > 8), "{member}: {fault}");
    }
    let next = &fault["next_action"];
    assert_eq!(
        next["tool"].is_string() && next["arguments"].is_object(),
        expected.has_next_action,
        "{fault}"
    );
}

#[test]
fn document_000_section_6_every_code_of_a_call_has_a_way_out() {
    let large = "x\n".repeat(3000);
    let project = Project::new(&[("large.txt", &large), ("b.txt", "one\n")]);
    std::fs::write(project.path("picture.bin"), [0, 159, 146, 150, 0, 1]).unwrap();
    project.put_home(".config/wherefore/config.toml", "[limits]\nedit_bytes = 4096\n");
    project.put(
        ".wherefore/tools/broken.yaml",
        "tool:\n  name: broken.late\n  description: Sleeps.\n  input_schema:\n    properties: { why: string }\n    required: [why]\n  \
         mcp_server: nowhere\n",
    );
    project.put(".wherefore/config.toml", "[mcp_servers.nowhere]\ncommand = \"true\"\n");
    let with = |code, has_next_action| Expected { code, has_next_action };
    let call = |tool: &str, arguments: Value| json!({ "tool": tool, "arguments": with_why(arguments) });
    let stale = json!({ "path": "b.txt", "content": "two\n", "expected_hash": "0000000000000000" });
    let cases = [
        (call("fs.read", json!({ "path": "src/absent.js" })), with("NOT_FOUND", true)),
        (call("terminal.output", json!({ "id": "p-99" })), with("NOT_FOUND", true)),
        (call("fs.read", json!({ "path": "/etc/passwd" })), with("PERMISSION_DENIED", false)),
        (call("fetch", json!({ "url": "https://example.org/" })), with("PERMISSION_DENIED", false)),
        (call("fs.read", json!({ "path": 7 })), with("INVALID_ARGS", true)),
        (json!({ "tool": "fs.read", "arguments": { "path": "a.txt" } }), with("MISSING_WHY", true)),
        (
            call("fs.edit", json!({ "path": "large.txt", "find": "y", "replace": "z" })),
            with("QUOTA_EXCEEDED", false),
        ),
        (call("fs.raed", json!({})), with("TOOL_NOT_FOUND", true)),
        (call("weather.tomorrow", json!({})), with("TOOL_NOT_FOUND", true)),
        (call("broken.late", json!({})), with("NOT_AUTHORIZED", false)),
        (
            call("fs.patch", json!({ "path": "a.txt", "diff": "@@ -1,1 +1,1 @@\n-nine hundred\n+ten\n" })),
            with("PATCH_MISMATCH", true),
        ),
        (call("fs.write", stale), with("STALE", true)),
        (
            call("fs.edit", json!({ "path": "picture.bin", "find": "a", "replace": "b" })),
            with("UNSUPPORTED", false),
        ),
    ];
    let calls: Vec<Value> = cases.iter().map(|(call, _)| call.clone()).collect();
    for (envelope, (_, expected)) in project.batch(&calls).iter().zip(&cases) {
        check_fault(&envelope["error"], expected);
    }
}

#[test]
fn document_000_section_6_the_next_action_of_a_fault_can_be_made_as_it_stands() {
    let project = Project::new(&[("src/parser.ts", "export {}\n")]);
    let fault = project.call("fs.read", &with_why(json!({ "path": "src/absent.ts" }))).json();
    let next = &fault["next_action"];
    let listed = project.call(next["tool"].as_str().unwrap(), &next["arguments"]);
    assert!(listed.code == Some(0) && listed.out.contains("parser.ts"), "{listed:?}");
}

#[test]
fn document_001_api_surface_a_request_with_a_member_that_it_does_not_know_is_refused() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), MODERN, &[]);
    for (operation, mut arguments) in [
        ("list", json!({ "path": ["Files"] })),
        ("search_nodes", json!({ "query": "files" })),
        ("search_tool_by_category", json!({ "query": "read a file", "category_path": [] })),
        ("expand_tool", json!({ "tool_id": "fs.read" })),
        ("call_tool", json!({ "tool_id": "fs.read", "arguments": with_why(json!({ "path": "a.txt" })) })),
    ] {
        arguments["why"] = json!(WHY);
        agent.call(operation, arguments.clone());
        arguments["categry"] = json!("Files");
        let fault = agent.fault(operation, arguments);
        assert_eq!(fault["code"], "INVALID_ARGS", "{operation}: {fault}");
        assert!(
            fault["message"].as_str().unwrap().contains("`categry` is no member"),
            "{operation}: {fault}"
        );
    }
}

#[test]
fn document_001_error_model_each_operation_says_how_to_recover() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), MODERN, &[]);
    let with = |code, has_next_action| Expected { code, has_next_action };
    for (operation, arguments, expected) in [
        ("list", json!({ "path": ["Fliles"] }), with("UNKNOWN_PATH", true)),
        (
            "search_tool_by_category",
            json!({ "query": "zxqv", "category_path": ["Git"] }),
            with("NO_MATCH_IN_CATEGORY", true),
        ),
        ("expand_tool", json!({ "tool_id": "fs.raed" }), with("TOOL_NOT_FOUND", true)),
    ] {
        check_fault(&agent.fault(operation, arguments), &expected);
    }
}

/// "QUOTA_EXCEEDED: resource limit hit": with the exit code and what was written until then.
#[test]
fn document_000_section_6_every_limit_that_ends_a_command_is_a_code() {
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/config.toml", "[sandbox]\nmemory_mb = 96\n");
    let grow = "echo begun\nfor i in 1 2 3; do python3 -c 'import time; kept = bytearray(b\"x\") * (60 << 20); time.sleep(50)' & done\nwait\n";
    let answer = project.call("terminal.run", &with_why(json!({ "line": grow }))).json();
    assert_eq!(
        (&answer["limit"], &answer["error"]["code"]),
        (&json!("memory"), &json!("QUOTA_EXCEEDED")),
        "{answer}"
    );
    assert!(answer["error"]["message"].as_str().unwrap().contains("96 MB"), "{answer}");
    assert!(answer["error"]["suggestion"].is_string() && answer["error"]["recoverable"] == true, "{answer}");
    assert!(answer["exit_code"].as_i64().unwrap() >= 128 && answer["stdout"] == "begun\n", "{answer}");
    // Code that is refused the memory, and not ended, says the same.
    let code =
        "print('begun', flush=True)\nkept = []\nwhile True:\n    kept.append(bytearray(b'x') * (4 << 20))\n";
    let answer = project.call("python.exec", &with_why(json!({ "code": code }))).json();
    let error = &answer["error"];
    assert_eq!(
        (&error["type"], &error["code"]),
        (&json!("MemoryError"), &json!("QUOTA_EXCEEDED")),
        "{answer}"
    );
    assert!(
        error["suggestion"].is_string() && answer["exit_code"] == 1 && answer["stdout"] == "begun\n",
        "{answer}"
    );
    let script = json!({ "code": "console.log('begun'); const kept = []; for (;;) kept.push(new Array(10000).fill(1))" });
    let answer = project.call("js.exec", &with_why(script)).json();
    assert_eq!(
        (&answer["limit"], &answer["error"]["code"]),
        (&json!("memory"), &json!("QUOTA_EXCEEDED")),
        "{answer}"
    );
    assert_eq!(
        (&answer["exit_code"], &answer["logs"][0]["text"]),
        (&json!(137), &json!("begun")),
        "{answer}"
    );
    let shaped = "tool: { name: grow.shaped, description: Grows, input_schema: { type: object, properties: { why: string }, required: [why] }, command: [sh, grow.sh], output_schema: { type: object } }\n";
    project.put("grow.sh", grow);
    project.put_home(".config/wherefore/tools/grow.yaml", shaped);
    let fault = project.call("grow.shaped", &with_why(json!({}))).json();
    assert_eq!(fault["code"], "QUOTA_EXCEEDED", "{fault}");
}

#[test]
fn document_000_section_6_a_folder_and_a_glob_that_match_nothing_name_what_is_there() {
    let project = Project::new(&[("src/main.rs", "fn main() {}\n"), ("src/lib.rs", "")]);
    let fault = project.call("search.lexical", &with_why(json!({ "query": "main", "scope": "scr" }))).json();
    assert_eq!((&fault["code"], &fault["hints"]), (&json!("NOT_FOUND"), &json!(["src"])), "{fault}");
    for (tool, arguments) in [
        ("search.lexical", json!({ "query": "main", "glob": "*.rss" })),
        ("search.lexical", json!({ "query": "main", "scope": "src", "glob": "*.py" })),
        ("workspace.files", json!({ "glob": "lib/**" })),
    ] {
        let envelope = &project.batch(&[json!({ "tool": tool, "arguments": with_why(arguments) })])[0];
        let told = envelope["warnings"].to_string();
        assert!(told.contains("matches none of") && told.contains("*.rs"), "{tool}: {envelope}");
    }
    let found = &project.batch(&[json!({ "tool": "search.lexical", "arguments": with_why(json!({ "query": "main", "glob": "*.rs" })) })])[0];
    assert_eq!(found.get("warnings"), None, "{found}");
    let unheld = &project.batch(&[json!({ "tool": "search.lexical", "arguments": with_why(json!({ "query": "zzyzx", "glob": "*.rs" })) })])[0];
    assert_eq!(unheld.get("warnings"), None, "the files were searched: {unheld}");
}
