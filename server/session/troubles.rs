//! What befell a session that somebody should know of: told once to the editor and with an answer, and kept for the
//! status.

use std::sync::{Mutex, PoisonError};

use super::Session;
use crate::protocol::Notice;

/// Troubles that are kept for the status; of more the oldest go.
const KEPT: usize = 20;

/// What befell a session, a sentence each.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    all: Vec<String>,
    /// Those that no answer has told of.
    untold: Vec<String>,
}

impl Session {
    /// Notes what befell the session log, and tells the editor.
    pub(super) fn log_trouble(&self, trouble: String) {
        let mut lists = self.troubles.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.all.contains(&trouble) {
            return;
        }
        if lists.all.len() == KEPT {
            lists.all.remove(0);
        }
        lists.all.push(trouble.clone());
        lists.untold.push(trouble.clone());
        drop(lists);
        self.editor.tell(Notice::Trouble(trouble));
    }

    /// What befell the session log since the last answer told of it.
    pub fn hear_log(&self) -> Vec<String> {
        let troubles = self.opened_journal().map(crate::journal::Journal::troubles).unwrap_or_default();
        troubles.into_iter().for_each(|trouble| self.log_trouble(trouble));
        std::mem::take(&mut self.troubles.0.lock().unwrap_or_else(PoisonError::into_inner).untold)
    }

    /// What befell the session log, for the status.
    pub(super) fn log_troubles(&self) -> Vec<String> {
        self.troubles.0.lock().unwrap_or_else(PoisonError::into_inner).all.clone()
    }
}
