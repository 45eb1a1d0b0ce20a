//! What an activity may touch: files behind the rules, texts as the person sees them, searches, the working set and the
//! log. It hands out no session.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::DirectWriter;
use super::command_feed::{CommandFeed, FedCommand};
use super::error::{CallCancelled, SearchError, TextError};
use super::text::Snapshot;
use super::{AlteredLogs, KnownLines, Meant, Session, WantedFiles, WantedLines, Where};
use crate::base::{PathError, WorkspacePath};
use crate::index::lexical::entry::FileEntry;
use crate::index::lexical::query::Query;
use crate::index::lexical::search::{Found, Options};
use crate::journal::JournalError;
use crate::memory::Notes;
use crate::ports::{Caller, HostGate};
use crate::protocol::{Advice, HintOutcome, LogEvent, Origin, Settings, WatchStatus, WorkingSetAnswer};
use crate::rules::{Grant, Opener};
use crate::workspace::{Files, Governance};

/// The session as one call may use it.
#[derive(Clone, Debug)]
pub struct Scope {
    session: Arc<Session>,
    governance: Arc<Governance>,
    files: Files,
    cancel: CancellationToken,
    caller: Option<Arc<dyn Caller>>,
    origin: Arc<Origin>,
    hosts: Option<Arc<dyn HostGate>>,
}

impl Scope {
    /// The scope of a call of `origin` that `cancel` stops.
    pub fn new(
        session: Arc<Session>,
        origin: &Origin,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Self {
        let governance = session.workspace().governance();
        let files =
            Files::new(session.workspace().state().clone(), governance.rules().clone(), Opener::Unasked);
        Self { session, governance, files, cancel, caller, origin: Arc::new(origin.clone()), hosts: None }
    }

    /// Who called.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The same scope, with the files that the grant opens.
    #[must_use]
    pub fn granted(&self, grant: &Arc<Grant>) -> Self {
        Self { files: self.files.opened_by(Opener::Call(grant.clone())), ..self.clone() }
    }

    /// The same scope, in which hosts can be reached once `hosts` lets them.
    #[must_use]
    pub fn reaching(&self, hosts: Arc<dyn HostGate>) -> Self {
        Self { hosts: Some(hosts), ..self.clone() }
    }

    /// What lets the call reach further hosts, where it declared that it reaches the network.
    pub fn hosts(&self) -> Option<&Arc<dyn HostGate>> {
        self.hosts.as_ref()
    }

    /// The same scope under the settings and rules that hold now; nothing where it has them already. No grant is in it.
    pub fn renewed(&self) -> Option<Self> {
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

    /// The files, behind the rules. What a rule asks about is open as far as the person said yes to this call.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// A command writes to the workspace at once from now on, until what this returns is dropped.
    pub fn direct_writer(&self) -> DirectWriter {
        self.session.files().known().writing()
    }

    /// Reads a path as a caller writes it.
    ///
    /// # Errors
    /// As [`WorkspacePath::parse`].
    pub fn path(&self, asked: &str) -> Result<WorkspacePath, PathError> {
        WorkspacePath::parse(self.session.workspace().root(), asked)
    }

    /// Who wrote each line of a text, which stands at a path.
    pub fn known_lines(&self, path: &WorkspacePath, text: &str) -> KnownLines {
        self.session.lines().known(path, text)
    }

    /// Which of the sessions so named have logs that were altered.
    pub async fn altered_logs(&self, sessions: &BTreeSet<&str>) -> AlteredLogs {
        self.session.log_checks().altered(sessions).await
    }

    /// Stops work that was cancelled.
    ///
    /// # Errors
    /// CANCELLED, once it was.
    pub fn check(&self) -> Result<(), CallCancelled> {
        match self.cancel.is_cancelled() {
            true => Err(CallCancelled),
            false => Ok(()),
        }
    }

    /// What stops it.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Tells how far it is.
    pub fn progress(&self, message: &str, percentage: Option<u32>) {
        if let Some(caller) = &self.caller {
            caller.progress(message, percentage);
        }
    }

    /// Tells whoever waits what the call waits for; nothing once it waits no more.
    pub fn waiting(&self, what: Option<&str>) {
        if let Some(caller) = &self.caller {
            caller.waiting(what);
        }
    }

    /// How long a call waits for the person: as the settings say, else as long as its client is said to wait.
    pub fn patience(&self) -> Duration {
        self.settings().review.patience(self.caller.as_ref().and_then(|caller| caller.patience_s()))
    }

    /// What tells the editors of a command, also after its call was answered.
    pub fn command_feed(&self, of: FedCommand<'_>) -> CommandFeed {
        CommandFeed::new(&self.session, of)
    }

    /// Whoever waits for the answer, where it can be told or asked something meanwhile.
    pub fn caller(&self) -> Option<&Arc<dyn Caller>> {
        self.caller.as_ref()
    }

    /// The text of a file as the person sees it: unsaved text wins over the disk. None where there is no file.
    ///
    /// # Errors
    /// UNSUPPORTED for a binary file, QUOTA_EXCEEDED for one over the limit, and what reading it says.
    pub fn text(&self, path: &WorkspacePath) -> Result<Option<Snapshot>, TextError> {
        self.session.files().text_through(&self.files, path)
    }

    /// Now, RFC 3339, to the millisecond.
    pub fn now(&self) -> String {
        self.session.now()
    }

    /// Whether the editor has a file open, whatever symlinks lead to it.
    pub fn is_open(&self, path: &WorkspacePath) -> bool {
        self.session.files().document(path).is_some()
    }

    /// Whether the editor has the file open that stands at a path without symlinks.
    pub fn shows(&self, real: &WorkspacePath) -> bool {
        self.session.files().documents().snapshot(real).is_some()
    }

    /// Bytes of a file's text where the editor has it open.
    pub fn open_size(&self, path: &WorkspacePath) -> Option<u64> {
        self.session.files().document(path).map(|document| document.text.len() as u64)
    }

    /// Notes that the caller is shown a file whose bytes have that hash, or hears that there is none.
    pub fn note_shown(&self, real: &WorkspacePath, hash: Option<&str>) {
        self.session.files().shown().note(&self.origin, real, hash);
    }

    /// The state of a file that the caller was shown last; nothing where it was shown none.
    pub fn last_shown(&self, real: &WorkspacePath) -> Option<Option<String>> {
        self.session.files().shown().last(&self.origin, real)
    }

    /// Keeps a text that the caller is shown, for a later comparison.
    pub fn keep_shown_text(&self, hash: &str, text: &str) {
        self.session.files().keep_shown_text(hash, text);
    }

    /// The text of a hash, where a caller was shown it lately.
    pub fn shown_text(&self, hash: &str) -> Option<Arc<str>> {
        self.session.files().shown_text(hash)
    }

    /// The lines that match a pattern.
    ///
    /// # Errors
    /// As [`super::FileSearch::lines`].
    pub fn search_lines(
        &self,
        query: &Query,
        place: Where<'_>,
        options: Options,
    ) -> Result<Found, SearchError> {
        let wanted = WantedLines { query, place, options };
        self.session.search().lines(&self.files, wanted, &|| self.goes_on())
    }

    /// The files that are most likely meant.
    ///
    /// # Errors
    /// As [`super::FileSearch::meant`].
    pub fn search_meaning(
        &self,
        wanted: &WantedFiles<'_>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Meant, SearchError> {
        self.session.search().meant(&self.files, wanted, progress, &|| self.goes_on())
    }

    /// The files of the workspace, or of a folder in it.
    ///
    /// # Errors
    /// As [`super::FileSearch::list`].
    pub fn list(&self, place: Where<'_>) -> Result<Vec<FileEntry>, SearchError> {
        self.session.search().list(&self.files, place, &|| self.goes_on())
    }

    /// How many files of a search are left out, as a sentence: see [`super::FileSearch::left_out`].
    ///
    /// # Errors
    /// As [`super::FileSearch::left_out`].
    pub fn left_out(&self, place: Where<'_>) -> Result<Option<String>, SearchError> {
        self.session.search().left_out(&self.files, place, &|| self.goes_on())
    }

    /// The same for a search that leaves out what the person said yes to as well.
    ///
    /// # Errors
    /// As [`super::FileSearch::left_out`].
    pub fn left_out_unasked(&self, place: Where<'_>) -> Result<Option<String>, SearchError> {
        self.session.search().left_out(&self.files.opened_by(Opener::Unasked), place, &|| self.goes_on())
    }

    fn goes_on(&self) -> bool {
        !self.cancel.is_cancelled()
    }

    /// How the workspace's files are watched, where they are.
    pub fn watch_status(&self) -> Option<WatchStatus> {
        self.session.search().status()
    }

    /// The files that matter now, the hottest first.
    pub fn working_set(&self) -> WorkingSetAnswer {
        self.session.working_files().set()
    }

    /// What the person and models noted about files.
    pub fn notes(&self) -> Arc<Notes> {
        self.session.memory().files().now()
    }

    /// Judges a hint of a model's, and keeps it where it counts.
    pub fn advise(&self, advice: Advice, asked: &str, why: &str, by: &str) -> HintOutcome {
        self.session.working_files().advise(advice, asked, why, by)
    }

    /// Writes an event of the call to the log.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn write(&self, event: impl Into<LogEvent>) -> Result<(), JournalError> {
        self.session.log().write(event).map(drop)
    }

    /// Has an event of the call written to the log soon.
    ///
    /// # Errors
    /// What keeps the log from being opened.
    pub fn post(&self, event: impl Into<LogEvent>) -> Result<(), JournalError> {
        self.session.log().post(event).map(drop)
    }
}
