//! The options for opening a session log.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::JournalError;
use super::file::LOG;
use super::head::LogKeeper;
use crate::base::OWN_DIR;
use crate::base::clock::Clock;
use crate::protocol::LogSettings;

/// Opens a session's folder.
pub type FolderOpener = Box<dyn Fn() -> Result<OwnedFd, JournalError> + Send + Sync>;

/// The options for opening a session log.
pub struct JournalOptions {
    /// The session's id.
    pub session: String,
    /// The workspace's absolute path.
    pub root: String,
    /// Opens the session's folder of the workspace, and makes it if it is missing. It is called again if the log is
    /// no longer in its place.
    pub folder: FolderOpener,
    /// The settings for writing events.
    pub settings: LogSettings,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// The evidence for the log.
    pub keeper: LogKeeper,
}

impl fmt::Debug for JournalOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening")
            .field("session", &self.session)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// The path of a session's log.
pub(super) fn log_path(root: &str, session: &str) -> PathBuf {
    Path::new(root).join(OWN_DIR).join("sessions").join(session).join(LOG)
}
