//! The settings for agents' own tools apply here, too.

use serde_json::{Value, json};

use super::{CHANGED, FIVE, Scene};
use crate::protocol::{NativeSettings, WhenAway};

fn away(when_away: WhenAway) -> NativeSettings {
    NativeSettings { when_away, ..NativeSettings::default() }
}

/// A session whose folder has no server.
async fn alone(when_away: WhenAway) -> Scene {
    let scene = Scene::under(away(when_away), true, "someone", true).await;
    scene.file("a.txt", FIVE);
    scene
}

fn words(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_without_a_server_where_that_is_denied() {
    let mut scene = alone(WhenAway::Deny).await;
    let path = scene.path("a.txt");
    for (method, params) in [
        ("fs/write_text_file", json!({ "sessionId": "s", "path": path, "content": CHANGED })),
        ("fs/read_text_file", json!({ "sessionId": "s", "path": path })),
        ("terminal/create", json!({ "sessionId": "s", "command": "ls" })),
    ] {
        scene.agent.ask(10, method, params).await;
        let answer = scene.agent.hear().await;
        assert!(words(&answer).contains("no server can be had; nothing is changed"), "{answer}");
    }
    scene.permission(11, FIVE, CHANGED).await;
    assert_eq!(scene.agent.hear().await["result"]["outcome"]["optionId"], "no");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_editor_does_all_without_a_server_where_that_is_allowed() {
    let mut scene = alone(WhenAway::Allow).await;
    let command = json!({ "sessionId": "s", "command": "ls" });
    scene.agent.ask(10, "terminal/create", command.clone()).await;
    assert_eq!(scene.editor.hear_of("terminal/create").await["params"], command);
    scene.write(11, "a.txt", CHANGED).await;
    assert_eq!(scene.editor.hear_of("fs/write_text_file").await["params"]["content"], CHANGED);
    scene.permission(12, FIVE, CHANGED).await;
    assert_eq!(scene.agent.hear().await["result"]["outcome"]["optionId"], "yes");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_is_asked_without_a_server_where_the_agent_is_to_ask() {
    let mut scene = alone(WhenAway::Ask).await;
    scene.permission(10, FIVE, CHANGED).await;
    assert_eq!(scene.editor.hear_of("session/request_permission").await["id"], 10);
    scene.write(11, "a.txt", CHANGED).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    let diff = &asked["params"]["toolCall"]["content"][0];
    assert_eq!((&diff["oldText"], &diff["newText"]), (&json!(FIVE), &json!(CHANGED)));
    scene.editor.choose(&asked, "wherefore-allow").await;
    assert_eq!(scene.editor.hear_of("fs/write_text_file").await["id"], 11);
    scene.agent.ask(12, "terminal/create", json!({ "sessionId": "s", "command": "ls" })).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    assert!(asked.to_string().contains("unconfined"), "{asked}");
    scene.editor.choose(&asked, "wherefore-reject").await;
    assert!(words(&scene.agent.hear().await).contains("did not allow"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_with_no_reason_is_refused_where_one_is_wanted() {
    let settings = NativeSettings { require_why: true, ..NativeSettings::default() };
    let mut scene = Scene::under(settings, false, "@agentclientprotocol/claude-agent-acp", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    let answer = scene.agent.hear().await;
    assert!(words(&answer).contains("this edit has no reason"), "{answer}");
    scene.permission(11, FIVE, CHANGED).await;
    let answer = scene.agent.hear().await;
    let told = answer["result"]["outcome"]["optionId"].as_str().unwrap();
    assert!(told.contains("this edit has no reason"), "{answer}");
    let text = json!({ "type": "text", "text": "Shout the odd numbers." });
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": text });
    scene
        .agent
        .send(json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } }))
        .await;
    scene.editor.hear_of("session/update").await;
    scene.write(12, "a.txt", CHANGED).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    scene.editor.choose(&asked, "wherefore-accept").await;
    assert_eq!(scene.agent.hear().await["result"], json!({}));
    assert_eq!(scene.text("a.txt"), CHANGED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_as_it_came_where_none_is_confined_and_the_rules_hold_still() {
    let settings = NativeSettings { confine: false, ..NativeSettings::default() };
    let mut scene = Scene::under(settings, false, "someone", false).await;
    let command = json!({ "sessionId": "s", "command": "ls", "args": ["-l"] });
    scene.agent.ask(10, "terminal/create", command.clone()).await;
    assert_eq!(scene.editor.hear_of("terminal/create").await["params"], command);
    scene.agent.ask(11, "terminal/create", json!({ "sessionId": "s", "command": "cat .env" })).await;
    assert!(words(&scene.agent.hear().await).contains("the rules refuse"));
}
