//! What waits outlives this process: each proposal in a file of our folder, until its outcome is known and told.

use super::item::{Item, ReviewEffect, ReviewEvent, transition};
use super::lifecycle::{CallStage, Keeping, LifecycleEvent};
use super::queue::ProposalQueue;
use super::recover;
use super::sound;
use crate::protocol::{Fault, Policy};
use crate::session::Session;

/// Where they stand.
pub(super) const FOLDER: &str = "proposals";

/// A proposal that an earlier process left, and what the log is to tell of it: what that process had put in place without
/// saying so.
pub(super) struct Left {
    pub(super) item: Item,
    pub(super) effects: Vec<ReviewEffect>,
}

/// What earlier processes left, as far as it holds together.
pub(super) fn left(session: &Session) -> Vec<Left> {
    let names = session.workspace().state().list(FOLDER).unwrap_or_default();
    let sound = names.into_iter().filter_map(|name| sound::load(session, &name));
    let left = sound.map(|item| {
        let (item, _) = transition(item, ReviewEvent::Call(LifecycleEvent::LeftBehind));
        let (item, effects) = recover::recover(session, item);
        Left { item, effects }
    });
    left.collect()
}

impl ProposalQueue {
    /// Writes a proposal to our folder as it is now, or removes it there once its outcome is known and told.
    ///
    /// # Errors
    /// What keeps it from being written; QUOTA_EXCEEDED where it is too large to be kept.
    pub(super) fn keep(&self, id: &str) -> Result<(), Fault> {
        let Some(storing) = self.items().get(id).map(|item| item.storing()) else { return Ok(()) };
        let _one_at_a_time = storing.lock();
        // As it is by now: who waited for the one before writes what that one has changed too.
        let Some(item) = self.items().get(id) else { return Ok(()) };
        let file = format!("{FOLDER}/{id}.json");
        let state = self.session.workspace().state();
        match (item.is_over(), item.life().keeping) {
            // What a policy applies at once needs no place to wait in.
            _ if item.life().stage == CallStage::Deciding && item.policy() == Policy::Auto => return Ok(()),
            (true, Keeping::Memory) => return Ok(()),
            (true, Keeping::Folder) => state.remove(&file).map(drop)?,
            (false, _) => {
                let json = serde_json::to_vec(&*item).map_err(|error| Fault::internal(error.to_string()))?;
                state.write(&file, &json)?;
            }
        }
        let event = if item.is_over() { LifecycleEvent::Removed } else { LifecycleEvent::Stored };
        // One that is looked at elsewhere would be copied to be changed.
        drop(item);
        self.items().happen(id, ReviewEvent::Call(event));
        Ok(())
    }
}
