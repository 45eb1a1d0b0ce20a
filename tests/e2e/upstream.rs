//! Custom tools: definitions and servers come and go while the editor runs, and wait for consent where they must.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, MODERN, place};
use crate::support::{Editor, Options, report_skip};

const PATIENCE: Duration = Duration::from_secs(30);

fn script() -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/upstream/server.mjs").display().to_string()
}

fn definition(name: &str, description: &str) -> String {
    format!(
        "tool:\n  name: {name}\n  description: {description}\n  input_schema:\n    type: object\n    \
         properties: {{ why: {{ type: string, description: Why }} }}\n    required: [why]\n"
    )
}

/// Saves like an editor: to a second file first.
fn save(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let beside = path.with_extension("swp");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(beside, path).unwrap();
}

fn tools(editor: &mut Editor) -> Vec<Value> {
    let answer = editor.request("wherefore/listTools", json!({})).unwrap();
    answer["tools"].as_array().unwrap().clone()
}

fn summary(editor: &mut Editor, name: &str) -> Option<String> {
    let tool = tools(editor).into_iter().find(|tool| tool["name"] == name)?;
    Some(tool["summary"].as_str().unwrap().to_owned())
}

fn until<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = so() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The problems published for a document, once they are `count`.
fn published(editor: &mut Editor, uri: &str, count: usize) -> Value {
    loop {
        let told = editor.expect("textDocument/publishDiagnostics");
        let diagnostics = told["params"]["diagnostics"].as_array().unwrap();
        if told["params"]["uri"] == uri && diagnostics.len() == count {
            return told["params"]["diagnostics"].clone();
        }
    }
}

fn wherefore(editor: &Editor, args: &[&str]) -> Output {
    let folder = editor.folder.path();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.args(args).current_dir(folder.join("work")).env("HOME", folder.join("home"));
    command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
    // Independently of the editor's server.
    command.env("XDG_RUNTIME_DIR", folder.join("home")).output().unwrap()
}

#[test]
fn definitions_are_read_again_as_they_change() {
    let mut editor = Editor::connect(&Options::default());
    let file = editor.folder.path().join("work/.wherefore/tools/mine.yaml");
    let uri = editor.uri(".wherefore/tools/mine.yaml");
    assert_eq!(summary(&mut editor, "mine.tool"), None);
    save(&file, &definition("mine.tool", "One"));
    until("a new one", || summary(&mut editor, "mine.tool").filter(|summary| summary == "One"));
    save(&file, &definition("mine.tool", "Two"));
    until("another one", || summary(&mut editor, "mine.tool").filter(|summary| summary == "Two"));
    save(&file, &definition("mine.tool", "Three").replace("required: [why]", "required: []"));
    let problems = published(&mut editor, &uri, 1);
    assert_eq!((&problems[0]["code"], &problems[0]["range"]["start"]["line"]), (&json!("why"), &json!(6)));
    assert_eq!(summary(&mut editor, "mine.tool"), None);
    save(&file, &definition("mine.tool", "Four"));
    published(&mut editor, &uri, 0);
    assert_eq!(summary(&mut editor, "mine.tool").as_deref(), Some("Four"));
    // The person's own come first, whichever folder was there first.
    let own = editor.folder.path().join("home/.config/wherefore/tools/own.yaml");
    save(&own, &definition("mine.tool", "The person's"));
    until("the person's", || summary(&mut editor, "mine.tool").filter(|summary| summary == "The person's"));
    let problems = published(&mut editor, &uri, 1);
    assert_eq!(problems[0]["code"], "name-taken");
    std::fs::remove_dir_all(own.parent().unwrap()).unwrap();
    published(&mut editor, &uri, 0);
    std::fs::remove_file(&file).unwrap();
    until("none", || summary(&mut editor, "mine.tool").is_none().then_some(()));
    // Settings are read again too.
    save(&editor.folder.path().join("work/.wherefore/config.toml"), "[why]\nstrict = true\n");
    let call = json!({ "tool": "fs.ls", "arguments": { "path": ".", "why": "list the folder" } });
    until("strictness", || {
        let answer = editor.request("wherefore/call", call.clone()).unwrap();
        (answer["error"]["code"] == "INVALID_ARGS").then_some(())
    });
    editor.drain(Duration::from_millis(200));
}

#[test]
fn a_projects_server_waits_for_wherefore_consent() {
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let settings = |more: &str| {
        format!(
            "[mcp_servers.srv]\ncommand = \"node\"\nargs = [\"server.mjs\"]\nimport = \"Custom/Tests\"\n{more}"
        )
    };
    // Its sandbox shows the project and nothing else.
    save(&editor.folder.path().join("work/server.mjs"), &std::fs::read_to_string(script()).unwrap());
    let config = editor.folder.path().join("work/.wherefore/config.toml");
    save(&config, &settings(""));
    editor.initialize(&options);
    let question = editor.expect("window/showMessageRequest");
    assert!(question["params"]["message"].as_str().unwrap().contains("server.mjs"), "{question}");
    editor.reply(&question, Value::Null);
    let problems = |editor: &mut Editor| {
        let status = editor.request("wherefore/status", Value::Null).unwrap();
        status["workspaces"][0]["problems"].to_string()
    };
    assert!(problems(&mut editor).contains("mcp_servers.srv waits for your consent"));
    assert_eq!(summary(&mut editor, "srv.echo"), None);
    let shown = wherefore(&editor, &["consent"]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("srv") && text.contains("server.mjs") && text.contains("--yes NAME"), "{text}");
    assert_eq!(wherefore(&editor, &["consent", "--yes", "none"]).status.code(), Some(1));
    assert!(wherefore(&editor, &["consent", "--yes", "srv"]).status.success());
    until("its tools", || summary(&mut editor, "srv.echo"));
    let call = json!({ "tool": "srv_echo", "arguments": { "text": "hi", "why": "See whether the server is there" } });
    let answer = editor.request("wherefore/call", call.clone()).unwrap();
    assert_eq!(answer["result"]["text"], json!({ "text": "hi" }).to_string());
    let listed = editor.request("wherefore/list", json!({ "path": ["Custom", "Tests"] })).unwrap();
    assert!(listed["tools"].as_array().unwrap().len() >= 10, "{listed}");
    let json: Value = serde_json::from_slice(&wherefore(&editor, &["consent", "--json"]).stdout).unwrap();
    assert_eq!((&json["waiting"], &json["consented"][0]["server"]), (&json!([]), &json!("srv")));
    // Another setting is another server.
    save(&config, &settings("env = { X = \"1\" }\n"));
    let question = editor.expect("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "Deny" }));
    until("its end", || summary(&mut editor, "srv.echo").is_none().then_some(()));
    // And what was consented to is taken back.
    save(&config, &settings(""));
    until("its tools again", || summary(&mut editor, "srv.echo"));
    assert!(editor.request("wherefore/call", call.clone()).unwrap()["error"].is_null());
    assert!(wherefore(&editor, &["consent", "--revoke", "srv"]).status.success());
    // A person who has just consented is not asked.
    until("its end", || summary(&mut editor, "srv.echo").is_none().then_some(()));
    let answer = editor.request("wherefore/call", call).unwrap();
    assert_eq!(answer["error"]["code"], "NOT_AUTHORIZED", "it waits for the person's consent");
    editor.drain(Duration::from_millis(200));
}

#[test]
fn the_command_line_uses_a_server_and_leaves_none_behind() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    std::fs::create_dir_all(work.join(".git")).unwrap();
    let settings = |mode: &str| {
        let (args, notes) = (json!([script()]), json!(notes));
        let env = format!("{{ NOTES = {notes}, MODE = \"{mode}\" }}");
        format!("[mcp_servers.srv]\ncommand = \"node\"\nargs = {args}\nimport = true\nenv = {env}\n")
    };
    save(&home.join(".config/wherefore/config.toml"), &settings("stubborn"));
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.args(args).current_dir(&work).env("HOME", &home).env("XDG_RUNTIME_DIR", &home);
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME").output().unwrap()
    };
    let listed = run(&["tools", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert!(listed.as_array().unwrap().iter().any(|tool| tool["name"] == "srv.add"), "{listed}");
    // Its listing is cached: no process is needed to show it.
    let shown: Value = serde_json::from_slice(&run(&["tools", "show", "srv.add"]).stdout).unwrap();
    assert_eq!(shown["tool"]["mcp_server"], "srv");
    let called =
        run(&["call", "srv.add", r#"{"a": 2, "b": 3, "why": "Learn what two and three make together"}"#]);
    assert_eq!(serde_json::from_slice::<Value>(&called.stdout).unwrap(), json!({ "sum": 5 }), "{called:?}");
    let crashed = run(&["call", "srv.crash", r#"{"why": "See what a crash of the server leads to"}"#]);
    assert!(String::from_utf8_lossy(&crashed.stdout).contains("out of cheese"), "{crashed:?}");
    let started: Vec<i32> = std::fs::read_to_string(&notes)
        .unwrap()
        .lines()
        .filter_map(|note| note.strip_prefix("started ")?.parse().ok())
        .collect();
    assert_eq!(started.len(), 3, "{started:?}");
    for pid in started {
        until("the end of a server", || (!Path::new(&format!("/proc/{pid}")).exists()).then_some(()));
    }
    assert!(!work.join(".wherefore/upstream").join("none.json").exists());
    assert!(work.join(".wherefore/upstream/srv.json").exists());
}

#[test]
fn agents_of_both_eras_call_them_and_answer_their_questions() {
    let folder = place();
    let args = json!([script()]);
    let server = format!("[mcp_servers.srv]\ncommand = \"node\"\nargs = {args}\nimport = true\n");
    let settings = format!("[discovery]\ndirect_up_to = 100\n{server}");
    save(&folder.path().join("home/.config/wherefore/config.toml"), &settings);
    let capabilities = || json!({ "elicitation": {} });
    let blue = json!({ "action": "accept", "content": { "colour": "blue" } });
    let asking = json!({ "why": "Learn which colour the person wants" });
    let text = |answer: &Value| answer["content"][0]["text"].as_str().unwrap().to_owned();

    let mut agent = Agent::named(folder.path(), "early", LEGACY, &[], capabilities());
    // They are listed while the agent is there already.
    until("its tools", || {
        let listed = agent.request("tools/list", json!({})).unwrap();
        listed["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "srv_ask").then_some(())
    });
    agent.expect("notifications/tools/list_changed");
    let id = agent.begin_call("srv_ask", asking.clone());
    let asked = agent.expect("elicitation/create");
    assert_eq!(asked["params"]["message"], "srv: Which colour?");
    agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": blue }));
    assert_eq!(text(&agent.finish(id).unwrap()), blue.to_string());
    let image = agent.request("tools/call", json!({ "name": "srv_image", "arguments": asking })).unwrap();
    assert_eq!(image["content"][1]["mimeType"], "image/png");
    assert_eq!(image["structuredContent"]["media"][0]["type"], "image");

    let mut modern = Agent::named(folder.path(), "late", MODERN, &[], capabilities());
    let mut call = json!({ "name": "srv_ask", "arguments": asking });
    let asked = modern.request("tools/call", call.clone()).unwrap();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let (key, request) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["message"], "srv: Which colour?");
    call["inputResponses"] = json!({ key: blue });
    call["requestState"] = asked["requestState"].clone();
    assert_eq!(text(&modern.request("tools/call", call).unwrap()), blue.to_string());
    modern.leave();
    agent.leave();
}

#[test]
fn a_server_of_others_is_used_as_it_is() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let server =
        project.join(".e2e/everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    if !server.exists() {
        report_skip("server-everything is not installed (tests/run installs it): its test passes over");
        return;
    }
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let args = json!([server]);
    let settings = format!("[mcp_servers.all]\ncommand = \"node\"\nargs = {args}\nimport = true\n");
    save(&editor.folder.path().join("home/.config/wherefore/config.toml"), &settings);
    editor.initialize(&options);
    until("its tools", || summary(&mut editor, "all.echo"));
    let why = "See whether a server of others is used well";
    for (tool, mut arguments, pointer, expected) in [
        ("all.echo", json!({ "message": "hi" }), "/text", json!("Echo: hi")),
        ("all_get_sum", json!({ "a": 1, "b": 2 }), "/text", json!("The sum of 1 and 2 is 3.")),
        ("all.get-tiny-image", json!({}), "/media/0/mime_type", json!("image/png")),
        ("all.get-structured-content", json!({ "location": "Chicago" }), "/temperature", json!(36)),
    ] {
        arguments["why"] = json!(why);
        let answer =
            editor.request("wherefore/call", json!({ "tool": tool, "arguments": arguments })).unwrap();
        assert_eq!(answer["result"].pointer(pointer), Some(&expected), "{tool}: {answer}");
    }
    editor.drain(Duration::from_millis(200));
}
