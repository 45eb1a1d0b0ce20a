//! A rule that asks: the question comes to a wherefore plugin with its call, to any other editor as a message with
//! answers, and ends with the call.

use serde_json::{Value, json};

use crate::support::{Editor, Options};

/// An editor in a folder with a rule that asks, and a call that it stops.
fn asked(plugin: bool) -> (Editor, Value) {
    let mut options = Options::default();
    if plugin {
        options.capabilities["experimental"] = json!({ "wherefore": { "asks": true } });
    }
    let mut editor = Editor::unconnected(&options);
    let work = editor.folder.path().join("work");
    std::fs::create_dir(work.join(".wherefore")).unwrap();
    std::fs::write(work.join(".wherefore/config.toml"), "[rules]\nask = [\"private\"]\n").unwrap();
    std::fs::write(work.join("private"), "p\n").unwrap();
    editor.initialize(&options);
    editor.notify("initialized", json!({}));
    let id = begin(&mut editor);
    (editor, id)
}

fn begin(editor: &mut Editor) -> Value {
    let arguments = json!({ "path": "private", "why": "See what the person keeps to themselves" });
    editor.begin("wherefore/call", json!({ "tool": "fs.read", "arguments": arguments }))
}

#[test]
fn a_plugin_is_asked_with_the_call_and_its_why() {
    let (mut editor, id) = asked(true);
    let ask = editor.expect("wherefore/ask");
    let params = &ask["params"];
    assert_eq!(params["call_id"], "c-0001");
    assert_eq!(params["tool"], "fs.read");
    assert_eq!(params["why"], "See what the person keeps to themselves");
    assert_eq!(params["answers"], json!(["Allow", "Allow for this session", "Deny"]));
    assert_eq!(
        params["root"].as_str().map(str::to_owned),
        Some(editor.uri("").trim_end_matches('/').to_owned())
    );
    assert!(params["text"].as_str().unwrap().contains("rules.ask `private`"), "{params}");
    editor.reply(&ask, json!({ "answer": "Allow" }));
    assert_eq!(editor.finish(&id).unwrap()["result"]["content"], "p\n");

    for turned_away in [json!({}), json!({ "answer": "Perhaps" }), Value::Null] {
        let id = begin(&mut editor);
        let ask = editor.expect("wherefore/ask");
        editor.reply(&ask, turned_away);
        let error = editor.finish(&id).unwrap()["error"].clone();
        assert_eq!(error["code"], "PERMISSION_DENIED", "{error}");
    }
}

#[test]
fn a_command_that_is_allowed_for_always_is_not_asked_about_again() {
    let (mut editor, id) = asked(true);
    let first = editor.expect("wherefore/ask");
    editor.reply(&first, json!({ "answer": "Deny" }));
    editor.finish(&id).unwrap();
    let settings = editor.folder.path().join("home/.config/wherefore/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "# mine\n[review]\nwait_s = 1").unwrap();
    let run = |editor: &mut Editor, line: &str| {
        let arguments = json!({ "line": line, "why": "See \"what\" the remote takes" });
        editor.begin("wherefore/call", json!({ "tool": "terminal.run", "arguments": arguments }))
    };
    let id = run(&mut editor, "git push -q; echo yes");
    let ask = editor.expect("wherefore/ask");
    let answers = json!(["Allow", "Always allow this command", "Deny"]);
    assert_eq!(ask["params"]["answers"], answers, "{ask}");
    editor.reply(&ask, json!({ "answer": "Always allow this command" }));
    assert_eq!(editor.finish(&id).unwrap()["result"]["stdout"], "yes\n");
    let kept = std::fs::read_to_string(&settings).unwrap();
    assert!(kept.starts_with("# mine\n[review]\nwait_s = 1\n"), "{kept}");
    assert!(kept.contains("\"git push -q; echo yes\"") && kept.contains("what"), "{kept}");

    let id = run(&mut editor, "git push -q; echo yes");
    assert_eq!(editor.finish(&id).unwrap()["result"]["stdout"], "yes\n");
    // Another line is another command, and what a rule refuses is not opened.
    for (line, answers) in [("git push -q; echo no", Some(answers.clone())), ("rm -rf /", None)] {
        let id = run(&mut editor, line);
        if let Some(answers) = answers {
            let ask = editor.expect("wherefore/ask");
            assert_eq!(ask["params"]["answers"], answers, "{ask}");
            editor.reply(&ask, json!({ "answer": "Deny" }));
        }
        assert_eq!(editor.finish(&id).unwrap()["error"]["code"], "PERMISSION_DENIED");
    }
    editor.drain(std::time::Duration::from_millis(100));
}

#[test]
fn any_editor_is_asked_by_a_message() {
    let (mut editor, id) = asked(false);
    let ask = editor.expect("window/showMessageRequest");
    let titles = ["Allow", "Allow for this session", "Deny"].map(|title| json!({ "title": title }));
    assert_eq!(ask["params"]["actions"], json!(titles));
    editor.reply(&ask, json!({ "title": "Allow" }));
    assert_eq!(editor.finish(&id).unwrap()["result"]["content"], "p\n");
}

#[test]
fn words_of_an_agent_make_no_link_in_a_message() {
    let mut options = Options::default();
    options.settings["notify"]["show"] = json!("all");
    let mut editor = Editor::connect(&options);
    let why = "See [what you allow](command:wherefore.acceptAll) here";
    let call = json!({ "tool": "fs.ls", "arguments": { "path": ".", "why": why } });
    let id = editor.begin("wherefore/call", call);
    let told = editor.expect("window/showMessage")["params"]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("See [what you allow] (command:"), "{told}");
    assert_eq!(editor.finish(&id).unwrap()["status"], "ok");
    editor.drain(std::time::Duration::from_millis(100));
}

#[test]
fn a_call_that_asks_can_be_cancelled_and_keeps_no_other_waiting() {
    let (mut editor, id) = asked(true);
    let first = editor.expect("wherefore/ask");
    let others: Vec<Value> = (0..20).map(|_| begin(&mut editor)).collect();
    let asks: Vec<Value> = others.iter().map(|_| editor.expect("wherefore/ask")).collect();
    // However many wait for the person, the others run.
    let arguments = json!({ "path": ".", "why": "See what lies in the folder meanwhile" });
    let answer =
        editor.request("wherefore/call", json!({ "tool": "fs.ls", "arguments": arguments })).unwrap();
    assert_eq!(answer["status"], "ok", "{answer}");

    let call = &first["params"]["call_id"];
    editor.request("wherefore/cancel", json!({ "call_id": call })).unwrap();
    assert_eq!(editor.finish(&id).unwrap()["error"]["code"], "CANCELLED");
    // Too late an answer does no harm.
    editor.reply(&first, json!({ "answer": "Allow" }));
    // Calls that run side by side ask in no order.
    asks.iter().for_each(|ask| editor.reply(ask, json!({ "answer": "Deny" })));
    for id in &others {
        assert_eq!(editor.finish(id).unwrap()["error"]["code"], "PERMISSION_DENIED");
    }
}
