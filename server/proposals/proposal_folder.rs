//! Stores waiting proposals beyond the end of the process: each in a file of our folder, until its outcome is known and
//! delivered and a person has reviewed the hunks that were put in place.
//!
//! # Invariants
//!
//! - No kept proposal is shown at another file than it writes.
//!   Test: `a_kept_proposal_is_shown_at_the_file_that_accepting_it_writes`

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::recovery;
use crate::base::ProposalId;
use crate::protocol::{Code, Fault};
use crate::review::{
    LifecycleEvent, QueuedProposal, ReviewEffect, ReviewEvent, StorageStep, apply_event, check_proposal,
};
use crate::session::WorkspaceSession;

/// The state folder of proposals.
pub(crate) const FOLDER: &str = "proposals";

/// The number of locks from which unused ones are removed.
const MANY: usize = 512;

/// A proposal that an earlier process left, and what the log is to tell of it: what that process had put in place without
/// saying so.
pub(super) struct LeftProposal {
    pub(super) item: QueuedProposal,
    pub(super) effects: Vec<ReviewEffect>,
}

/// The files of proposals in the state folder.
#[derive(Debug)]
pub(super) struct ProposalFolder {
    session: Arc<WorkspaceSession>,
    /// The locks that are held while a proposal is written or removed, one for each.
    locks: Mutex<HashMap<ProposalId, Weak<Mutex<()>>>>,
}

impl ProposalFolder {
    /// The folder of a session.
    pub(super) fn new(session: Arc<WorkspaceSession>) -> Self {
        Self { session, locks: Mutex::default() }
    }

    /// Returns the lock that is held while a proposal is written or removed.
    pub(super) fn lock_of(&self, id: &str) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock();
        if locks.len() >= MANY {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        if let Some(lock) = locks.get(id).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        locks.insert(id.into(), Arc::downgrade(&lock));
        lock
    }

    /// Writes a proposal, or removes it once its outcome is known and delivered. Returns the event of that; nothing
    /// where the folder is left as it is.
    ///
    /// # Errors
    /// The error that keeps it from being written; QUOTA_EXCEEDED where it is too large to be kept.
    pub(super) fn write_item(&self, item: &QueuedProposal) -> Result<Option<LifecycleEvent>, Fault> {
        let (file, state) = (file_name(item), self.session.workspace().state());
        let json = || serde_json::to_vec(item).map_err(|error| Fault::internal(error.to_string()));
        match item.storage_step() {
            StorageStep::Leave => return Ok(None),
            StorageStep::Remove => {
                state.remove_file(&file)?;
                return Ok(Some(LifecycleEvent::Removed));
            }
            StorageStep::Write => state.write_file(&file, &json()?)?,
            StorageStep::WriteSoon => state.write_soon(&file, &json()?)?,
        }
        Ok(Some(LifecycleEvent::Stored))
    }

    /// Removes the file of a proposal that is forgotten. One that stays is shown again by the next process, which then
    /// forgets it.
    pub(super) fn remove_item(&self, item: &QueuedProposal) {
        let storing = self.lock_of(&item.proposal().id);
        let _one_at_a_time = storing.lock();
        let _ = self.session.workspace().state().remove_file(&file_name(item));
    }

    /// Loads the valid proposals that earlier processes left.
    pub(super) fn load_left(&self) -> Vec<LeftProposal> {
        let names = self.session.workspace().state().list_folder(FOLDER).unwrap_or_default();
        let sound = names.into_iter().filter_map(|name| self.load_proposal(&name));
        let left = sound.map(|item| {
            let (item, _) = apply_event(item, ReviewEvent::Call(LifecycleEvent::LeftBehind));
            let (item, effects) = recovery::recover_proposal(&self.session, item);
            LeftProposal { item, effects }
        });
        left.collect()
    }

    /// Loads the proposal in the file `name`. An invalid one is set aside, and reported.
    fn load_proposal(&self, name: &str) -> Option<QueuedProposal> {
        let path = format!("{FOLDER}/{name}");
        let read = match self.session.workspace().state().read_file(&path) {
            Err(error) if !matches!(error.code(), Code::InvalidArgs | Code::Unsupported) => {
                self.session
                    .troubles()
                    .report_trouble(format!("the proposal {name:?} cannot be read now: {error}"));
                return None;
            }
            Err(error) => Err(error.to_string()),
            Ok(bytes) => serde_json::from_slice::<QueuedProposal>(&bytes.unwrap_or_default())
                .map_err(|error| format!("it is no proposal ({error})")),
        };
        let checked = read.and_then(|mut item| {
            check_proposal(name, item.proposal(), item.views().len())?;
            // The editor shows the file that this names, and what is accepted is written at the path: they are one.
            item.refresh_locations(|path| self.session.workspace().uri(path));
            Ok(item)
        });
        let wrong = match checked {
            Ok(item) => return Some(item),
            Err(wrong) => wrong,
        };
        let place = match self.session.workspace().state().set_aside(&path) {
            Ok(place) => format!("it is set aside as {place}"),
            Err(error) => error.to_string(),
        };
        self.session.troubles().report_trouble(format!(
            "the kept proposal {name:?} does not hold together and is not shown: {wrong}; {place}"
        ));
        None
    }
}

fn file_name(item: &QueuedProposal) -> String {
    format!("{FOLDER}/{}.json", item.proposal().id)
}
