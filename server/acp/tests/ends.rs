//! The passing of messages, and the effects when one of the ends leaves.

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
    ] {
        scene.editor.line(line).await;
        assert_eq!(scene.agent.hear_line().await, line);
        scene.agent.line(line).await;
        assert_eq!(scene.editor.hear_line().await, line);
    }
    for line in [r#"{"method":"session/upd"#, "npm notice", ""] {
        scene.editor.line(line).await;
        assert_eq!(scene.agent.hear_line().await, line);
    }
}

/// Lines that the proxy cannot read, or that readers take for different messages, and requests of a form that it does not
/// judge. None may reach the editor, whose reader may take them for a read of a closed file.
fn lines_that_hide(scene: &Scene) -> Vec<String> {
    let (env, link) = (scene.path(".env"), scene.path("../leak"));
    let read = |id: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0"{id},"method":"fs/read_text_file","params":{{{params}}}}}"#)
    };
    let of_session = |path: &str| format!(r#""sessionId":"s","path":"{path}""#);
    let params = of_session(&env);
    let mut lines = vec![
        // Not JSON to us, and JSON to others.
        read(r#","id":50"#, &format!(r#"{params},"x":"\ud83d""#)),
        read(r#","id":51"#, &format!(r#"{params},"x":NaN"#)),
        read(r#","id":52"#, &format!("{params},\"x\":{}{}", "[".repeat(200), "]".repeat(200))),
        read(r#","id":53"#, &format!(r#"{params},"x":1e999"#)),
        format!("\u{feff}{}", read(r#","id":54"#, &params)),
        format!("npm warn\r{}", read(r#","id":55"#, &params)),
        // Two meanings.
        format!(r#"{{"method":"session/update","id":56,"method":"fs/read_text_file","params":{{{params}}}}}"#),
        format!(r#"{{"id":57,"METHOD":"fs/read_text_file","params":{{{params}}}}}"#),
        read(r#","id":58"#, &format!(r#""sessionId":"s","path":"{}","path":"{env}""#, scene.path("a.txt"))),
        format!(r#"{{"id":59,"result":null,"method":"fs/read_text_file","params":{{{params}}}}}"#),
        // Another form.
        read("", &params),
        read(r#","id":60"#, &format!(r#""path":"{env}""#)),
        read(r#","id":61"#, &format!(r#""sessionId":["s"],"path":"{env}""#)),
        read(r#","id":62"#, &format!(r#""sessionId":"s","path":["{env}"]"#)),
        format!(r#"{{"id":63,"method":"fs/readTextFile","params":{{{params}}}}}"#),
        format!(r#"{{"id":64,"method":"FS/read_text_file","params":{{{params}}}}}"#),
        r#"{"id":65,"method":"terminal/create","params":{"sessionId":"s","command":"cat","args":"/etc/passwd"}}"#.into(),
        r#"{"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}"#.into(),
    ];
    let paths = [
        scene.path("src/../.env"),
        scene.path("none/../.env"),
        scene.path("./src/.././.env"),
        format!("{}//.env", scene.path("")),
        link,
        format!("/proc/self/root{env}"),
        ".env".to_owned(),
        format!("file://{env}"),
    ];
    lines.extend(paths.iter().zip(70..).map(|(path, id)| read(&format!(r#","id":{id}"#), &of_session(path))));
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_not_understood_reaches_the_editor() {
    let mut scene = Scene::with("someone", true).await;
    scene.file(".env", "SECRET=1\n");
    std::fs::create_dir(scene.path("src")).unwrap();
    std::os::unix::fs::symlink(scene.path(".env"), scene.path("../leak")).unwrap();
    for (at, line) in lines_that_hide(&scene).into_iter().enumerate() {
        scene.agent.line(&line).await;
        let is_heard = !line.starts_with("npm") && !line.starts_with('\u{feff}');
        if is_heard {
            let answer = scene.agent.hear().await;
            assert!(
                answer["error"]["message"].as_str().is_some_and(|words| !words.is_empty()),
                "{line}: {answer}"
            );
        }
        let next = format!(r#"{{"method":"_next","params":{at}}}"#);
        scene.agent.line(&next).await;
        assert_eq!(scene.editor.hear_line().await, next, "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_message_of_an_agent_is_one_line_for_every_editor() {
    let mut scene = Scene::with("someone", true).await;
    let hidden = r#"{"id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}"#;
    for part in ["\r", "\u{2028}"] {
        let quoted = part != "\r";
        let inner = if quoted {
            format!("\"{part}{}{part}\"", hidden.replace('"', "\\\""))
        } else {
            format!("{part}{hidden}{part}")
        };
        scene.agent.line(&format!(r#"{{"method":"_new","params":{inner}}}"#)).await;
        let line = scene.editor.hear_line().await;
        assert!(!line.contains(part) && line.contains("_new"), "{line:?}");
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
    scene.agent.line(r#"{"method":"_next"}"#).await;
    assert_eq!(scene.editor.hear_line().await, r#"{"method":"_next"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_messages_in_one_go_past_nobody() {
    let mut scene = Scene::with("someone", false).await;
    let command = r#"{"id":7,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}"#;
    scene.agent.line(&format!("[{command}]")).await;
    assert!(scene.agent.hear().await["error"]["message"].as_str().unwrap().contains("no batches"));
    scene.agent.line(r#"{"method":"_next"}"#).await;
    assert_eq!(scene.editor.hear_line().await, r#"{"method":"_next"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_dies_leaves_no_request_of_its_editor_open() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    scene.editor.hear_of("session/request_permission").await;
    scene.agent.line(r#"{"half":"#).await;
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
