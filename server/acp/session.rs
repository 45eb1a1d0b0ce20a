//! The sessions of the connection, and the proxy's state of each.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::agent_words::AgentWords;
use super::granted_changes::GrantedChanges;
use super::modes::SessionModes;
use super::shown_diffs::ShownDiffs;

/// A session.
#[derive(Debug, Default)]
pub(super) struct AcpSession {
    /// The roots of the workspaces that it works in, the first before the others.
    pub(super) roots: Vec<String>,
    /// The agent's last text.
    pub(super) words: AgentWords,
    /// The diffs that it showed.
    pub(super) shown_diffs: ShownDiffs,
    /// Its mode, to know whether the agent asks.
    pub(super) modes: SessionModes,
    /// Cancels the agent's requests of this turn.
    pub(super) cancel: CancellationToken,
    /// Changes that are in place, and that the agent writes next.
    pub(super) granted_changes: GrantedChanges,
    /// The hashes of files that differed from the agent's version, as reported to it, by path.
    pub(super) reported_hashes: HashMap<String, String>,
    /// Texts that the agent has not got yet.
    pub(super) notes: Vec<String>,
    /// The editor's prompt that is under way.
    pub(super) turn: Option<EditorTurn>,
}

/// A prompt of the editor that has no answer yet.
#[derive(Clone, Debug)]
pub(super) struct EditorTurn {
    /// The id that the editor knows it by.
    pub(super) id: Value,
    /// The id of the proxy's prompt that continues it.
    pub(super) follow_up: Option<String>,
}

/// All sessions, by id.
#[derive(Debug, Default)]
pub(super) struct AcpSessions(Mutex<HashMap<String, AcpSession>>);

impl AcpSessions {
    /// Runs `work` on a session; a new session is added.
    pub(super) fn with_session<T>(&self, id: &str, work: impl FnOnce(&mut AcpSession) -> T) -> T {
        work(self.0.lock().entry(id.to_owned()).or_default())
    }

    /// The id of the proxy's prompt that continues the editor's prompt of that id.
    pub(super) fn find_turn(&self, id: &Value) -> Option<String> {
        let sessions = self.0.lock();
        let mut turns = sessions.values().filter_map(|session| session.turn.as_ref());
        turns.find(|turn| turn.id == *id)?.follow_up.clone()
    }

    /// The roots of a session. Agents have sub-sessions that no editor knows: those have the roots of all others.
    pub(super) fn roots(&self, id: &str) -> Vec<String> {
        let sessions = self.0.lock();
        match sessions.get(id).filter(|session| !session.roots.is_empty()) {
            Some(session) => session.roots.clone(),
            None => {
                let mut roots: Vec<_> = sessions.values().flat_map(|session| session.roots.clone()).collect();
                roots.sort();
                roots.dedup();
                roots
            }
        }
    }
}
