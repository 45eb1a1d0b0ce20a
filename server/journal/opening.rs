//! What a session log is opened with.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::JournalError;
use super::file::LOG;
use super::head::Keeper;
use crate::base::OURS;
use crate::base::clock::Clock;
use crate::protocol::LogSettings;

/// Opens a session's folder.
pub type FolderOpener = Box<dyn Fn() -> Result<OwnedFd, JournalError> + Send + Sync>;

/// What a session log is opened with.
pub struct Opening {
    /// The session's id.
    pub session: String,
    /// The workspace's absolute path.
    pub root: String,
    /// Opens the session's folder as it stands in the workspace now, and makes it where it is missing. It is asked
    /// again where the log is not in its place any more.
    pub folder: FolderOpener,
    /// How events are written.
    pub settings: LogSettings,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// What vouches for the log.
    pub keeper: Keeper,
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening")
            .field("session", &self.session)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// The path of a session's log.
pub(super) fn path(root: &str, session: &str) -> PathBuf {
    Path::new(root).join(OURS).join("sessions").join(session).join(LOG)
}
