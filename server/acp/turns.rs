//! Turns: a prompt of the editor, its cancellation, and the texts for the agent after it.
//!
//! The protocol has no room for a text in a refused permission. So the texts are sent as a prompt of the proxy when the
//! agent ends its turn, and the editor's prompt is answered by the end of that one: for the editor it is one turn.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::message::{RpcAnswer, RpcRequest, refusal_error};
use super::proxy::AcpProxy;
use super::session::EditorTurn;

/// The number of the proxy's prompts that may follow one of the editor's; with more of them, agent and rules never agree.
const MOST: usize = 20;

/// Begins a turn, and adds the texts that the agent has not got yet; returns whether that changed the request.
pub(super) fn begin_turn(proxy: &AcpProxy, asked: &mut RpcRequest) -> bool {
    let Some(id) = asked.text_param("sessionId").map(str::to_owned) else { return false };
    let notes = proxy.sessions.with_session(&id, |session| {
        session.cancel = CancellationToken::new();
        session.words = Default::default();
        session.shown_diffs = Default::default();
        session.granted_changes.clear();
        session.turn = Some(EditorTurn { id: asked.id.clone(), follow_up: None });
        std::mem::take(&mut session.notes)
    });
    match asked.params.get_mut("prompt").and_then(Value::as_array_mut) {
        Some(prompt) if !notes.is_empty() => {
            prompt.push(notes_block(&notes));
            true
        }
        _ => {
            // A prompt of another form is not touched.
            proxy.sessions.with_session(&id, |session| session.notes = notes);
            false
        }
    }
}

fn notes_block(notes: &[String]) -> Value {
    json!({ "type": "text", "text": notes.join("\n") })
}

/// Cancels a turn for the editor, with the requests that wait in it.
pub(super) fn cancel_turn(proxy: &AcpProxy, params: &Value) {
    if let Some(id) = params.get("sessionId").and_then(Value::as_str) {
        proxy.sessions.with_session(id, |session| session.cancel.cancel());
    }
}

/// The params that cancel the proxy's prompt instead of the editor's, if one is under way.
pub(super) fn follow_up_of(proxy: &AcpProxy, params: &Value) -> Option<Value> {
    let id = params.get("requestId")?;
    let follow_up = proxy.sessions.find_turn(id)?;
    let mut params = params.clone();
    params["requestId"] = json!(follow_up);
    Some(params)
}

/// The texts for the agent at the end of a turn; none if the turn is over.
pub(super) fn notes_at_end(proxy: &AcpProxy, id: &str, answer: &RpcAnswer) -> Option<Vec<String>> {
    proxy.sessions.with_session(id, |session| {
        session.granted_changes.clear();
        let goes_on = answer.is_ok() && !session.cancel.is_cancelled() && !session.notes.is_empty();
        if !goes_on {
            session.turn = None;
        }
        goes_on.then(|| std::mem::take(&mut session.notes))
    })
}

/// Continues a turn, and answers the editor's prompt at its end.
pub(super) async fn run_follow_up(
    proxy: Arc<AcpProxy>,
    session: String,
    prompt: Value,
    mut notes: Vec<String>,
) {
    let mut answer = Err(refusal_error("wherefore: the agent ended"));
    for _ in 0..MOST {
        let params = json!({ "sessionId": session, "prompt": [notes_block(&notes)] });
        let mut question = proxy.agent.send_request("session/prompt", params).await;
        let follow_up = Some(question.id().to_owned());
        proxy.sessions.with_session(&session, |session| {
            session.turn = Some(EditorTurn { id: prompt.clone(), follow_up });
        });
        let Some(ended) = question.wait_for_answer().await else { break };
        let more = notes_at_end(&proxy, &session, &ended);
        answer = ended;
        match more {
            Some(more) => notes = more,
            None => break,
        }
    }
    proxy.answer_editor(&prompt, answer).await;
}
