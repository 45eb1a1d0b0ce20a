//! The working set, for one call.

use std::sync::Arc;

use crate::memory::WorkingSetNotes;
use crate::protocol::{Advice, HintOutcome, WorkingSetAnswer};
use crate::session::WorkspaceSession;

/// The working set, with the notes and hints that it is made of.
#[derive(Clone, Copy, Debug)]
pub struct CallMemory<'a> {
    pub(super) session: &'a WorkspaceSession,
}

impl CallMemory<'_> {
    /// The files that matter now, the hottest first.
    pub fn working_set(&self) -> WorkingSetAnswer {
        self.session.working_files().working_set()
    }

    /// The notes of the person and of models about files.
    pub fn file_notes(&self) -> Arc<WorkingSetNotes> {
        self.session.memory().note_files().current_notes()
    }

    /// Judges a hint of a model's, and keeps it where it counts.
    pub fn add_hint(&self, advice: Advice, asked: &str, why: &str, by: &str) -> HintOutcome {
        self.session.working_files().add_hint(advice, asked, why, by)
    }
}
