//! The writes of agents are decided, written and reported.

use serde_json::json;

use super::{CHANGED, FIVE, Scene};
use crate::protocol::{Act, DecideParams, Door, ProposalsParams, SendParams};
use crate::requests::{Asker, Decide, Request, SendMessage};

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_decided_part_by_part_and_exactly_that_is_written() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Well. Now I shout." } });
    scene
        .agent
        .send(json!({ "method": "session/update", "params": { "sessionId": "s", "update": chunk } }))
        .await;
    scene.editor.hear_of("session/update").await;
    scene.write(10, "a.txt", CHANGED).await;
    scene.decide(&["accept", "reject", "accept"]).await;
    let answer = scene.agent.hear().await;
    assert_eq!(scene.text("a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
    let words = answer["error"]["message"].as_str().unwrap();
    assert!(words.contains("2 of the 3 parts of the change to") && words.contains("h2 at line 3"), "{words}");
    scene.write(11, "new/b.txt", "hello\n").await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    assert!(asked["params"]["toolCall"]["title"].as_str().unwrap().ends_with("Now I shout."), "{asked}");
    scene.editor.choose(&asked, "wherefore-accept").await;
    assert_eq!(scene.agent.hear().await["result"], json!({}));
    assert_eq!(scene.text("new/b.txt"), "hello\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_made_elsewhere_takes_the_question_back() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    let params = DecideParams { reason: Some("too loud".to_owned()), ..DecideParams::all(Act::Reject) };
    Decide::answer_request(&scene.hub, params, Asker::from_door(Door::Cli)).await.unwrap();
    let answer = scene.agent.hear().await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("since: too loud"), "{answer}");
    assert_eq!(scene.editor.hear_of("$/cancel_request").await["params"]["requestId"], asked["id"]);
    // A late answer has no effect.
    scene.editor.choose(&asked, "wherefore-accept").await;
    scene.editor.line("later").await;
    assert_eq!(scene.agent.hear_line().await, "later");
    assert_eq!(scene.text("a.txt"), FIVE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_turn_writes_nothing_and_answers_all() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    scene.editor.hear_of("session/request_permission").await;
    scene.permission(11, FIVE, "other\n").await;
    scene.editor.hear_of("session/request_permission").await;
    scene.editor.send(json!({ "method": "session/cancel", "params": { "sessionId": "s" } })).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(scene.agent.hear().await);
    }
    let of = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(of(10)["error"]["code"], -32800, "{answers:?}");
    assert_eq!(of(11)["result"]["outcome"]["outcome"], "cancelled", "{answers:?}");
    assert!(answers.iter().any(|message| message["method"] == "session/cancel"), "{answers:?}");
    assert_eq!(scene.text("a.txt"), FIVE);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_rejected_of_a_permission_is_told_in_a_turn_that_follows() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.permission(10, FIVE, CHANGED).await;
    scene.decide(&["reject", "accept", "reject"]).await;
    assert_eq!(
        scene.agent.hear().await["result"]["outcome"],
        json!({ "outcome": "selected", "optionId": "no" })
    );
    assert_eq!(scene.text("a.txt"), "one\ntwo\nTHREE\nfour\nfive\n");
    // The agent ends its turn, and gets the reason.
    scene.agent.send(json!({ "id": 2, "result": { "stopReason": "end_turn" } })).await;
    let follow_up = scene.agent.hear_of("session/prompt").await;
    let words = follow_up["params"]["prompt"][0]["text"].as_str().unwrap();
    assert!(words.contains("1 of the 3 parts of the change to") && words.contains("h1 at line 1"), "{words}");
    scene.agent.line(r#"{"method":"_still_at_work"}"#).await;
    assert_eq!(scene.editor.hear_line().await, r#"{"method":"_still_at_work"}"#);
    scene.agent.answer(&follow_up, json!({ "stopReason": "end_turn", "of": "the second" })).await;
    let ended = scene.editor.hear().await;
    assert_eq!((&ended["id"], &ended["result"]["of"]), (&json!(2), &json!("the second")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_says_meanwhile_is_told_in_a_turn_that_follows() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", FIVE);
    scene.write(10, "a.txt", CHANGED).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    let waiting =
        scene.hub.folder_at(None).unwrap().queue().store().list_proposals(&ProposalsParams::default());
    let comment = SendParams {
        text: "Shout less\nwherefore: all is done".to_owned(),
        proposal: Some(waiting[0].id.clone()),
        ..SendParams::default()
    };
    let sent = SendMessage::answer_request(&scene.hub, comment, Asker::from_door(Door::Cli)).await.unwrap();
    assert!(sent.agent.unwrap().starts_with("someone"));
    scene.editor.choose(&asked, "wherefore-accept").await;
    assert_eq!(scene.agent.hear().await["result"], json!({}));
    assert_eq!(scene.text("a.txt"), CHANGED);
    scene.agent.send(json!({ "id": 2, "result": { "stopReason": "end_turn" } })).await;
    let follow_up = scene.agent.hear_of("session/prompt").await;
    let words = follow_up["params"]["prompt"][0]["text"].as_str().unwrap();
    assert!(words.contains("about your proposal p-"), "{words}");
    assert!(words.contains(":\n> Shout less\n> wherefore: all is done\n"), "{words}");
    scene.agent.answer(&follow_up, json!({ "stopReason": "end_turn" })).await;
    assert_eq!(scene.editor.hear().await["id"], 2, "it is told once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_is_about_the_diff_that_was_shown_with_its_call() {
    let mut scene = Scene::with("@agentclientprotocol/codex-acp", false).await;
    scene.file("a.txt", FIVE);
    let diff = json!({ "type": "diff", "path": scene.path("a.txt"), "oldText": FIVE, "newText": CHANGED });
    let update = json!({ "sessionUpdate": "tool_call", "toolCallId": "t1", "content": [diff] });
    scene
        .agent
        .send(json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } }))
        .await;
    scene.editor.hear_of("session/update").await;
    let options = json!([{ "optionId": "no", "name": "No", "kind": "reject_once" }]);
    for call in ["t1", "t2"] {
        let call = json!({ "toolCallId": call, "kind": "edit" });
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        scene.agent.ask(10, "session/request_permission", params).await;
        if call["toolCallId"] == "t1" {
            scene.decide(&["accept", "reject", "accept"]).await;
            assert_eq!(scene.agent.hear().await["result"]["outcome"]["optionId"], "no");
        }
    }
    // Of a call with which nothing was shown the editor is asked as ever.
    assert_eq!(scene.editor.hear_of("session/request_permission").await["id"], 10);
    assert_eq!(scene.text("a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_write_once_more_find_their_change_in_place() {
    let mut scene = Scene::with("gemini-cli", false).await;
    scene.file("a.txt", FIVE);
    scene.permission(10, FIVE, CHANGED).await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    scene.editor.choose(&asked, "wherefore-accept").await;
    assert_eq!(scene.agent.hear().await["result"]["outcome"]["optionId"], "yes");
    assert_eq!(scene.text("a.txt"), CHANGED);
    for text in [FIVE, CHANGED] {
        scene
            .agent
            .ask(11, "fs/read_text_file", json!({ "sessionId": "s", "path": scene.path("a.txt") }))
            .await;
        assert_eq!(scene.agent.hear().await["result"]["content"], text);
    }
    scene.write(12, "a.txt", CHANGED).await;
    assert_eq!(scene.agent.hear().await["result"], json!({}));
    // Another write is asked about.
    scene.write(13, "a.txt", FIVE).await;
    scene.editor.hear_of("session/request_permission").await;
    assert_eq!(scene.text("a.txt"), CHANGED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_that_fits_no_file_of_the_workspace_is_the_editors() {
    let mut scene = Scene::with("someone", false).await;
    scene.file("a.txt", "x\nx\n");
    scene.permission(10, "x\n", "y\n").await;
    let asked = scene.editor.hear_of("session/request_permission").await;
    assert_eq!((&asked["id"], &asked["params"]["options"][0]["optionId"]), (&json!(10), &json!("yes")));
    scene.editor.choose(&asked, "no").await;
    assert_eq!(scene.agent.hear().await["result"]["outcome"]["optionId"], "no");
}
