//! What passes, and what comes of it where one of the ends goes.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{CHANGED, FIVE, PATIENCE, Scene};
use crate::acp::AcpError;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_ours_passes_byte_for_byte() {
    let mut scene = Scene::with("someone", false).await;
    for line in [
        r#"{"jsonrpc" : "2.0","method":"_new/thing",  "params":{"b":1.0e2,"a":[]}}"#,
        r#"{"id":77,"jsonrpc":"2.0","method":"session/unheard_of","params":{"cwd":"/x"}}"#,
        r#"{"id":"77","jsonrpc":"2.0","result":{"x":  1}}"#,
        r#"{"method":"session/upd"#,
        "npm notice",
        "",
    ] {
        scene.editor.line(line).await;
        assert_eq!(scene.agent.hear_line().await, line);
        scene.agent.line(line).await;
        assert_eq!(scene.editor.hear_line().await, line);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_in_which_the_agent_asks_nobody_is_told_before_a_turn() {
    let mut scene = Scene::with("@agentclientprotocol/codex-acp", false).await;
    let mode = json!({ "sessionUpdate": "current_mode_update", "currentModeId": "agent" });
    for update in [&mode, &mode] {
        let update = json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } });
        scene.agent.send(update).await;
        scene.editor.hear_of("session/update").await;
    }
    for id in [20, 21] {
        scene.editor.ask(id, "session/prompt", json!({ "sessionId": "s", "prompt": [] })).await;
        assert_eq!(scene.agent.hear_of("session/prompt").await["id"], id);
    }
    let told = scene.editor.hear_of("session/update").await;
    let words = told["params"]["update"]["content"]["text"].as_str().unwrap();
    assert!(words.contains("\"agent\"") && words.contains("\"read-only\""), "{words}");
    scene.agent.line("next").await;
    assert_eq!(scene.editor.hear_line().await, "next");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_messages_in_one_go_past_nobody() {
    let mut scene = Scene::with("someone", false).await;
    let command = r#"{"id":7,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}"#;
    scene.agent.line(&format!("[{command}]")).await;
    assert!(scene.agent.hear().await["error"]["message"].as_str().unwrap().contains("no batches"));
    scene.agent.line("next").await;
    assert_eq!(scene.editor.hear_line().await, "next");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_dies_leaves_no_request_of_its_editor_open() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    scene.editor.hear_of("session/request_permission").await;
    scene.agent.line(r#"{"half":"#).await;
    assert_eq!(scene.editor.hear_line().await, r#"{"half":"#);
    let Scene { agent, mut editor, running, folder, .. } = scene;
    drop(agent);
    let mut last = Value::Null;
    while let Ok(Some(line)) = timeout(PATIENCE, editor.lines.next_line()).await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            last = message;
        }
    }
    assert!(last["error"]["message"].as_str().unwrap().contains("the agent ended"), "{last}");
    assert!(matches!(timeout(PATIENCE, running).await.unwrap().unwrap(), Err(AcpError::AgentEnded)));
    assert_eq!(std::fs::read_to_string(folder.path().join("ws/a.txt")).unwrap(), FIVE);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_leaves_ends_the_proxy() {
    let scene = Scene::with("someone", false).await;
    let Scene { mut agent, editor, running, folder, .. } = scene;
    drop(editor);
    assert!(timeout(PATIENCE, running).await.unwrap().unwrap().is_ok());
    assert!(timeout(PATIENCE, agent.lines.next_line()).await.unwrap().unwrap().is_none());
    drop(folder);
}
