//! The sessions of the connection, and what the proxy knows of each.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::granted::GrantedChanges;
use super::modes::SessionModes;
use super::said::SaidWords;
use super::shown::ShownDiffs;

/// One session.
#[derive(Debug, Default)]
pub(super) struct AcpSession {
    /// The roots of the workspaces that it works in, the first before the others.
    pub(super) roots: Vec<String>,
    /// What the agent said last.
    pub(super) said: SaidWords,
    /// The diffs that it shows.
    pub(super) shown: ShownDiffs,
    /// Its mode, as far as that says whether the agent asks.
    pub(super) modes: SessionModes,
    /// Ends what the agent wants in this turn.
    pub(super) cancel: CancellationToken,
    /// What is in place, and the agent writes next.
    pub(super) granted: GrantedChanges,
    /// The hashes of files whose text was another than the agent knew, as it was told, by path.
    pub(super) told_hashes: HashMap<String, String>,
    /// What the agent still has to be told.
    pub(super) notes: Vec<String>,
    /// The editor's prompt that is under way.
    pub(super) turn: Option<EditorTurn>,
}

/// A prompt of the editor that has no answer yet.
#[derive(Clone, Debug)]
pub(super) struct EditorTurn {
    /// The id that the editor knows it by.
    pub(super) id: Value,
    /// The id of the prompt of ours that goes on with it.
    pub(super) follow_up: Option<String>,
}

/// All sessions, by id.
#[derive(Debug, Default)]
pub(super) struct AcpSessions(Mutex<HashMap<String, AcpSession>>);

impl AcpSessions {
    /// Works on a session; one that is not known yet begins so.
    pub(super) fn with<T>(&self, id: &str, work: impl FnOnce(&mut AcpSession) -> T) -> T {
        work(self.0.lock().entry(id.to_owned()).or_default())
    }

    /// The id of the prompt of ours that goes on with the editor's prompt of that id.
    pub(super) fn find_turn(&self, id: &Value) -> Option<String> {
        let sessions = self.0.lock();
        let mut turns = sessions.values().filter_map(|session| session.turn.as_ref());
        turns.find(|turn| turn.id == *id)?.follow_up.clone()
    }

    /// The roots of a session. Agents have sessions inside of sessions that no editor knows: those work where the others
    /// do.
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
