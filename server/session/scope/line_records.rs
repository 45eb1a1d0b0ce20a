//! The records of who wrote the lines of files, for one call.

use std::collections::BTreeSet;

use crate::base::WorkspacePath;
use crate::session::{AlteredLogs, KnownLines, WorkspaceSession};

/// The records of who wrote the lines of files, and the logs that they point to.
#[derive(Clone, Copy, Debug)]
pub struct CallLineRecords<'a> {
    pub(super) session: &'a WorkspaceSession,
}

impl CallLineRecords<'_> {
    /// Returns who wrote each line of a text, the text of a path.
    pub fn known_lines(&self, path: &WorkspacePath, text: &str) -> KnownLines {
        self.session.line_history().known_lines(path, text)
    }

    /// The files of which anything was recorded.
    pub fn recorded_paths(&self) -> Vec<WorkspacePath> {
        self.session.line_history().recorded_paths()
    }

    /// Returns those of the named sessions that have logs which were altered.
    pub async fn altered_logs(&self, sessions: &BTreeSet<&str>) -> AlteredLogs {
        self.session.log_checks().find_altered(sessions).await
    }
}
