//! The files of the editor: reads and writes of a run, as requests of the protocol.

use serde_json::{Value, json};

use super::OwnAgent;
use super::session::OwnSession;
use crate::acp::message::RpcAnswer;
use crate::protocol::{AgentFileAnswer, AgentFiles, AgentSayParams};

/// The editor's capabilities for files, from the handshake.
pub(super) fn editor_files(params: &Value) -> AgentFiles {
    let can = |what: &str| params.pointer(&format!("/clientCapabilities/fs/{what}")) == Some(&json!(true));
    AgentFiles { reads: can("readTextFile"), writes: can("writeTextFile") }
}

/// Reads a file in the editor for a run.
pub(super) async fn read_in_editor(agent: &OwnAgent, session: &OwnSession, id: String, path: String) {
    let params = json!({ "sessionId": session.id, "path": path });
    let answer = agent.editor.send_request("fs/read_text_file", params).await.wait_for_answer().await;
    let text = |answer: Value| answer.get("content").and_then(Value::as_str).map(str::to_owned);
    let answered = match editor_outcome(answer) {
        Ok(answer) => AgentFileAnswer { id, text: text(answer), error: None },
        Err(error) => AgentFileAnswer { id, text: None, error: Some(error) },
    };
    answer_run(agent, session, answered).await;
}

/// Writes a file through the editor for a run.
pub(super) async fn write_in_editor(
    agent: &OwnAgent,
    session: &OwnSession,
    id: String,
    path: String,
    text: String,
) {
    let params = json!({ "sessionId": session.id, "path": path, "content": text });
    let answer = agent.editor.send_request("fs/write_text_file", params).await.wait_for_answer().await;
    answer_run(agent, session, AgentFileAnswer { id, text: None, error: editor_outcome(answer).err() }).await;
}

fn editor_outcome(answer: Option<RpcAnswer>) -> Result<Value, String> {
    let answer = answer.ok_or_else(|| "the editor has left".to_owned())?;
    answer.map_err(|error| error["message"].as_str().unwrap_or("the editor refused").to_owned())
}

async fn answer_run(agent: &OwnAgent, session: &OwnSession, file: AgentFileAnswer) {
    // A run that has ended waits for nothing.
    let _ =
        session.send_to_run(agent, AgentSayParams { file: Some(file), ..AgentSayParams::default() }).await;
}
