//! An agent that waits for the person reports the reason; if its client cancels the wait, the person is asked about the hunks.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, MODERN, until};
use crate::support::{Editor, Options};

const DIFF: &str = "@@ -1,3 +1,3 @@\n-one\n+1\n two\n-three\n+3\n";

/// An editor named Neovim with a file in its folder, and an agent there.
fn scene(options: &Options, version: &str, args: &[&str]) -> (Editor, Agent, PathBuf) {
    let mut editor = Editor::connect(options);
    let folder = editor.folder.path().to_owned();
    std::fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    editor.request("wherefore/status", Value::Null).unwrap();
    let root = folder.join("work").display().to_string();
    let agent = Agent::start(&folder, version, &[&["--root", &root], args].concat());
    (editor, agent, folder)
}

/// A call that proposes two hunks, with a token for its progress; its id, and that of the proposal.
fn proposed(editor: &mut Editor, agent: &mut Agent) -> (u64, Value) {
    let arguments = json!({ "path": "a.txt", "diff": DIFF, "why": "Digits read better in this list" });
    let params = json!({ "name": "fs_patch", "arguments": arguments, "_meta": { "progressToken": "p" } });
    let call = agent.begin("tools/call", params);
    let proposal = loop {
        let waiting = editor.request("wherefore/proposals", json!({})).unwrap();
        if let Some(id) = waiting["proposals"][0]["id"].as_str() {
            break json!(id);
        }
    };
    (call, proposal)
}

fn options(asks: bool) -> Options {
    let mut options = Options::default();
    if asks {
        options.capabilities["experimental"] = json!({ "wherefore": { "asks": true } });
    }
    options
}

fn interrupt(agent: &mut Agent, call: u64) {
    let reason = json!({ "requestId": call, "reason": "the person pressed escape" });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": reason }));
}

fn waits(editor: &mut Editor) -> usize {
    editor.request("wherefore/proposals", json!({})).unwrap()["proposals"].as_array().unwrap().len()
}

#[test]
fn an_agent_is_told_for_what_it_waits_and_waits_as_long_as_its_client() {
    for version in [LEGACY, MODERN] {
        let (mut editor, mut agent, _) = scene(&options(true), version, &["--wait", "3"]);
        let since = std::time::Instant::now();
        let (call, proposal) = proposed(&mut editor, &mut agent);
        let told = |agent: &mut Agent| agent.expect("notifications/progress")["params"]["message"].clone();
        assert_eq!(told(&mut agent), "waiting for you in scripted editor: 2 hunks in a.txt");
        let one = json!({ "proposal": proposal, "hunks": ["h1"], "act": "accept" });
        editor.request("wherefore/decide", one).unwrap();
        assert_eq!(told(&mut agent), "waiting for you in scripted editor: 1 hunk in a.txt");
        assert_eq!(agent.finish_call(call).0["status"], "pending");
        let waited = since.elapsed();
        assert!((2..20).contains(&waited.as_secs()), "{waited:?}");
        editor.drain(Duration::from_millis(100));
    }
}

#[test]
fn a_client_that_breaks_off_has_the_person_asked_whether_the_hunks_go() {
    for (asks, answer, left) in
        [(true, "Withdraw them", 0), (true, "Keep them", 1), (true, "", 1), (false, "Withdraw them", 0)]
    {
        let (mut editor, mut agent, _) = scene(&options(asks), LEGACY, &[]);
        let (call, _) = proposed(&mut editor, &mut agent);
        interrupt(&mut agent, call);
        let method = if asks { "wherefore/ask" } else { "window/showMessageRequest" };
        let asked = editor.expect(method);
        let text = asked["params"][if asks { "text" } else { "message" }].as_str().unwrap().to_owned();
        let said = "test-agent was interrupted while 2 hunks in a.txt wait for you.";
        assert!(text.contains(said), "{text}");
        let reply = match (asks, answer) {
            (true, "") => json!({}),
            (true, answer) => json!({ "answer": answer }),
            (false, answer) => json!({ "title": answer }),
        };
        editor.reply(&asked, reply);
        if left == 0 {
            until("the hunks are gone", || waits(&mut editor) == 0);
        } else {
            editor.drain(Duration::from_millis(300));
        }
        assert_eq!(waits(&mut editor), left, "{answer}");
        if left == 0 {
            // The agent gets it with its next result.
            let read =
                agent.call("fs_read", json!({ "path": "a.txt", "why": "See what the list holds now" }));
            assert_eq!(read["decisions"][0]["status"], "rejected", "{read}");
        }
        editor.drain(Duration::from_millis(100));
    }
}

#[test]
fn an_agent_that_is_gone_has_the_person_asked_and_with_no_editor_the_hunks_stay() {
    let (mut editor, mut agent, _) = scene(&options(true), LEGACY, &[]);
    proposed(&mut editor, &mut agent);
    drop(agent);
    let asked = editor.expect("wherefore/ask");
    // A decision of the person that comes before their answer is valid.
    editor.request("wherefore/decide", json!({ "act": "accept" })).unwrap();
    editor.reply(&asked, json!({ "answer": "Withdraw them" }));
    editor.drain(Duration::from_millis(200));
    assert_eq!(std::fs::read_to_string(editor.folder.path().join("work/a.txt")).unwrap(), "1\ntwo\n3\n");
}
