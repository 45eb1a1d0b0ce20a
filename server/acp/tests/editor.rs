//! Files and terminals of the editor, as agents use them.

use std::path::Path;

use serde_json::json;

use super::{CHANGED, FIVE, Scene};
use crate::hub::ConfinedCommand;
use crate::protocol::Door;

#[tokio::test(flavor = "multi_thread")]
async fn what_the_rules_close_and_what_lies_outside_is_neither_read_nor_written() {
    let mut scene = Scene::with("someone", true).await;
    scene.file(".env", "KEY=1\n");
    let outside = scene.folder.path().join("outside.txt").display().to_string();
    let paths = [scene.path(".env"), outside.clone(), scene.path("../outside.txt"), "a.txt".to_owned()];
    for (at, path) in paths.iter().enumerate() {
        let params = json!({ "sessionId": "s", "path": path, "content": "x" });
        scene.agent.ask(10, "fs/write_text_file", params).await;
        if at == 0 {
            // The editor is asked for its text of a file of the workspace, and has none.
            let asked = scene.editor.hear_of("fs/read_text_file").await;
            scene.editor.answer(&asked, json!({ "content": "KEY=1\n" })).await;
        }
        let answer = scene.agent.hear().await;
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("wherefore: "), "{path}: {answer}");
    }
    scene.agent.ask(11, "fs/read_text_file", json!({ "sessionId": "s", "path": scene.path(".env") })).await;
    assert!(scene.agent.hear().await["error"]["message"].is_string());
    // A path outside is left to the editor.
    scene.agent.ask(12, "fs/read_text_file", json!({ "sessionId": "s", "path": outside })).await;
    assert_eq!(scene.editor.hear_of("fs/read_text_file").await["id"], 12);
    assert_eq!((scene.text(".env"), Path::new(&outside).exists()), ("KEY=1\n".to_owned(), false));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_read_from_the_disk_where_the_editor_does_not_read() {
    let mut scene = Scene::with("someone", false).await;
    let long: String = (1..=60_000).map(|line| format!("line {line}\n")).collect();
    scene.file("long.txt", &long);
    std::fs::write(scene.path("bytes"), [0, 1, 2, 255]).unwrap();
    let path = scene.path("long.txt");
    scene.agent.ask(10, "fs/read_text_file", json!({ "sessionId": "s", "path": path })).await;
    assert_eq!(scene.agent.hear().await["result"]["content"], long);
    let part = json!({ "sessionId": "s", "path": path, "line": 3, "limit": 2 });
    scene.agent.ask(11, "fs/read_text_file", part).await;
    assert_eq!(scene.agent.hear().await["result"]["content"], "line 3\nline 4\n");
    scene.agent.ask(12, "fs/read_text_file", json!({ "sessionId": "s", "path": scene.path("none") })).await;
    assert_eq!(scene.agent.hear().await["error"]["code"], -32002);
    scene.agent.ask(13, "fs/read_text_file", json!({ "sessionId": "s", "path": scene.path("bytes") })).await;
    assert!(scene.agent.hear().await["error"]["message"].as_str().unwrap().contains("binary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unsaved_text_of_the_editor_is_read_and_never_written_over() {
    let mut scene = Scene::with("someone", true).await;
    scene.file("a.txt", FIVE);
    scene.agent.ask(10, "fs/read_text_file", json!({ "sessionId": "s", "path": scene.path("a.txt") })).await;
    let asked = scene.editor.hear_of("fs/read_text_file").await;
    scene.editor.answer(&asked, json!({ "content": "unsaved\n" })).await;
    assert_eq!(scene.agent.hear().await["result"]["content"], "unsaved\n");
    scene.write(11, "a.txt", CHANGED).await;
    let asked = scene.editor.hear_of("fs/read_text_file").await;
    scene.editor.answer(&asked, json!({ "content": "unsaved\n" })).await;
    let answer = scene.agent.hear().await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("unsaved changes"), "{answer}");
    assert_eq!(scene.text("a.txt"), FIVE);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_judged_and_run_in_the_sandbox() {
    let mut scene = Scene::with("someone", false).await;
    let env = json!([{ "name": "A", "value": "b c" }]);
    scene
        .agent
        .ask(10, "terminal/create", json!({ "sessionId": "s", "command": "ls | wc -l", "env": env, "x": 1 }))
        .await;
    let asked = scene.editor.hear_of("terminal/create").await;
    let root = scene.path("");
    let root = format!("--root={root}");
    let token = asked["params"]["args"][3].as_str().unwrap().to_owned();
    let args =
        ["sandbox", &root, "--agent=someone/1", &token, "--env=A=b c", "--", "bash", "-c", "ls | wc -l"];
    assert_eq!(
        (&asked["id"], &asked["params"]["args"], &asked["params"]["x"]),
        (&json!(10), &json!(args), &json!(1))
    );
    let token = token.strip_prefix("--token=").unwrap();
    let command = ConfinedCommand {
        env: [("A".to_owned(), "b c".to_owned())].into(),
        ..ConfinedCommand::from_script("ls | wc -l")
    };
    let tokens = scene.hub.folder_at(None).unwrap().command_tokens().clone();
    let permit = tokens.redeem_token(token, &command, Some("someone/1")).unwrap();
    assert!(permit.origin.door == Door::Acp && permit.origin.session.as_deref() == Some("s"), "{permit:?}");
    assert!(!permit.is_allowed, "nobody was asked");
    assert_eq!(asked["params"]["command"], "/bin/wherefore");
    let outside = json!({ "sessionId": "s", "command": "ls", "cwd": "/" });
    scene.agent.ask(11, "terminal/create", outside).await;
    assert!(scene.agent.hear().await["error"]["message"].as_str().unwrap().contains("outside"));
    let door = json!({ "sessionId": "s", "command": "wherefore sandbox --root=/ -- bash -c ls" });
    scene.agent.ask(13, "terminal/create", door).await;
    let refused = scene.agent.hear().await["error"]["message"].as_str().unwrap().to_owned();
    assert!(refused.contains("refuse this command"), "{refused}");
    scene
        .agent
        .ask(12, "terminal/create", json!({ "sessionId": "s", "command": "sudo", "args": ["ls"] }))
        .await;
    let answer = tokio::select! {
        answer = scene.agent.hear() => answer,
        asked = scene.editor.hear() => {
            scene.editor.choose(&asked, "wherefore-reject").await;
            scene.agent.hear().await
        }
    };
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("wherefore: "), "{answer}");
}
