//! Turns: a prompt of the editor, its cancellation, and what the agent has to be told after it.
//!
//! The protocol has no room for words in a refused permission. So they are sent as a prompt of ours as soon as the agent
//! ends its turn, and the editor's prompt is answered by the end of that one: for the editor it is one turn.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::message::{AskedRequest, RpcAnswer, refusal};
use super::proxy::Proxy;
use super::session::EditorTurn;

/// Prompts of ours that follow one of the editor's; more of them, and agent and rules never agree.
const MOST: usize = 20;

/// A turn begins. What the agent was not told yet goes along; whether that changed the request.
pub(super) fn begin(proxy: &Proxy, asked: &mut AskedRequest) -> bool {
    let Some(id) = asked.text("sessionId").map(str::to_owned) else { return false };
    let notes = proxy.sessions.with(&id, |session| {
        session.cancel = CancellationToken::new();
        session.said = Default::default();
        session.shown = Default::default();
        session.granted.clear();
        session.turn = Some(EditorTurn { id: asked.id.clone(), follow_up: None });
        std::mem::take(&mut session.notes)
    });
    match asked.params.get_mut("prompt").and_then(Value::as_array_mut) {
        Some(prompt) if !notes.is_empty() => {
            prompt.push(block(&notes));
            true
        }
        _ => {
            // A prompt of another form is not touched.
            proxy.sessions.with(&id, |session| session.notes = notes);
            false
        }
    }
}

fn block(notes: &[String]) -> Value {
    json!({ "type": "text", "text": notes.join("\n") })
}

/// The editor cancels a turn: what waits in it is given up.
pub(super) fn cancel(proxy: &Proxy, params: &Value) {
    if let Some(id) = params.get("sessionId").and_then(Value::as_str) {
        proxy.sessions.with(id, |session| session.cancel.cancel());
    }
}

/// The params that cancel a prompt of ours in place of the editor's, where one is under way.
pub(super) fn follow_up_of(proxy: &Proxy, params: &Value) -> Option<Value> {
    let id = params.get("requestId")?;
    let follow_up = proxy.sessions.find_turn(id)?;
    let mut params = params.clone();
    params["requestId"] = json!(follow_up);
    Some(params)
}

/// What the agent has to be told at the end of a turn; none where the turn is really over.
pub(super) fn notes_at_end(proxy: &Proxy, id: &str, answer: &RpcAnswer) -> Option<Vec<String>> {
    proxy.sessions.with(id, |session| {
        session.granted.clear();
        let goes_on = answer.is_ok() && !session.cancel.is_cancelled() && !session.notes.is_empty();
        if !goes_on {
            session.turn = None;
        }
        goes_on.then(|| std::mem::take(&mut session.notes))
    })
}

/// Goes on with a turn, and answers the editor's prompt at its end.
pub(super) async fn follow_up(proxy: Arc<Proxy>, session: String, prompt: Value, mut notes: Vec<String>) {
    let mut answer = Err(refusal("wherefore: the agent ended"));
    for _ in 0..MOST {
        let params = json!({ "sessionId": session, "prompt": [block(&notes)] });
        let mut question = proxy.agent.ask("session/prompt", params).await;
        let follow_up = Some(question.id().to_owned());
        proxy.sessions.with(&session, |session| {
            session.turn = Some(EditorTurn { id: prompt.clone(), follow_up });
        });
        let Some(ended) = question.answer().await else { break };
        let more = notes_at_end(&proxy, &session, &ended);
        answer = ended;
        match more {
            Some(more) => notes = more,
            None => break,
        }
    }
    proxy.answer_editor(&prompt, answer).await;
}
