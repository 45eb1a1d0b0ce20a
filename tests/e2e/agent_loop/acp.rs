//! `wherefore acp` with no other agent: the built-in one in an editor of the Agent Client Protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::play::{CHAT, Player, Said, call};
use super::{DIFF, complete, file, log, read, scene};
use crate::support::PATIENCE;
use crate::support::agent::wherefore;
use crate::support::terminal::installed;

/// An editor of the protocol, and the agent that it started.
struct AcpEditor {
    child: Child,
    stdin: Option<ChildStdin>,
    heard: Receiver<Value>,
    updates: Vec<Value>,
}

impl AcpEditor {
    fn start(folder: &TempDir) -> Self {
        let mut child =
            wherefore(folder.path(), &["acp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, heard) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let stdin = child.stdin.take();
        let mut editor = Self { child, stdin, heard, updates: Vec::new() };
        let hello =
            editor.request(0, "initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
        assert_eq!(hello["result"]["protocolVersion"], 1);
        assert_eq!(hello["result"]["agentCapabilities"]["loadSession"], true);
        editor
    }

    fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    fn ask(&mut self, id: u32, method: &str, params: Value) {
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.line(&asked.to_string());
    }

    /// The next message that is no update; updates are kept.
    fn hear(&mut self) -> Value {
        loop {
            let message = self.heard.recv_timeout(PATIENCE).expect("nothing came");
            assert_eq!(message["jsonrpc"], "2.0");
            match message["method"].as_str() {
                Some("session/update") => self.updates.push(message["params"]["update"].clone()),
                _ => return message,
            }
        }
    }

    fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.ask(id, method, params);
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer:#}");
        answer
    }

    fn session(&mut self, folder: &TempDir) -> Value {
        let begun = self.request(1, "session/new", in_work(folder));
        begun["result"]["sessionId"].clone()
    }

    fn prompt(&mut self, id: u32, session: &Value, text: &str) {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.ask(id, "session/prompt", json!({ "sessionId": session, "prompt": prompt }));
    }

    fn choose(&mut self, asked: &Value, option: &str) {
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        self.line(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": outcome }).to_string());
    }

    fn of(&self, kind: &str) -> Vec<&Value> {
        self.updates.iter().filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// The text of all chunks of a kind.
    fn text(&self, kind: &str) -> String {
        self.of(kind).iter().filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    fn leave(mut self) {
        self.stdin = None;
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for AcpEditor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn in_work(folder: &TempDir) -> Value {
    json!({ "cwd": folder.path().join("work"), "mcpServers": [] })
}

fn patch() -> Said {
    call("fs_patch", json!({ "path": "lines.txt", "diff": DIFF, "why": "Make two lines stand out" }))
}

#[test]
fn an_editor_of_the_protocol_reviews_each_part_and_loads_the_session_later() {
    let looks = vec![read("lines.txt", "Learn the lines"), read("absent.txt", "Learn what is there")];
    let script = vec![
        Said::Calls(looks),
        patch(),
        complete("The second line stands out."),
        Said::Words("It was the person's wish. Nothing else is to be done."),
    ];
    let player = Player::start(CHAT, script);
    let folder = scene(&player.settings());
    let mut editor = AcpEditor::start(&folder);
    let session = editor.session(&folder);
    editor.prompt(2, &session, "Make lines 2 and 9 stand out");
    let asked = editor.hear();
    assert_eq!(
        (&asked["method"], &asked["params"]["sessionId"]),
        (&json!("session/request_permission"), &session)
    );
    assert_eq!(asked["params"]["options"].as_array().unwrap().len(), 3);
    editor.choose(&asked, "wherefore-each");
    for option in ["wherefore-accept", "wherefore-reject"] {
        let asked = editor.hear();
        let content = &asked["params"]["toolCall"]["content"];
        assert_eq!(
            (content.as_array().unwrap().len(), &content[0]["type"]),
            (1, &json!("diff")),
            "{asked:#}"
        );
        editor.choose(&asked, option);
    }
    let ended = editor.hear();
    assert_eq!((&ended["id"], &ended["result"]["stopReason"]), (&json!(2), &json!("end_turn")), "{ended:#}");
    let lines = file(&folder, "lines.txt");
    assert!(lines.contains("TWO") && lines.contains("line 9"), "{lines}");

    let calls = editor.of("tool_call");
    let kinds: Vec<&Value> = calls.iter().map(|call| &call["kind"]).collect();
    assert_eq!(kinds, ["read", "read", "edit"]);
    assert!(calls[2]["title"].as_str().unwrap().contains("Make two lines stand out"), "{calls:#?}");
    let done = editor.of("tool_call_update");
    let failed = done.iter().filter(|update| update["status"] == "failed").count();
    assert_eq!(failed, 1, "{done:#?}");
    let shown = done.iter().find(|update| update["content"][0]["type"] == "diff").unwrap();
    let path = Path::new(shown["content"][0]["path"].as_str().unwrap());
    assert!(path.is_absolute() && path.ends_with("lines.txt"), "{shown:#}");
    assert_eq!(
        (&shown["content"][1]["oldText"], &shown["content"][1]["newText"]),
        (&json!("line 9\n"), &json!("NINE\n"))
    );
    assert!(editor.text("agent_message_chunk").contains("The second line stands out."));
    editor.leave();

    // Another process, as after a restart of the editor.
    let mut editor = AcpEditor::start(&folder);
    let mut params = in_work(&folder);
    params["sessionId"] = session.clone();
    assert_eq!(editor.request(3, "session/load", params)["result"]["modes"]["currentModeId"], "ask");
    assert_eq!(editor.text("user_message_chunk"), "Make lines 2 and 9 stand out");
    assert_eq!(editor.of("tool_call").len(), 3);
    assert_eq!(editor.of("tool_call_update").len(), 3);
    editor.prompt(4, &session, "Why so?");
    assert_eq!(editor.hear()["result"]["stopReason"], "end_turn");
    assert!(editor.text("agent_message_chunk").contains("It was the person's wish."));
    let asked = player.asked();
    let messages = asked[3].body["messages"].to_string();
    assert!(messages.contains("Make lines 2 and 9") && messages.contains("Why so?"), "{messages}");
    editor.leave();
    assert!(log(&folder).iter().any(|event| event["type"] == "agent_end"));
}

#[test]
fn a_turn_is_cancelled_with_its_question_and_the_next_one_goes_on() {
    let player = Player::start(CHAT, vec![patch(), Said::Words("As you like. Nothing was changed.")]);
    let folder = scene(&player.settings());
    let mut editor = AcpEditor::start(&folder);
    let session = editor.session(&folder);
    editor.prompt(2, &session, "Make lines 2 and 9 stand out");
    let asked = editor.hear();
    assert_eq!(asked["method"], "session/request_permission");
    let cancel = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } });
    editor.line(&cancel.to_string());
    let heard = [editor.hear(), editor.hear()];
    let of = |key: &str| heard.iter().find(|message| message.get(key).is_some());
    assert_eq!(of("method").unwrap()["params"]["requestId"], asked["id"], "{heard:#?}");
    assert_eq!(of("result").unwrap()["result"]["stopReason"], "cancelled", "{heard:#?}");
    assert!(!file(&folder, "lines.txt").contains("TWO"));
    editor.prompt(3, &session, "Leave it then");
    assert_eq!(editor.hear()["result"]["stopReason"], "end_turn");
    assert!(editor.text("agent_message_chunk").contains("As you like."));
    editor.leave();
}

#[test]
fn what_is_wrong_is_an_error_of_json_rpc() {
    let folder = scene("[model]\nname = \"http://127.0.0.1:1/v1#m\"\n");
    let mut editor = AcpEditor::start(&folder);
    editor.line("no message");
    assert_eq!(editor.hear()["error"]["code"], -32700);
    assert_eq!(editor.request(5, "session/unheard_of", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.request(6, "session/new", json!({ "cwd": "here" }))["error"]["code"], -32602);
    let prompt = json!({ "sessionId": "none", "prompt": [{ "type": "text", "text": "x" }] });
    assert_eq!(editor.request(7, "session/prompt", prompt)["error"]["code"], -32602);
    let mut unknown = in_work(&folder);
    unknown["sessionId"] = json!("abc");
    let answer = editor.request(8, "session/load", unknown);
    assert!(answer["error"]["message"].as_str().unwrap().contains("no session log"), "{answer:#}");
    let session = editor.session(&folder);
    let empty = json!({ "sessionId": session, "prompt": [] });
    assert_eq!(editor.request(9, "session/prompt", empty)["error"]["code"], -32602);
    editor.prompt(10, &session, "Do it");
    let answer = editor.hear();
    assert!(answer["error"]["message"].as_str().unwrap().contains("no server answers there"), "{answer:#}");
    editor.leave();
}

/// A script of `node` with the protocol's own SDK, which starts `wherefore acp` in that folder.
fn sdk_client(folder: &TempDir, script: &str) -> Option<Command> {
    let sdk = "agents/acp-sdk/node_modules/@agentclientprotocol/sdk/dist/v1/stable";
    let module = installed(sdk, "acp.js")?;
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
    command.args([env!("CARGO_BIN_EXE_wherefore"), "acp"]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("XDG_")) {
        command.env_remove(name);
    }
    let at = |name: &str| folder.path().join(name);
    command.env("HOME", at("home")).env("XDG_RUNTIME_DIR", at("run")).env("WORK", at("work"));
    command.env("ACP_SDK", module);
    Some(command)
}

#[test]
fn the_protocols_own_sdk_has_a_task_done() {
    let player = Player::start(CHAT, vec![patch(), complete("Two lines stand out.")]);
    let folder = scene(&player.settings());
    let Some(mut command) = sdk_client(&folder, "tests/agents/client.mjs") else { return };
    let output = command.env("REVIEW", "accept").env("FILES", "none").output().unwrap();
    let seen = String::from_utf8_lossy(&output.stdout);
    let seen: Vec<Value> = seen.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |what: &str| seen.iter().filter(|seen| seen["what"] == what).collect::<Vec<_>>();
    assert_eq!(of("stopped")[0]["value"]["stopReason"], "end_turn", "{output:?}");
    assert_eq!(of("permission").len(), 1, "{seen:#?}");
    assert!(of("update").iter().any(|update| update["value"]["content"][0]["type"] == "diff"), "{seen:#?}");
    assert!(file(&folder, "lines.txt").contains("NINE"));
}

#[test]
fn an_editor_by_the_protocols_sdk_has_unsaved_text_modes_a_rejected_hunk_a_cancel_and_an_old_session() {
    let write = |path: &str, content: &str| {
        call("fs_write", json!({ "path": path, "content": content, "why": "Have it for the reader" }))
    };
    let run = json!({ "line": "echo x > made.txt", "why": "Make the other file" });
    let script = vec![
        Said::Calls(vec![read("lines.txt", "Learn the lines")]),
        patch(),
        complete("The second line stands out."),
        write("note.txt", "noted\n"),
        complete("It is noted."),
        write("more.txt", "more\n"),
        patch(),
        call("terminal_run", run),
        complete("I may change nothing."),
        write("last.txt", "last\n"),
        complete("All was said before."),
    ];
    let player = Player::start(CHAT, script);
    let folder = scene(&player.settings());
    let Some(mut command) = sdk_client(&folder, "tests/e2e/agent_loop/editor.mjs") else { return };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked = player.asked();
    let told = |step: usize| asked[step].body["messages"].to_string();
    assert!(told(1).contains("typed, not saved"), "the model reads what is not saved: {}", told(1));
    assert!(told(2).contains("the ninth line is quoted elsewhere"), "{}", told(2));
    // Two changes were refused, and what a command made.
    assert_eq!(told(8).matches("PERMISSION_DENIED").count(), 3, "{}", told(8));
    let last = told(asked.len() - 1);
    for word in [
        "Make lines 2 and 9",
        "the ninth line is quoted elsewhere",
        "The run ended before the result",
        "Go on",
    ] {
        assert!(last.contains(word), "{word}: {last}");
    }
    assert!(!folder.path().join("work/last.txt").exists());
}
