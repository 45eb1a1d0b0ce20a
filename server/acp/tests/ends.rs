//! What passes, and what comes of it where one of the ends goes.

use serde_json::Value;
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
