//! The calls of a run as the protocol's tool calls, a change with its hunks as diffs.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::OwnAgent;
use super::session::OwnSession;
use crate::acp::change::{self, ChangeQuestion};
use crate::base::ProposalId;
use crate::base::hidden::escape_to_line;
use crate::protocol::AgentHappening;

/// The tool that ends a turn: its summary is sent as text.
const COMPLETE: &str = "task_complete";

/// Calls without a result, and the diffs that the editor was shown for them.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    shown: HashMap<String, Vec<Value>>,
    /// The newest: calls that change something run one after the other.
    newest: String,
}

impl OpenCalls {
    /// Sends the editor an update for a call or its result.
    pub(super) async fn show_call(&mut self, agent: &OwnAgent, session: &OwnSession, what: AgentHappening) {
        match what {
            AgentHappening::Call { call, tool, why, paths } if tool != COMPLETE => {
                let title = [tool.as_str(), &paths.join(", ")].join(" ");
                let title = if why.is_empty() { title } else { format!("{}: {why}", title.trim_end()) };
                let locations: Vec<Value> = paths.iter().map(|path| file_location(session, path)).collect();
                let update = json!({
                    "sessionUpdate": "tool_call", "toolCallId": call, "title": escape_to_line(title.trim_end()),
                    "kind": tool_kind(&tool), "status": "in_progress", "locations": locations,
                });
                self.shown.insert(call.clone(), Vec::new());
                self.newest = call;
                agent.send_update(&session.id, update).await;
            }
            AgentHappening::Result { call, failed, summary, .. } => {
                let Some(mut content) = self.shown.remove(&call) else { return };
                content.push(json!({ "type": "content", "content": { "type": "text", "text": summary } }));
                let status = if failed { "failed" } else { "completed" };
                let update = json!({
                    "sessionUpdate": "tool_call_update", "toolCallId": call, "status": status, "content": content,
                });
                agent.send_update(&session.id, update).await;
            }
            _ => {}
        }
    }

    /// Shows the editor the changes that a call proposes.
    pub(super) async fn show_proposal(&mut self, agent: &OwnAgent, session: &OwnSession, id: &ProposalId) {
        let (folders, editor) = (&*agent.folders, &agent.editor);
        let question = ChangeQuestion { folders, editor, session: &session.id, root: &session.root };
        let Some(proposal) = question.find_proposal(id.as_str()).await else { return };
        let Some(shown) = self.shown.get_mut(&self.newest) else { return };
        *shown = change::hunk_diffs(&session.root, &change::pending_hunks(&proposal).collect::<Vec<_>>());
        let update = json!({
            "sessionUpdate": "tool_call_update", "toolCallId": self.newest, "status": "in_progress", "content": shown,
        });
        agent.send_update(&session.id, update).await;
    }
}

fn file_location(session: &OwnSession, path: &str) -> Value {
    let absolute = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", session.root) };
    json!({ "path": absolute })
}

/// The kind of a tool in the protocol.
fn tool_kind(tool: &str) -> &'static str {
    match tool.split_once('.').unwrap_or((tool, "")) {
        ("fs", "read" | "ls") => "read",
        ("fs", "move") => "move",
        ("fs", "delete") => "delete",
        ("fs", _) => "edit",
        ("search" | "workspace", _) => "search",
        ("terminal" | "python" | "js", _) => "execute",
        ("fetch", _) => "fetch",
        _ => "other",
    }
}
