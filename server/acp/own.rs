//! The built-in agent as an agent of the protocol: an editor starts it, and its sessions are runs of the folder's server.
//!
//! It only translates: each request of the editor becomes a request of the server, and each event of the run an update.

mod calls;
mod files;
mod modes;
mod session;
mod turn;

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::codec::FramedRead;

use super::FolderServers;
use super::ask::EndAsker;
use super::message::{
    RpcAnswer, RpcMessage, RpcRequest, answer_message, fault_error, notification_message, refusal_error,
};
use super::streams::{EndInput, EndOutbox, EndOutput};
use crate::base::lines::{LineDecoder, StreamLine};
use crate::protocol::AgentFiles;
use session::OwnSession;

/// Bytes of the longest line that is read.
const LONGEST: usize = 64 << 20;
/// The version of the protocol that is spoken, whatever the editor offers.
const VERSION: u32 = 1;
/// The codes of JSON-RPC.
const NO_METHOD: i64 = -32601;
const BAD_PARAMS: i64 = -32602;
const NO_JSON: i64 = -32700;

/// The agent at its editor.
pub(super) struct OwnAgent {
    folders: Arc<dyn FolderServers>,
    out: EndOutbox,
    /// Requests of the agent to its editor.
    editor: EndAsker,
    sessions: Mutex<HashMap<String, Arc<OwnSession>>>,
    /// The editor's capabilities for files.
    files: Mutex<AgentFiles>,
}

/// Serves an editor until it leaves.
pub async fn run_own(from_editor: EndInput, to_editor: EndOutput, folders: Arc<dyn FolderServers>) {
    let out = EndOutbox::new(to_editor);
    let editor = EndAsker::new(out.clone());
    let agent =
        Arc::new(OwnAgent { folders, out, editor, sessions: Mutex::default(), files: Mutex::default() });
    let mut work = JoinSet::new();
    let mut lines = FramedRead::new(from_editor, LineDecoder::new(LONGEST));
    while let Some(Ok(line)) = lines.next().await {
        while work.try_join_next().is_some() {}
        match line {
            StreamLine::Whole(line) => agent.handle_line(&line, &mut work).await,
            StreamLine::TooLong(envelope) => {
                let words = format!("wherefore: the message is longer than {LONGEST} bytes");
                let id = envelope.request_id().unwrap_or_default();
                agent.out.send_message(&answer_message(&id, Err(refusal_error(&words)))).await;
            }
        }
    }
    agent.editor.drop_open();
    work.shutdown().await;
    let sessions: Vec<_> = agent.sessions.lock().drain().map(|(_, session)| session).collect();
    for session in sessions {
        session.end_run(&agent).await;
    }
}

impl OwnAgent {
    async fn handle_line(self: &Arc<Self>, line: &[u8], work: &mut JoinSet<()>) {
        match RpcMessage::read(line) {
            RpcMessage::Answer { id, answer } => drop(self.editor.take_answer(&id, answer)),
            RpcMessage::Request(asked) => {
                let agent = self.clone();
                work.spawn(async move {
                    let result = agent.answer_request(&asked).await;
                    agent.out.send_message(&answer_message(&asked.id, result)).await;
                });
            }
            RpcMessage::Notification { method, params } if method == "session/cancel" => {
                let id = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
                if let Some(session) = self.find_session(id) {
                    let agent = self.clone();
                    work.spawn(async move { session.cancel_turn(&agent).await });
                }
            }
            RpcMessage::Notification { .. } => {}
            RpcMessage::Batch | RpcMessage::Other if line.trim_ascii().is_empty() => {}
            RpcMessage::Batch | RpcMessage::Other => {
                let error = error_with_code(NO_JSON, "wherefore: the line is no message of JSON-RPC 2.0");
                self.out.send_message(&answer_message(&Value::Null, Err(error))).await;
            }
        }
    }

    async fn answer_request(self: &Arc<Self>, asked: &RpcRequest) -> RpcAnswer {
        match asked.method.as_str() {
            "initialize" => {
                *self.files.lock() = files::editor_files(&asked.params);
                Ok(initialize_result())
            }
            "authenticate" => Ok(json!({})),
            "session/new" => {
                let session = self.begin_session(asked, None)?;
                Ok(json!({ "sessionId": session.id, "modes": session.modes(self) }))
            }
            "session/load" => {
                let id = asked
                    .text_param("sessionId")
                    .ok_or_else(|| error_with_code(BAD_PARAMS, "`sessionId` is missing"))?;
                let session = self.begin_session(asked, Some(id))?;
                let loaded = session.load_conversation(self).await;
                if loaded.is_err() {
                    self.sessions.lock().remove(id);
                }
                loaded
                    .map(|()| json!({ "modes": session.modes(self) }))
                    .map_err(|refused| fault_error(&refused))
            }
            "session/set_mode" => {
                let session = self.named_session(asked)?;
                let mode = asked.text_param("modeId").unwrap_or_default();
                let policy = modes::mode_policy(mode).ok_or_else(|| {
                    error_with_code(
                        BAD_PARAMS,
                        &format!("there is no mode {mode:?}; `modes` of the session lists them"),
                    )
                })?;
                session.set_policy(self, policy).await;
                Ok(json!({}))
            }
            "session/prompt" => {
                let session = self.named_session(asked)?;
                let words = join_prompt_text(&asked.params["prompt"])
                    .map_err(|words| error_with_code(BAD_PARAMS, words))?;
                let reason =
                    session.run_prompt(self, words).await.map_err(|refused| fault_error(&refused))?;
                Ok(json!({ "stopReason": reason }))
            }
            method => {
                Err(error_with_code(NO_METHOD, &format!("wherefore: the agent has no method {method:?}")))
            }
        }
    }

    /// The session that a request names.
    fn named_session(&self, asked: &RpcRequest) -> Result<Arc<OwnSession>, Value> {
        let id = asked.text_param("sessionId").unwrap_or_default();
        self.find_session(id).ok_or_else(|| {
            error_with_code(BAD_PARAMS, &format!("there is no session {id:?} here; begin one by session/new"))
        })
    }

    fn find_session(&self, id: &str) -> Option<Arc<OwnSession>> {
        self.sessions.lock().get(id).cloned()
    }

    /// Begins a session in the folder that the request names.
    fn begin_session(&self, asked: &RpcRequest, id: Option<&str>) -> Result<Arc<OwnSession>, Value> {
        let folder = asked.text_param("cwd").filter(|folder| folder.starts_with('/'));
        let folder = folder.ok_or_else(|| error_with_code(BAD_PARAMS, "`cwd` is an absolute path"))?;
        let root = self
            .folders
            .workspace_root(std::path::Path::new(folder))
            .map_err(|refused| fault_error(&refused))?;
        let session = Arc::new(OwnSession::new(id, root));
        self.sessions.lock().insert(session.id.clone(), session.clone());
        Ok(session)
    }

    /// Sends the editor an update of a session.
    async fn send_update(&self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.out.send_message(&notification_message("session/update", params)).await;
    }
}

fn error_with_code(code: i64, words: &str) -> Value {
    json!({ "code": code, "message": words })
}

fn initialize_result() -> Value {
    let prompts = json!({ "image": false, "audio": false, "embeddedContext": true });
    json!({
        "protocolVersion": VERSION,
        "agentCapabilities": { "loadSession": true, "promptCapabilities": prompts },
        "agentInfo": { "name": "wherefore", "title": "wherefore", "version": env!("CARGO_PKG_VERSION") },
        "authMethods": [],
    })
}

/// Joins the texts of a prompt, the URIs of its links, and its embedded resources, each under its URI.
///
/// # Errors
/// Another kind of block, and an empty prompt.
fn join_prompt_text(prompt: &Value) -> Result<String, &'static str> {
    let blocks = prompt.as_array().ok_or("`prompt` is a list of blocks")?;
    let mut words = Vec::new();
    for block in blocks {
        let text = |place: &str| block.pointer(place).and_then(Value::as_str).map(str::to_owned);
        match block["type"].as_str() {
            Some("text") => words.extend(text("/text")),
            Some("resource_link") => words.extend(text("/uri")),
            Some("resource") => {
                let (uri, text) = (text("/resource/uri"), text("/resource/text"));
                words.push(format!("{}:\n{}", uri.unwrap_or_default(), text.unwrap_or_default()));
            }
            _ => return Err("the model reads text, links and texts of resources alone"),
        }
    }
    let words = words.join("\n");
    if words.trim().is_empty() { Err("the prompt is empty") } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_its_texts_and_what_it_names() {
        let block = |kind: &str| json!({ "type": kind, "text": "Look", "uri": "file:///a", "resource": { "uri": "file:///b", "text": "x" } });
        for (prompt, expected) in [
            (json!([block("text"), block("resource_link")]), Ok("Look\nfile:///a")),
            (json!([block("resource")]), Ok("file:///b:\nx")),
            (json!([block("image")]), Err("alone")),
            (json!([]), Err("empty")),
            (json!("Look"), Err("a list")),
        ] {
            match (join_prompt_text(&prompt), expected) {
                (Ok(words), Ok(expected)) => assert_eq!(words, expected),
                (Err(words), Err(part)) => assert!(words.contains(part), "{words}"),
                (found, _) => panic!("{prompt}: {found:?}"),
            }
        }
    }
}
