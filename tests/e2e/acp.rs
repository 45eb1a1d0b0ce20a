//! `wherefore acp` between an editor and an agent that a test plays: what goes wrong, over the real protocol.

mod scene;

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use self::scene::{AcpScene, FIVE, LOUD};
use crate::support::agent::{servers, until};

fn words(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

/// Ends the folder's server at once.
fn kill_server(scene: &AcpScene) {
    let pid = servers(scene.folder())[0]["pid"].as_u64().and_then(|pid| i32::try_from(pid).ok()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_command_of_an_agent_is_a_call_that_is_reviewed_and_logged() {
    let mut scene = AcpScene::start();
    scene.says("Now I drop the first line.");
    let outside = scene.folder().join("outside.txt");
    let script = format!("sed -i 1d a.txt; echo out > {}; echo seen; exit 3", outside.display());
    scene.agent.ask(10, "terminal/create", json!({ "sessionId": "s", "command": script }));
    let mut terminal = scene.terminal();
    assert_eq!(terminal.code(), Some(3));
    let output = terminal.output();
    assert!(
        output.starts_with("seen\n") && output.contains("not applied yet; later commands do not see it"),
        "{output}"
    );
    assert_eq!((scene.text(), outside.exists()), (FIVE.to_owned(), false));
    assert!(scene.run(&["review", "--accept", "all"]).status.success());
    assert_eq!(scene.text(), FIVE.split_once('\n').unwrap().1);
    let log = scene.log();
    let call = log.iter().find(|event| event["origin"]["tool"] == "terminal/create");
    let call = call.unwrap_or_else(|| panic!("{log:#?}"));
    assert_eq!(
        (&call["origin"]["door"], &call["origin"]["agent"], &call["args"]["why"]),
        (&json!("acp"), &json!("someone/1"), &json!("Now I drop the first line.")),
        "{call:#}"
    );
}

#[test]
fn a_command_that_is_killed_ends_with_its_call() {
    let mut scene = AcpScene::start();
    let script = "echo begun; sleep 300 & echo $! > pid; sleep 300";
    scene.agent.ask(10, "terminal/create", json!({ "sessionId": "s", "command": script }));
    let mut terminal = scene.terminal();
    terminal.hears("begun");
    terminal.kill();
    assert_eq!(terminal.code(), None);
    until("the call's end", || scene.log().iter().any(|event| event["type"] == "tool_error"));
    until("the command's end", || scene.sleepers().is_empty());
}

#[test]
fn a_rule_that_asks_is_answered_in_the_agents_editor_and_not_asked_again() {
    let mut scene = AcpScene::start();
    for (option, id) in [("wherefore-reject", 10), ("wherefore-allow", 11)] {
        let command = json!({ "sessionId": "s", "command": "git", "args": ["push", "--force"] });
        scene.agent.ask(id, "terminal/create", command);
        let asked = scene.editor.hear_of("session/request_permission");
        scene.editor.choose(&asked, option);
        if id == 10 {
            assert!(words(&scene.agent.hear()).contains("did not allow"));
        }
    }
    let mut terminal = scene.terminal();
    // It ran: git reports that there is no repository.
    assert!(terminal.code().is_some_and(|code| code != 125), "{}", terminal.output());
    assert!(terminal.output().contains("git repository"), "{}", terminal.output());
}

#[test]
fn two_sessions_of_one_agent_do_not_mix() {
    let mut scene = AcpScene::start();
    let other = scene.folder().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.txt"), FIVE).unwrap();
    scene.session(20, "t", &other);
    let path = |folder: &str| scene.folder().join(folder).join("a.txt").display().to_string();
    let (of_s, of_t) = (path("work"), path("other"));
    scene.agent.ask(10, "fs/write_text_file", json!({ "sessionId": "s", "path": of_s, "content": LOUD }));
    let asked_s = scene.editor.hear_of("session/request_permission");
    scene.agent.ask(11, "fs/write_text_file", json!({ "sessionId": "t", "path": of_t, "content": LOUD }));
    let asked_t = scene.editor.hear_of("session/request_permission");
    assert_eq!(
        (&asked_s["params"]["sessionId"], &asked_t["params"]["sessionId"]),
        (&json!("s"), &json!("t"))
    );
    // A session writes in its own folder only.
    scene.agent.ask(12, "fs/write_text_file", json!({ "sessionId": "t", "path": of_s, "content": "x" }));
    assert!(words(&scene.agent.hear()).contains("outside"));
    // Only one of the turns is cancelled.
    scene.editor.send(&json!({ "method": "session/cancel", "params": { "sessionId": "s" } }));
    let answers = [scene.agent.hear(), scene.agent.hear()];
    let of_s = answers.iter().find(|answer| answer["id"] == 10).unwrap_or_else(|| panic!("{answers:#?}"));
    assert_eq!(of_s["error"]["code"], -32800);
    scene.editor.hear_of("$/cancel_request");
    scene.editor.choose(&asked_t, "wherefore-accept");
    assert_eq!(scene.agent.hear()["result"], json!({}));
    assert_eq!((scene.text(), fs::read_to_string(other.join("a.txt")).unwrap()), (FIVE.into(), LOUD.into()));
}

#[test]
fn a_server_that_dies_under_a_review_is_told_and_the_next_one_has_the_change() {
    let mut scene = AcpScene::start();
    scene.write(10, LOUD);
    scene.editor.hear_of("session/request_permission");
    kill_server(&scene);
    // The next server continues the wait: the proposal is in the log.
    until("the proposal", || !scene.waiting().is_empty());
    assert!(scene.run(&["review", "--reject", "all", "--reason", "too loud"]).status.success());
    let answer = loop {
        let message = scene.agent.hear();
        if message["id"] == 10 {
            break message;
        }
    };
    assert!(words(&answer).contains("too loud"), "{answer}");
    assert_eq!(scene.text(), FIVE);
    scene.write(11, LOUD);
    let asked = loop {
        let message = scene.editor.hear();
        if message["method"] == "session/request_permission" {
            break message;
        }
    };
    scene.editor.choose(&asked, "wherefore-accept");
    assert_eq!(scene.agent.hear()["result"], json!({}));
    assert_eq!(scene.text(), LOUD);
}

#[test]
fn an_agent_that_is_killed_leaves_its_change_for_review_and_its_editor_an_answer() {
    let mut scene = AcpScene::start();
    scene.editor.ask(5, "session/prompt", json!({ "sessionId": "s", "prompt": [] }));
    scene.agent.hear_of("session/prompt");
    scene.write(10, LOUD);
    scene.editor.hear_of("session/request_permission");
    scene.agent.line(r#"{"jsonrpc":"2.0","id":11,"method":"fs/wri"#);
    scene.kill_agent();
    let answer = loop {
        let message = scene.editor.hear();
        if message["id"] == 5 {
            break message;
        }
    };
    assert!(words(&answer).contains("the agent ended"), "{answer}");
    assert_ne!(scene.code(), Some(0));
    assert_eq!((scene.text(), scene.waiting().len()), (FIVE.to_owned(), 1));
    assert!(scene.run(&["review", "--accept", "all"]).status.success());
    assert_eq!(scene.text(), LOUD);
}

#[test]
fn an_editor_that_leaves_ends_its_agent_and_writes_nothing() {
    let mut scene = AcpScene::start();
    scene.write(10, LOUD);
    scene.editor.hear_of("session/request_permission");
    scene.editor.leave();
    assert_eq!(scene.code(), Some(0));
    until("the agent's end", || !scene.agent_runs());
    assert_eq!((scene.text(), scene.waiting().len()), (FIVE.to_owned(), 1));
}

#[test]
fn closed_files_and_places_outside_are_not_written_and_odd_requests_are_answered() {
    let mut scene = AcpScene::start();
    fs::write(scene.work().join(".env"), "KEY=1\n").unwrap();
    std::os::unix::fs::symlink(scene.folder(), scene.work().join("up")).unwrap();
    let at = |path: &str| scene.work().join(path).display().to_string();
    let writes =
        [at(".env"), at("../outside.txt"), at("up/outside.txt"), at(".git/config"), "a.txt".to_owned()];
    let mut odd: Vec<_> = writes
        .iter()
        .map(|path| ("fs/write_text_file", json!({ "sessionId": "s", "path": path, "content": "x" })))
        .collect();
    odd.extend([
        ("fs/write_text_file", json!({ "sessionId": "s", "path": at("a.txt") })),
        ("fs/write_text_file", json!({ "sessionId": 7, "path": at("a.txt"), "content": "x" })),
        ("fs/write_text_file", json!({ "sessionId": "s", "path": at("a.txt"), "content": ["x"] })),
        ("fs/write_text_file", json!("x")),
        ("fs/read_text_file", json!({ "sessionId": "s", "path": at(".env") })),
        ("terminal/create", json!({ "sessionId": "s", "command": ["ls"] })),
        ("terminal/create", json!({ "sessionId": "s", "command": "cat .env" })),
        ("terminal/create", json!({ "sessionId": "s", "command": "ls", "cwd": "/" })),
    ]);
    for (method, params) in odd {
        scene.agent.ask(10, method, params.clone());
        let answer = scene.agent.hear();
        assert!(words(&answer).starts_with("wherefore: "), "{method} {params}: {answer}");
    }
    assert!(!scene.folder().join("outside.txt").exists());
    assert_eq!(fs::read_to_string(scene.work().join(".env")).unwrap(), "KEY=1\n");
    assert_eq!(scene.text(), FIVE);
    // It goes on as ever.
    scene.write(11, LOUD);
    let asked = scene.editor.hear_of("session/request_permission");
    scene.editor.choose(&asked, "wherefore-accept");
    assert_eq!(scene.agent.hear()["result"], json!({}));
    scene.editor.is_silent(Duration::from_millis(200));
}
