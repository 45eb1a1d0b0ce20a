//! Documents 003 and 004: the common tools under the names and forms that stand there.

use serde_json::{Value, json};

use crate::environment::Project;
use crate::servers::page_server;

fn with_why(mut arguments: Value) -> Value {
    arguments["why"] = json!("Keep the project's notes as the document's examples do");
    arguments
}

#[test]
fn write_file_answers_the_bytes_that_the_file_has() {
    let project = Project::new(&[]);
    let write = with_why(json!({ "path": "scripts/hello.py", "content": "print('Hällo')\n" }));
    let answer = project.call("write_file", &write).json();
    assert_eq!(answer["bytes"], project.text("scripts/hello.py").len(), "{answer}");
    let append = with_why(json!({ "path": "a.txt", "text": "four\n" }));
    assert_eq!(project.call("fs.append", &append).json()["bytes"], 19);
}

#[test]
fn list_processes_is_found_and_filters() {
    let project = Project::new(&[]);
    let mut agent =
        crate::environment::agent::Agent::start(project.folder(), crate::environment::agent::LEGACY, &[]);
    for seconds in ["300", "301"] {
        agent.call("terminal.run", with_why(json!({ "cmd": ["sleep", seconds], "background": true })));
    }
    let listed = agent.call("process.list", with_why(json!({ "filter": "sleep 301" })));
    let listed = listed.get("result").unwrap_or(&listed).clone();
    let commands: Vec<&Value> = listed.as_array().unwrap().iter().map(|process| &process["cmd"]).collect();
    assert_eq!(commands, [&json!(["sleep", "301"])], "{listed}");
    let named = project.call("list_processes", &with_why(json!({ "filter": "nothing" })));
    assert_eq!(named.code, Some(0), "{named:?}");
}

#[test]
fn a_shell_reads_the_machines_accounts_no_more_than_read_file_does() {
    let project = Project::new(&[]);
    let refused = |tool: &str, arguments: Value| {
        let fault = project.call(tool, &with_why(arguments)).json();
        assert_eq!(fault["code"], "PERMISSION_DENIED", "{tool}: {fault}");
    };
    refused("read_file", json!({ "path": "/etc/passwd" }));
    refused("run_command", json!({ "command": "cat /etc/passwd" }));
    refused("run_command", json!({ "command": "grep root < /etc/shadow" }));
    let other = project.call("run_command", &with_why(json!({ "command": "cat /etc/hostname; id -un" })));
    assert_eq!(other.code, Some(0), "{other:?}");
    // A program reads the accounts that it needs, the person's own among them, and none of the machine's others.
    let script = "import pwd; print([a.pw_name for a in pwd.getpwall()]); print(open('/etc/passwd').read().count(chr(10)))";
    let program = project.call("terminal.run", &with_why(json!({ "cmd": ["python3", "-c", script] }))).json();
    assert_eq!(program["exit_code"], 0, "{program}");
    let shown = program["stdout"].as_str().unwrap();
    assert!(shown.contains("'root'") && !shown.contains("daemon"), "{program}");
}

#[test]
fn forbidden_patterns_are_understood_and_their_own_place_is_named() {
    let project = Project::new(&[]);
    project.put_home(
        ".config/wherefore/config.toml",
        "[rules]\nforbidden_patterns = [\"curl\", \"wget\", \"nc\"]\n",
    );
    let fault =
        project.call("run_command", &with_why(json!({ "command": "wget http://127.0.0.1/x" }))).json();
    assert_eq!(fault["code"], "PERMISSION_DENIED", "{fault}");
    let status = project.run(&["status"]).out;
    assert!(status.contains("deny = [\"curl\", \"wget\", \"nc\"]"), "{status}");
}

#[test]
fn the_settings_that_init_writes_show_rules_of_commands() {
    let project = Project::new(&[]);
    let made = project.run(&["init", "--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(project.text(".wherefore/config.toml").contains("[rules.commands]\n"));
}

#[test]
fn a_result_has_the_form_of_the_documents_tool_result() {
    let project = Project::new(&[]);
    let form = |tool: &str, arguments: Value| {
        let ran = project.run(&["call", "--format", "openai", tool, &with_why(arguments).to_string()]);
        (ran.code, ran.json())
    };
    let (code, result) = form("read_file", json!({ "path": "a.txt" }));
    assert_eq!(
        (code, &result["success"], &result["error"]),
        (Some(0), &json!(true), &Value::Null),
        "{result}"
    );
    assert!(result["output"].as_str().unwrap().contains("one\\ntwo"), "{result}");
    assert!(result["tool_call_id"].as_str().is_some_and(|id| !id.is_empty()), "{result}");
    // The document's `ToolResult(tool_call_id="call-123", …)`: the id is the caller's where it gave one.
    let arguments = with_why(json!({ "path": "a.txt" }));
    for call in [
        json!({ "id": "call-123", "function": { "name": "read_file", "arguments": arguments } }),
        json!({ "id": "call-123", "name": "read_file", "arguments": arguments }),
        json!({ "tool_calls": [
            { "id": "call-123", "type": "function", "function": { "name": "read_file", "arguments": arguments } },
        ] }),
    ] {
        let ran = project.run(&["call", "--format", "openai", &call.to_string()]);
        assert_eq!(ran.json()["tool_call_id"], "call-123", "{ran:?}");
        let batch = project.run_with(&["call", "--batch", "--format", "openai"], &[], &format!("{call}\n"));
        assert_eq!(batch.json()["tool_call_id"], "call-123", "{batch:?}");
    }
    let (code, result) = form("read_file", json!({ "path": "absent.txt" }));
    assert_eq!(
        (code, &result["success"], &result["output"]),
        (Some(1), &json!(false), &json!("")),
        "{result}"
    );
    assert!(result["error"].as_str().unwrap().starts_with("NOT_FOUND: "), "{result}");
    for (command, limit, expected) in [("exit 3", 60_000, "exit 3"), ("sleep 5", 200, "TIMEOUT")] {
        let (_, result) = form("terminal.run", json!({ "line": command, "timeout_ms": limit }));
        let error = result["error"].as_str().unwrap_or_default();
        assert!(result["success"] == false && error.starts_with(expected), "{command}: {result}");
    }
}

#[test]
fn settings_allow_fetch_a_host_without_a_question() {
    let address = page_server();
    let project = Project::new(&[]);
    let arguments = with_why(json!({ "url": format!("http://{address}/") }));
    let local = format!("[fetch]\nlocal = [\"{address}\"]\n");
    project.put_home(".config/wherefore/config.toml", &local);
    let nobody = project.call("fetch", &arguments);
    assert_eq!(nobody.json()["code"], "PERMISSION_DENIED", "nobody is there to ask: {nobody:?}");
    project.put_home(
        ".config/wherefore/config.toml",
        &format!("{local}[rules.network]\nallow = [\"127.0.0.1\"]\n"),
    );
    let read = project.call("fetch", &arguments);
    assert!(read.out.contains("welcome!"), "{read:?}");
}

#[test]
fn edit_file_says_in_how_many_places_it_replaced() {
    let project = Project::new(&[("b.txt", "one two one\none\n")]);
    let edit = |find: &str, all: bool, regex: bool| {
        let arguments = json!({ "path": "b.txt", "find": find, "replace": "1", "all": all, "regex": regex });
        project.call("edit_file", &with_why(arguments)).json()
    };
    assert_eq!(edit("one", true, false)["replaced"], 3);
    assert_eq!(project.text("b.txt"), "1 two 1\n1\n");
    assert_eq!(edit("two", false, false)["replaced"], 1);
    assert_eq!(edit("^1$", true, true)["replaced"], 0, "it stands there already");
}

#[test]
fn edit_file_says_that_all_replaces_each_place() {
    let project = Project::new(&[("b.txt", "one two one\none\n")]);
    let edit = with_why(json!({ "path": "b.txt", "find": "one", "replace": "1" }));
    let fault = project.call("edit_file", &edit).json();
    assert_eq!(fault["code"], "PATCH_MISMATCH", "{fault}");
    assert!(fault["suggestion"].as_str().unwrap().contains("`all: true`"), "{fault}");
    let next = &fault["next_action"];
    assert_eq!(
        (&next["tool"], &next["arguments"]["range"]["end"]),
        (&json!("fs.read"), &json!(2)),
        "{fault}"
    );
    let mut all = edit;
    all["all"] = json!(true);
    let edited = project.call("edit_file", &all).json();
    assert_eq!((&edited["replaced"], project.text("b.txt").as_str()), (&json!(3), "1 two 1\n1\n"));
}

/// Document 004, "Adding a tool": the definition in the form of a function.
#[test]
fn a_tool_is_added_by_its_function() {
    let function = json!({
        "type": "function",
        "function": {
            "name": "find_text",
            "description": "Search for text pattern in files",
            "parameters": {
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "description": "Text or regex pattern to search for" },
                    "path": { "type": "string", "description": "Directory to search in" },
                },
                "required": ["pattern"],
            },
        },
    });
    let project = Project::new(&[(".wherefore/tools/find.json", &function.to_string())]);
    let listed = project.run(&["tools", "list"]);
    assert_eq!(listed.err, "", "nothing is wrong with it");
    let shown = project.run(&["tools", "expand", "find_text"]).json();
    // No code runs it yet: its caller gives the output.
    assert_eq!(shown["args_schema"]["required"], json!(["pattern", "why", "_output"]), "{shown}");
    // As it is printed it is read, and a slip has its place.
    let printed = project.run(&["tools", "show", "find_text", "--format", "function"]).json();
    project.put(".wherefore/tools/find.json", &printed.to_string());
    assert_eq!(project.run(&["tools", "list"]).err, "");
    let slip = "type: function\nfunction:\n  name: find_text\n  description: Search\n  parametres: {}\n";
    std::fs::remove_file(project.path(".wherefore/tools/find.json")).unwrap();
    project.put(".wherefore/tools/find.yaml", slip);
    let wrong = project.run(&["tools", "list"]).err;
    assert!(
        wrong.contains("find.yaml:5: `parametres` is no key of `function`; did you mean `parameters`?"),
        "{wrong}"
    );
}

/// "shell": what was run stands in the heading of the log, and in what `log` shows.
#[test]
fn document_003_shell_the_log_names_the_command() {
    let project = Project::new(&[]);
    project.call("shell", &with_why(json!({ "command": "ls -la" })));
    assert!(project.log().contains(" c-0001 terminal.run ls -la\n"), "{}", project.log());
    let shown = project.run(&["log"]).out;
    assert!(shown.contains("c-0001  terminal.run  ls -la  ok"), "{shown}");
}

#[test]
fn list_files_without_a_path_lists_the_current_folder_also_where_it_is_null() {
    let project = Project::new(&[]);
    let without = project.call("list_files", &with_why(json!({}))).json();
    assert!(without.as_array().unwrap().iter().any(|entry| entry["name"] == "a.txt"), "{without}");
    let names = |listed: &Value| -> Vec<Value> {
        listed.as_array().unwrap().iter().map(|entry| entry["name"].clone()).collect()
    };
    let null = project.call("list_files", &with_why(json!({ "path": null }))).json();
    assert_eq!(names(&null), names(&without));
    let function =
        json!({ "function": { "name": "list_files", "arguments": with_why(json!({ "path": null })) } });
    assert_eq!(names(&project.batch(&[function])[0]["result"]), names(&without));
    let mut agent =
        crate::environment::agent::Agent::start(project.folder(), crate::environment::agent::LEGACY, &[]);
    let null = agent.call("list_files", with_why(json!({ "path": null })));
    assert_eq!(names(&null["result"]), names(&without));
    agent.leave();
}

#[test]
fn list_processes_says_what_an_empty_list_was_taken_from() {
    let project = Project::new(&[]);
    for arguments in [json!({}), json!({ "filter": "nothing" })] {
        let envelope =
            &project.batch(&[json!({ "tool": "list_processes", "arguments": with_why(arguments) })])[0];
        assert_eq!(envelope["result"], json!([]));
        let told = envelope["warnings"].to_string();
        assert!(told.contains("terminal.run") && told.contains("machine: true"), "{envelope}");
    }
}
