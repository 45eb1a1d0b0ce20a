//! The access of an activity: files behind the rules, texts as the person sees them, searches, the working set and the
//! log. It hands out no session.
//!
//! # Invariants
//!
//! - No tool reaches the session: its scope, and the parts of it, have a method for each thing that tools may touch.
//!   Test: `tools_name_no_session`

mod line_records;
mod memory;
mod search;
mod texts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::command_feed::{CommandFeed, FedCommand};
use super::error::{CallCancelled, TextError};
use super::file_text::TextSnapshot;
use super::{DirectWriter, WorkspaceSession};
use crate::base::{PathError, WorkspacePath};
use crate::journal::JournalError;
use crate::ports::{Caller, HostGate};
use crate::protocol::{DiagnosticsAnswer, DiagnosticsParams, Fault, LogEvent, Origin, Settings};
use crate::rules::{FileOpener, Grant};
use crate::workspace::{Governance, WorkspaceFiles};
use line_records::CallLineRecords;
use memory::CallMemory;
use search::CallSearch;
use texts::CallTexts;

/// The session as one call may use it.
#[derive(Clone, Debug)]
pub struct CallScope {
    session: Arc<WorkspaceSession>,
    governance: Arc<Governance>,
    files: WorkspaceFiles,
    cancel: CancellationToken,
    caller: Option<Arc<dyn Caller>>,
    origin: Arc<Origin>,
    hosts: Option<Arc<dyn HostGate>>,
}

impl CallScope {
    /// The scope of a call of `origin` that `cancel_token` stops.
    pub fn new(
        session: Arc<WorkspaceSession>,
        origin: &Origin,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Self {
        let governance = session.workspace().governance();
        let files = WorkspaceFiles::new(
            session.workspace().state().clone(),
            governance.rules().clone(),
            FileOpener::NoConsent,
        );
        Self { session, governance, files, cancel, caller, origin: Arc::new(origin.clone()), hosts: None }
    }

    /// Returns the origin of the call.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns this scope with the files that the grant opens.
    #[must_use]
    pub fn with_grant(&self, grant: &Arc<Grant>) -> Self {
        Self { files: self.files.opened_by(FileOpener::Call(grant.clone())), ..self.clone() }
    }

    /// Returns this scope with the hosts that `host_gate` lets it reach.
    #[must_use]
    pub fn with_hosts(&self, hosts: Arc<dyn HostGate>) -> Self {
        Self { hosts: Some(hosts), ..self.clone() }
    }

    /// The gate to further hosts, where the call declared that it reaches the network.
    pub fn host_gate(&self) -> Option<&Arc<dyn HostGate>> {
        self.hosts.as_ref()
    }

    /// Returns this scope under the current settings and rules; nothing where it has them already. It holds no grant.
    pub fn with_current_rules(&self) -> Option<Self> {
        let same = Arc::ptr_eq(&self.governance, &self.session.workspace().governance());
        (!same)
            .then(|| Self::new(self.session.clone(), &self.origin, self.cancel.clone(), self.caller.clone()))
    }

    /// The settings as they stood when the call began.
    pub fn settings(&self) -> &Settings {
        self.governance.settings()
    }

    /// The settings and rules as they stood when the call began.
    pub fn governance(&self) -> &Governance {
        &self.governance
    }

    /// Returns the files, behind the rules. A path that a rule asks about is open where the person consented to it for
    /// this call.
    pub fn files(&self) -> &WorkspaceFiles {
        &self.files
    }

    /// The texts of files that editors have open, and those that the caller was shown.
    pub fn texts(&self) -> CallTexts<'_> {
        CallTexts { files: self.session.files(), origin: &self.origin }
    }

    /// The searches of the workspace.
    pub fn search(&self) -> CallSearch<'_> {
        CallSearch { search: self.session.search(), files: &self.files, cancel: &self.cancel }
    }

    /// The working set.
    pub fn memory(&self) -> CallMemory<'_> {
        CallMemory { session: &self.session }
    }

    /// The records of who wrote the lines of files.
    pub fn line_records(&self) -> CallLineRecords<'_> {
        CallLineRecords { session: &self.session }
    }

    /// A command writes to the workspace at once from now on, until what this returns is dropped.
    pub fn direct_writer(&self) -> DirectWriter {
        self.session.files().known_files().begin_writing()
    }

    /// Returns whether the person or another call wrote a file since `at`, while such a command runs.
    pub fn was_written_meanwhile(&self, path: &WorkspacePath, at: Instant) -> bool {
        self.session.files().known_files().was_written_meanwhile(path, at)
    }

    /// Reads a path as a caller writes it.
    ///
    /// # Errors
    /// As [`WorkspacePath::parse`].
    pub fn parse_path(&self, asked: &str) -> Result<WorkspacePath, PathError> {
        WorkspacePath::parse(self.session.workspace().root(), asked)
    }

    /// Stops work that was cancelled.
    ///
    /// # Errors
    /// CANCELLED, once it was.
    pub fn check_cancelled(&self) -> Result<(), CallCancelled> {
        match self.cancel.is_cancelled() {
            true => Err(CallCancelled),
            false => Ok(()),
        }
    }

    /// The token that cancels the call.
    pub fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Reports progress to the caller.
    pub fn report_progress(&self, message: &str, percentage: Option<u32>) {
        if let Some(caller) = &self.caller {
            caller.progress(message, percentage);
        }
    }

    /// Reports to the caller what the call waits for; nothing once it no longer waits.
    pub fn report_waiting(&self, what: Option<&str>) {
        if let Some(caller) = &self.caller {
            caller.waiting(what);
        }
    }

    /// The time that a call waits for the person: as the settings say, else as long as its client is said to wait.
    pub fn wait_limit(&self) -> Duration {
        self.settings().review.decision_timeout(self.caller.as_ref().and_then(|caller| caller.patience_s()))
    }

    /// Returns a feed that notifies the editors of a command, also after its call was answered.
    pub fn command_feed(&self, of: FedCommand<'_>) -> CommandFeed {
        CommandFeed::new(&self.session, of)
    }

    /// The diagnostics of the editors' language servers.
    ///
    /// # Errors
    /// UNSUPPORTED if no editor has diagnostics; TIMEOUT if it does not answer.
    pub async fn diagnostics(&self, asked: DiagnosticsParams) -> Result<DiagnosticsAnswer, Fault> {
        self.session.editor().diagnostics(asked).await
    }

    /// The caller that waits for the answer, if it takes messages or questions meanwhile.
    pub fn caller(&self) -> Option<&Arc<dyn Caller>> {
        self.caller.as_ref()
    }

    /// The text of a file as the person sees it: unsaved text wins over the disk. None where there is no file.
    ///
    /// # Errors
    /// UNSUPPORTED for a binary file, QUOTA_EXCEEDED for one over the limit, and the error of reading it.
    pub fn read_text(&self, path: &WorkspacePath) -> Result<Option<TextSnapshot>, TextError> {
        self.session.files().read_text_through(&self.files, path)
    }

    /// Now, RFC 3339, to the millisecond.
    pub fn now(&self) -> String {
        self.session.now()
    }

    /// Writes an event of the call to the log.
    ///
    /// # Errors
    /// The error that keeps it from being written.
    pub fn write_event(&self, event: impl Into<LogEvent>) -> Result<(), JournalError> {
        self.session.log().write_event(event).map(drop)
    }

    /// Posts an event of the call to the log, to be written soon.
    ///
    /// # Errors
    /// The error that keeps the log from being opened.
    pub fn post_event(&self, event: impl Into<LogEvent>) -> Result<(), JournalError> {
        self.session.log().post_event(event).map(drop)
    }
}
