//! Agents over `wherefore mcp`: both eras of the protocol, one server for all, editors that come and go.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, MODERN, place, servers, until, wherefore};
use crate::support::{Editor, Options};

const DIFF: &str = "@@ -1,3 +1,3 @@\n-one\n+1\n two\n-three\n+3\n";

fn patch() -> Value {
    json!({ "path": "a.txt", "diff": DIFF, "why": "Digits read better in this list" })
}

fn read() -> Value {
    json!({ "path": "a.txt", "why": "Find out which number the report begins with" })
}

fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("work/a.txt")).unwrap()
}

fn log(folder: &Path) -> String {
    let output = wherefore(folder, &["log", "--format", "json"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_agent_of_either_era_reads_and_recovers() {
    for version in ["2025-06-18", LEGACY, MODERN] {
        let folder = place();
        let mut agent = Agent::start(folder.path(), version, &[]);
        if version == MODERN {
            let answer = agent.request("server/discover", json!({})).unwrap();
            assert!(answer["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{answer}");
            assert!(answer["instructions"].as_str().unwrap().contains("`why`"));
        }
        let listed = agent.request("tools/list", json!({})).unwrap();
        let tools = listed["tools"].as_array().unwrap();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert!(tools.iter().all(|tool| !tool["name"].as_str().unwrap().contains('.')));
        assert_eq!(tool("fs_read")["annotations"]["readOnlyHint"], true);
        assert_eq!(tool("fs_patch")["annotations"]["destructiveHint"], true);
        assert_eq!(tool("fs_read")["annotations"]["openWorldHint"], false);
        assert_eq!(tool("fs_ls")["outputSchema"]["properties"]["result"]["type"], "array");

        let fault = agent.fault("fs_read", json!({ "path": "a.txt" }));
        assert_eq!((&fault["code"], &fault["recoverable"]), (&json!("MISSING_WHY"), &json!(true)));
        assert_eq!(agent.call("fs_read", read())["content"], "one\ntwo\nthree\n");
        let as_text = json!({ "name": "fs_read", "arguments": read().to_string() });
        let answer = agent.request("tools/call", as_text).unwrap();
        assert_eq!(answer["structuredContent"]["lines"], 3);
        let names: Vec<_> =
            agent.call("fs_ls", json!({ "path": ".", "why": "See which files there are" }))["result"]
                .as_array()
                .unwrap()
                .iter()
                .map(|entry| entry["name"].clone())
                .collect();
        assert!(names.contains(&json!("a.txt")), "{names:?}");
        let unknown = json!({ "name": "fs_raed", "arguments": read() });
        let error = agent.request("tools/call", unknown).unwrap_err();
        assert_eq!(error["code"], -32602, "{error}");
        let fault = &error["data"];
        assert_eq!((&fault["code"], &fault["hints"][0]), (&json!("TOOL_NOT_FOUND"), &json!("fs_read")));
        assert!(error["message"].as_str().unwrap().contains("call fs_read"), "a model sees no more: {error}");
        for method in ["tools/list", "resources/list", "resources/templates/list"] {
            let error = agent.request(method, json!({ "cursor": "x" })).unwrap_err();
            assert_eq!(
                (&error["code"], error["data"]["suggestion"].is_string()),
                (&json!(-32602), true),
                "{error}"
            );
        }
        assert!(agent.request("no/such", json!({})).unwrap_err()["code"] == -32601);
        agent.leave();
        until("the server ends with its last agent", || servers(folder.path()).is_empty());
    }
}

#[test]
fn the_log_knows_who_called() {
    let folder = place();
    let mut agent = Agent::named(folder.path(), "claude-code", MODERN, &[], json!({}));
    let meta = json!({ "claudecode/toolUseId": "toolu_7", "x-turn": "t-1", "progressToken": 3 });
    let params = json!({ "name": "fs_read", "arguments": read(), "_meta": meta });
    agent.request("tools/call", params).unwrap();
    let log = log(folder.path());
    let call = log.lines().find(|line| line.contains("\"tool_call\"")).unwrap();
    let origin = serde_json::from_str::<Value>(call).unwrap()["origin"].clone();
    assert_eq!(origin["agent"], "claude-code/1.0");
    assert_eq!((&origin["door"], &origin["call"]), (&json!("mcp"), &json!("toolu_7")));
    assert_eq!(origin["ids"], json!({ "x-turn": "t-1" }));
}

#[test]
fn a_decision_made_later_comes_with_the_next_result() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let mut other = Agent::start(folder.path(), MODERN, &[]);
    assert_eq!(servers(folder.path()).len(), 1, "agents share a server");
    let answer = agent.call("fs_patch", patch());
    assert_eq!(answer["status"], "pending", "nobody is there to decide");
    assert_eq!(answer["next_action"]["tool"], "review_wait");
    let proposal = answer["proposal"].as_str().unwrap();
    let decide = ["review", proposal, "--accept", "h1", "--reject", "h2", "--reason", "three stays a word"];
    assert!(wherefore(folder.path(), &decide).output().unwrap().status.success());
    assert_eq!(text(folder.path()), "1\ntwo\nthree\n");
    assert_eq!(other.call("fs_read", read()).get("decisions"), None, "another agent is told nothing");
    let answer = agent.call("fs_read", read());
    let decision = &answer["decisions"][0];
    assert_eq!((&decision["proposal"], &decision["status"]), (&json!(proposal), &json!("partly_applied")));
    assert_eq!(decision["hunks"][1]["reason"], "three stays a word");
    assert_eq!(agent.call("fs_read", read()).get("decisions"), None, "it is told once");
}

#[test]
fn a_decision_reaches_the_agent_that_started_anew() {
    let folder = place();
    let mut keeper = Agent::named(folder.path(), "another", LEGACY, &[], json!({}));
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    agent.call("fs_patch", patch());
    agent.leave();
    assert!(wherefore(folder.path(), &["review", "--accept", "all"]).output().unwrap().status.success());
    assert_eq!(keeper.call("fs_read", read()).get("decisions"), None);
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    assert_eq!(agent.call("fs_read", read())["decisions"][0]["status"], "applied");
}

#[test]
fn the_policy_is_that_of_the_command() {
    for (policy, status, after) in
        [("auto", json!("applied"), "1\ntwo\n3\n"), ("hold", json!("pending"), "one\ntwo\nthree\n")]
    {
        let folder = place();
        let mut agent = Agent::start(folder.path(), MODERN, &["--policy", policy]);
        assert_eq!(agent.call("fs_patch", patch())["status"], status);
        assert_eq!(text(folder.path()), after);
    }
    let folder = place();
    let mut agent = Agent::start(folder.path(), MODERN, &["--policy", "deny"]);
    assert_eq!(agent.fault("fs_patch", patch())["code"], "PERMISSION_DENIED");
}

#[test]
fn an_editor_that_comes_later_takes_the_review_over() {
    let mut editor = Editor::unconnected(&Options::default());
    let folder = editor.folder.path().to_owned();
    std::fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    let root = folder.join("work").display().to_string();
    let mut agent = Agent::start(&folder, LEGACY, &["--root", &root]);
    assert_eq!(agent.call("fs_patch", patch())["status"], "pending");
    editor.initialize(&Options::default());
    assert_eq!(servers(&folder).len(), 1, "the editor joins the server of the agent");
    let pending = editor.request("wherefore/proposals", json!({})).unwrap();
    assert_eq!(pending["proposals"].as_array().unwrap().len(), 1, "what waited is shown");
    let first = pending["proposals"][0]["id"].clone();
    editor
        .request("wherefore/decide", json!({ "proposal": first, "act": "reject", "reason": "not yet" }))
        .unwrap();

    // Now the call waits for the person.
    let call = agent.begin_call("fs_patch", patch());
    let second = loop {
        let pending = editor.request("wherefore/proposals", json!({})).unwrap();
        if let Some(proposal) = pending["proposals"].as_array().unwrap().first() {
            break proposal["id"].clone();
        }
    };
    let accept = json!({ "proposal": second, "hunks": ["h2"], "act": "accept" });
    editor.request("wherefore/decide", accept).unwrap();
    editor.request("wherefore/decide", json!({ "proposal": second, "act": "reject" })).unwrap();
    let (answer, _) = agent.finish_call(call);
    assert_eq!(answer["status"], "partly_applied", "{answer:#}");
    assert_eq!(answer["decisions"][0]["hunks"][0]["reason"], "not yet");
    assert_eq!(text(&folder), "one\ntwo\n3\n");

    // The editor leaves; the agent stays.
    editor.request("shutdown", Value::Null).unwrap();
    editor.notify("exit", Value::Null);
    editor.drain(Duration::from_millis(100));
    assert!(editor.wire.wait_for_end().success());
    assert_eq!(agent.call("fs_patch", patch_back())["status"], "pending");
    agent.leave();
    until("the server ends with its last client", || servers(&folder).is_empty());
}

#[test]
fn editors_that_joined_an_agent_are_all_shown_what_it_does() {
    let mut options = Options::default();
    options.capabilities["experimental"] = json!({ "wherefore": { "hunks": true } });
    let mut first = Editor::unconnected(&options);
    let folder = first.folder.path().to_owned();
    std::fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    let root = folder.join("work").display().to_string();
    let mut agent = Agent::start(&folder, LEGACY, &["--root", &root]);
    agent.call("fs_read", read());
    first.initialize(&options);
    first.request("wherefore/status", Value::Null).unwrap();
    let mut second = first.beside(&options);
    second.request("wherefore/status", Value::Null).unwrap();
    assert_eq!(servers(&folder).len(), 1);
    let call = agent.begin_call("fs_patch", patch());
    let proposal = first.expect("wherefore/proposal")["params"]["id"].clone();
    assert_eq!(second.expect("wherefore/proposal")["params"]["id"], proposal);
    second
        .request("wherefore/decide", json!({ "proposal": proposal, "hunks": ["h1"], "act": "accept" }))
        .unwrap();
    first.expect("wherefore/proposalChanged");
    // The remaining client decides.
    second.request("shutdown", Value::Null).unwrap();
    second.notify("exit", Value::Null);
    second.drain(Duration::from_millis(100));
    assert!(second.wire.wait_for_end().success());
    first.request("wherefore/decide", json!({ "proposal": proposal, "act": "reject" })).unwrap();
    assert_eq!(agent.finish_call(call).0["status"], "partly_applied");
    assert_eq!(text(&folder), "1\ntwo\nthree\n");
    first.drain(Duration::from_millis(100));
}

#[test]
fn a_second_editor_with_a_server_of_its_own_says_so_and_is_shown_new_agents() {
    let options = Options::default();
    let mut first = Editor::connect(&options);
    first.request("wherefore/status", Value::Null).unwrap();
    let folder = first.folder.path().to_owned();
    std::fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    let mut second = first.beside(&options);
    let told = second.expect("window/showMessage")["params"]["message"].clone();
    assert!(told.as_str().unwrap().contains("another editor's server (process "), "{told}");
    let root = folder.join("work").display().to_string();
    let mut agent = Agent::start(&folder, LEGACY, &["--root", &root]);
    let call = agent.begin_call("fs_patch", patch());
    while second.request("wherefore/proposals", json!({})).unwrap()["proposals"] == json!([]) {}
    second.request("wherefore/decide", json!({ "act": "accept" })).unwrap();
    assert_eq!(agent.finish_call(call).0["status"], "applied");
    agent.leave();
    for mut editor in [second, first] {
        editor.drain(Duration::from_millis(100));
    }
}

fn patch_back() -> Value {
    json!({ "path": "a.txt", "diff": "@@ -3 +3 @@\n-3\n+three\n", "why": "Words read better after all" })
}

#[test]
fn an_agent_outlives_the_editor_that_served_it() {
    let mut editor = Editor::connect(&Options::default());
    let folder = editor.folder.path().to_owned();
    std::fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    let root = folder.join("work").display().to_string();
    let mut agent = Agent::start(&folder, LEGACY, &["--root", &root]);
    assert_eq!(servers(&folder).len(), 1, "the agent comes to the editor's server");
    assert_eq!(agent.call("fs_read", read())["lines"], 3);
    let waiting = agent.begin_call("fs_patch", patch());
    while editor.request("wherefore/proposals", json!({})).unwrap()["proposals"] == json!([]) {}
    editor.request("shutdown", Value::Null).unwrap();
    editor.notify("exit", Value::Null);
    editor.drain(Duration::from_millis(100));
    let lost = agent.finish(waiting);
    let told = lost.map_or_else(|error| error.to_string(), |result| result.to_string());
    assert!(told.contains("the server ended") || told.contains("pending"), "{told}");
    agent.expect("notifications/tools/list_changed");
    assert_eq!(agent.call("fs_read", read())["lines"], 3, "another server takes its place");
    let servers = servers(&folder);
    assert_eq!((servers.len(), &servers[0]["headless"]), (1, &json!(true)));
    let pending = wherefore(&folder, &["review", "--json"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&pending.stdout).contains("Digits read better"),
        "what waited still waits"
    );
}

#[test]
fn an_agent_that_leaves_as_the_server_ends_is_let_go() {
    let mut editor = Editor::connect(&Options::default());
    let folder = editor.folder.path().to_owned();
    let root = folder.join("work").display().to_string();
    // However the two ends meet.
    for wait in [0, 1, 3, 10, 30] {
        let mut agent = Agent::start(&folder, LEGACY, &["--root", &root]);
        agent.call("fs_ls", json!({ "path": ".", "why": "See what lies in the folder" }));
        editor.request("shutdown", Value::Null).unwrap();
        editor.notify("exit", Value::Null);
        std::thread::sleep(Duration::from_millis(wait));
        agent.leave();
        editor.drain(Duration::from_millis(50));
        until("the server ends with its last client", || servers(&folder).is_empty());
        editor = editor.beside(&Options::default());
    }
}

#[test]
fn progress_keeps_a_call_alive_and_pending_ends_it() {
    let folder = place();
    std::fs::create_dir_all(folder.path().join("home/.config/wherefore")).unwrap();
    let settings = "[review]\nwait_s = 6\n";
    std::fs::write(folder.path().join("home/.config/wherefore/config.toml"), settings).unwrap();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let answer = agent.call("fs_patch", patch());
    let arguments = json!({ "proposal": answer["proposal"], "why": "Learn what the person makes of it" });
    let params = json!({ "name": "review_wait", "arguments": arguments, "_meta": { "progressToken": "p" } });
    let waiting = agent.begin("tools/call", params);
    let told = agent.expect("notifications/progress");
    assert_eq!((&told["params"]["progressToken"], &told["params"]["progress"]), (&json!("p"), &json!(1.0)));
    assert_eq!(agent.finish_call(waiting).0["status"], "pending");
}

#[test]
fn the_output_of_a_command_is_progress() {
    let folder = place();
    let work = folder.path().join("work");
    std::fs::write(work.join(".gitignore"), "out/\n").unwrap();
    std::fs::create_dir(work.join("out")).unwrap();
    let script = "printf 'one\\ntwo\\n'; while ! ls out | grep -q go; do sleep 0.02; done; echo three\n";
    std::fs::write(work.join("script.sh"), script).unwrap();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let arguments = json!({ "cmd": ["bash", "script.sh"], "why": "Hear the lines as they are printed" });
    let params = json!({ "name": "terminal_run", "arguments": arguments, "_meta": { "progressToken": "p" } });
    let running = agent.begin("tools/call", params);
    let told = agent.expect("notifications/progress");
    assert_eq!(told["params"]["message"], "one\ntwo", "{told}");
    std::fs::write(work.join("out/go"), "").unwrap();
    assert_eq!(agent.finish_call(running).0["stdout"], "one\ntwo\nthree\n");
}

#[test]
fn the_person_is_asked_in_the_agent_where_no_editor_is() {
    let folder = place();
    let capabilities = json!({ "elicitation": {} });
    let mut agent = Agent::named(folder.path(), "asking", LEGACY, &[], capabilities);
    for (decision, status) in [("later", "pending"), ("accept", "applied")] {
        let call = agent.begin_call("fs_patch", patch());
        let asked = agent.expect("elicitation/create");
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains("Digits read better") && message.contains("-three\n+3"), "{message}");
        let content = json!({ "action": "accept", "content": { "decision": decision } });
        agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content }));
        assert_eq!(agent.finish_call(call).0["status"], status);
    }
    assert_eq!(text(folder.path()), "1\ntwo\n3\n");
}

#[test]
fn what_a_rule_asks_about_is_asked_in_the_agent_where_no_editor_is() {
    let folder = place();
    let capabilities = json!({ "elicitation": {} });
    let mut agent = Agent::named(folder.path(), "asking", LEGACY, &[], capabilities);
    let work = folder.path().join("work");
    std::fs::create_dir(work.join(".wherefore")).unwrap();
    std::fs::write(work.join(".wherefore/config.toml"), "[rules]\nask = [\"private\"]\n").unwrap();
    std::fs::write(work.join("private"), "p\n").unwrap();
    let params = json!({ "path": "private", "why": "See what the person keeps to themselves" });
    for (action, answer, words) in [
        ("accept", "deny", "the agent's client said no"),
        ("decline", "allow", "the agent's client said no"),
        ("cancel", "allow", "closed with no answer"),
        ("accept", "allow", "\"p\\n\""),
    ] {
        let call = agent.begin("tools/call", json!({ "name": "fs_read", "arguments": params }));
        let asked = agent.expect("elicitation/create");
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains("private") && message.contains("See what the person"), "{message}");
        let content = json!({ "action": action, "content": { "answer": answer } });
        agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content }));
        let said = format!("{:?}", agent.finish(call));
        assert!(said.contains(words) || said.contains(&words.replace('"', "\\\"")), "{said}");
    }
    let log = log(folder.path());
    let granted = |word: &str| log.matches(&format!("\"granted\":{word}")).count();
    assert_eq!(
        (granted("false"), granted("true"), log.matches("\"by_client\":true").count()),
        (3, 1, 4),
        "{log}"
    );
}

#[test]
fn resources_are_read_and_told_of() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    agent.request("resources/subscribe", json!({ "uri": "wherefore://log" })).unwrap();
    let proposal = agent.call("fs_patch", patch())["proposal"].as_str().unwrap().to_owned();
    assert_eq!(agent.expect("notifications/resources/updated")["params"]["uri"], "wherefore://log");
    agent.expect("notifications/resources/list_changed");
    let listed = agent.request("resources/list", json!({})).unwrap();
    let uris: Vec<_> = listed["resources"].as_array().unwrap().iter().map(|it| it["uri"].clone()).collect();
    let uri = format!("wherefore://proposal/{proposal}");
    assert_eq!(uris, [json!("wherefore://log"), json!("wherefore://working-set"), json!(uri)]);
    for (uri, part) in [
        ("wherefore://log", "## "),
        ("wherefore://working-set", "2 hunks of proposal"),
        (uri.as_str(), "Digits read better in this list"),
    ] {
        let answer = agent.request("resources/read", json!({ "uri": uri })).unwrap();
        assert!(answer["contents"][0]["text"].as_str().unwrap().contains(part), "{answer}");
    }
    let error = agent.request("resources/read", json!({ "uri": "wherefore://nothing" })).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!("wherefore://nothing")));

    let mut modern = Agent::start(folder.path(), MODERN, &[]);
    let filter = json!({ "notifications": { "resourceSubscriptions": ["wherefore://log"] } });
    let listening = modern.begin("subscriptions/listen", filter);
    modern.expect("notifications/subscriptions/acknowledged");
    agent.call("fs_read", read());
    let told = modern.expect("notifications/resources/updated");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], listening);
}

#[test]
fn a_call_that_is_cancelled_ends() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let proposal = agent.call("fs_patch", patch())["proposal"].clone();
    let arguments =
        json!({ "proposal": proposal, "timeout_s": 300, "why": "Learn what the person makes of it" });
    let waiting = agent.begin_call("review_wait", arguments);
    let reason = json!({ "requestId": waiting, "reason": "the person pressed escape" });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": reason }));
    until("the log says that it was cancelled", || log(folder.path()).contains("\"CANCELLED\""));
    assert_eq!(agent.call("fs_read", read())["lines"], 3);
}

#[test]
fn what_is_no_message_does_no_harm() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    for odd in [json!(7), json!([]), json!({}), json!({ "jsonrpc": "2.0", "id": 99 }), json!("\u{202e}")] {
        agent.send(&odd);
    }
    let error = agent.request("tools/call", json!({ "arguments": {} })).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    let long = "x".repeat(65 << 20);
    for (line, id, code) in [
        (format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{deep}}}"#), "deep", -32600),
        (
            format!(r#"{{"jsonrpc":"2.0","params":"{long}","method":"tools/call","id":"long"}}"#),
            "long",
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"torn","method":"tools/call","params":{"name":"#.to_owned(),
            "torn",
            -32700,
        ),
        ("no JSON at all".to_owned(), "", -32700),
    ] {
        agent.send_line(&line);
        agent.error_of(&if id.is_empty() { Value::Null } else { json!(id) }, code);
    }
    assert_eq!(agent.call("fs_read", read())["lines"], 3);
}
