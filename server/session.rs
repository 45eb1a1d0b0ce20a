//! The one owner of a folder's state, in parts that each have a lock of their own, and the scope of work in flight.

mod call_tally;
mod command_feed;
mod earlier_calls;
mod error;
mod fault;
mod file_similarity;
mod file_text;
mod files;
mod finder;
mod index_progress;
mod known_files;
mod line_history;
mod log;
mod log_checks;
mod messages;
mod open_log;
mod presence;
mod scope;
mod search;
mod search_files;
mod search_texts;
mod semantic_update;
mod shown_files;
mod shown_texts;
mod troubles;
mod working_files;
mod workspace;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

pub use call_tally::CallTally;
pub use command_feed::{CommandFeed, CommandFeedEnd, FedCommand};
pub(crate) use error::{CallCancelled, SearchError, SessionError};
pub use file_text::{TextSnapshot, unencodable_error};
pub use files::SessionFiles;
pub use known_files::{DirectWriter, KnownContent, KnownFiles};
pub use line_history::{KnownLines, LineHistory};
pub use log::SessionLog;
pub use log_checks::{AlteredLogs, LogChecks};
pub use messages::{MessageRecipient, PersonMessages};
pub use presence::{Presence, PresenceGuard};
pub use scope::CallScope;
pub use search::FileSearch;
pub use search_files::{MeaningMatches, SearchScope, WantedFiles, WantedLines};
pub use shown_files::ShownFiles;
pub use troubles::SessionTroubles;
pub use working_files::WorkingFiles;
pub use workspace::Workspace;

use crate::base::CallId;
use crate::base::clock::Clock;
use crate::journal::Journal;
use crate::memory::WorkspaceMemory;
use crate::ports::Editor;
use crate::protocol::{EditorNotice, Origin};
use crate::workspace::{
    DocumentStore, FolderDocuments, WorkspaceError, WorkspaceRoot, WorkspaceState, WorkspaceStore,
};
use earlier_calls::EarlierCalls;
use file_similarity::FileSimilarity;
use workspace::GovernanceSwap;

/// The state of one workspace folder while a process serves it.
#[derive(Debug)]
pub struct WorkspaceSession {
    workspace: Arc<Workspace>,
    files: Arc<SessionFiles>,
    search: Arc<FileSearch>,
    memory: Arc<WorkspaceMemory>,
    working_files: WorkingFiles,
    earlier: Arc<EarlierCalls>,
    log: Arc<SessionLog>,
    log_checks: LogChecks,
    lines: LineHistory,
    presence: Arc<Presence>,
    messages: PersonMessages,
    troubles: Arc<SessionTroubles>,
    editor: Arc<dyn Editor>,
    clock: Arc<dyn Clock>,
    /// True where it is one process of the command line.
    short_lived: bool,
}

/// The options of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The editor at the other end.
    pub editor: Arc<dyn Editor>,
    /// The documents that editors have open, in this folder and elsewhere.
    pub documents: Arc<DocumentStore>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// True where short-lived processes of one day share a log: the command line's.
    pub shared_log: bool,
    /// The person's state folder: [`crate::base::person::state_dir`].
    pub state: Option<PathBuf>,
}

impl WorkspaceSession {
    /// Opens the workspace at `path`.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn open(path: &str, options: SessionOptions) -> Result<Self, WorkspaceError> {
        let SessionOptions { editor, documents, clock, shared_log, state } = options;
        let root = Arc::new(WorkspaceRoot::open(Path::new(path))?);
        let state = Arc::new(WorkspaceState::new(root, state));
        // A killed process may leave half-written files. A failed sweep is made up for the next time.
        let _ = state.sweep_temporaries();
        let store = Arc::new(WorkspaceStore::new(state));
        let workspace = Arc::new(Workspace::new(store.clone()));
        let governance = workspace.governance();
        let settings = governance.settings();
        let memory = Arc::new(WorkspaceMemory::new(store, clock.clone(), settings.memory.half_life_min));
        let documents = FolderDocuments::new(documents, workspace.root());
        let files = Arc::new(SessionFiles::new(workspace.clone(), documents, shared_log));
        let troubles = Arc::new(SessionTroubles::new(editor.clone()));
        let log = SessionLog::new(workspace.clone(), clock.clone(), troubles.clone(), shared_log);
        let log = Arc::new(log);
        let presence = Arc::<Presence>::default();
        let messages =
            PersonMessages::new(workspace.clone(), presence.clone(), troubles.clone(), clock.clone());
        let search = FileSearch {
            workspace: workspace.clone(),
            files: files.clone(),
            memory: memory.clone(),
            editor: editor.clone(),
            finder: finder::FileFinder::default(),
            similarity: FileSimilarity::new(settings.embeddings.clone(), governance.no_model().cloned()),
        };
        let earlier = Arc::new(EarlierCalls::new(log.clone(), memory.clone(), presence.clone()));
        let working_files = WorkingFiles {
            earlier: earlier.clone(),
            memory: memory.clone(),
            workspace: workspace.clone(),
            files: files.clone(),
            log: log.clone(),
        };
        let lines = LineHistory::new(workspace.clone(), files.clone());
        let log_checks = LogChecks::new(log.clone());
        governance.warnings().iter().for_each(|warning| editor.tell(EditorNotice::Trouble(warning.clone())));
        Ok(Self {
            workspace,
            files,
            search: Arc::new(search),
            memory,
            working_files,
            earlier,
            log,
            log_checks,
            lines,
            presence,
            messages,
            troubles,
            editor,
            clock,
            short_lived: shared_log,
        })
    }

    /// The workspace: its root, what is kept of it, settings and rules.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The files, with what editors show of them.
    pub fn files(&self) -> &SessionFiles {
        &self.files
    }

    /// The searches.
    pub fn search(&self) -> &Arc<FileSearch> {
        &self.search
    }

    /// The memory of the files.
    pub fn memory(&self) -> &WorkspaceMemory {
        &self.memory
    }

    /// The files that matter now.
    pub fn working_files(&self) -> &WorkingFiles {
        &self.working_files
    }

    /// The session log.
    pub fn log(&self) -> &SessionLog {
        &self.log
    }

    /// Returns the checks of the logs of this folder's sessions: which of them were altered.
    pub fn log_checks(&self) -> &LogChecks {
        &self.log_checks
    }

    /// Returns the record of the call that each line comes from.
    pub fn line_history(&self) -> &LineHistory {
        &self.lines
    }

    /// Counts the calls that earlier processes of this session made as its own.
    pub fn count_earlier_calls(&self) {
        self.earlier.take_in();
    }

    /// Returns the agents that are there.
    pub fn presence(&self) -> &Arc<Presence> {
        &self.presence
    }

    /// The person's messages to agents.
    pub fn messages(&self) -> &PersonMessages {
        &self.messages
    }

    /// The troubles of the session so far.
    pub fn troubles(&self) -> &SessionTroubles {
        &self.troubles
    }

    /// The editor, or none.
    pub fn editor(&self) -> &dyn Editor {
        &*self.editor
    }

    /// Now, RFC 3339, to the millisecond.
    pub fn now(&self) -> String {
        format!("{:.3}", self.clock.now())
    }

    /// Keeps what searches need current from now on: for a process that stays.
    pub fn keep_current(&self) {
        self.search.keep_current();
    }

    /// Takes a call in: it is counted, the root is looked at, and it gets its id.
    ///
    /// # Errors
    /// NOT_FOUND where the root was removed, and what keeps the log from being written.
    pub fn begin_call(&self, origin: &Origin) -> Result<CallId, SessionError> {
        self.presence.count_call(origin);
        self.follow_root()?;
        Ok(self.log.next_call()?)
    }

    /// Opens the root again where another folder is at its path: a checkout made again, or one that was put back. Its
    /// settings count from then on.
    ///
    /// # Errors
    /// NOT_FOUND where the folder was removed.
    pub fn follow_root(&self) -> Result<(), WorkspaceError> {
        if self.workspace.follow_root()? {
            self.reconfigure();
            self.troubles.report_trouble(format!(
                "another folder stands at {} now; it is worked in from here on",
                self.workspace.root()
            ));
        }
        Ok(())
    }

    /// Reloads the settings files where they changed. It takes two looks at the disk where none did.
    ///
    /// # Errors
    /// INTERNAL where the files could not be read because of an internal error.
    pub async fn reload_settings(self: &Arc<Self>) -> Result<(), SessionError> {
        if self.workspace.is_current() {
            return Ok(());
        }
        let session = self.clone();
        let heard = tokio::task::spawn_blocking(move || {
            session.workspace.refresh_settings(|swap| session.apply_swap(swap))
        });
        heard.await.map_err(SessionError::Settings)
    }

    /// Reads the settings files again, with what the editor holds on top of the person's.
    pub fn configure(&self, client: Option<&Value>) {
        self.workspace.configure(client, |swap| self.apply_swap(swap));
    }

    /// Reads the settings files again, with what the editor holds already.
    pub fn reconfigure(&self) {
        self.workspace.reconfigure(|swap| self.apply_swap(swap));
    }

    /// Passes other settings and rules on to the parts of the session.
    fn apply_swap(&self, GovernanceSwap { before, now }: &GovernanceSwap) {
        if !Arc::ptr_eq(before.rules(), now.rules()) {
            // A text that was shown under other rules is not compared with any more.
            self.files.forget_shown_texts();
        }
        self.search.similarity.configure(now.settings().embeddings.as_ref(), now.no_model().cloned());
        self.memory.set_half_life(now.settings().memory.half_life_min);
        for warning in now.warnings().iter().filter(|warning| !before.warnings().contains(warning)) {
            self.editor.tell(EditorNotice::Trouble(warning.clone()));
        }
    }

    /// Returns the problems of the settings and of our folders, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.workspace.governance().problems();
        problems.extend(self.workspace.store().former_state_warning());
        let trouble = self.workspace.state().folder().known_trouble();
        problems.extend(trouble.map(|error| format!("nothing can be changed: {error}")));
        problems.extend(self.troubles.all_troubles());
        problems
    }

    /// Takes the troubles that no answer has reported yet, including those of the session log; the next call gets the
    /// later ones.
    pub fn take_unreported_troubles(&self) -> Vec<String> {
        let of_log = self.log.journal_if_open().map(Journal::troubles).unwrap_or_default();
        of_log.into_iter().for_each(|trouble| self.troubles.report_trouble(trouble));
        self.troubles.take_unreported()
    }

    /// Ends what runs in the background, and the log where it was opened.
    pub fn close(&self) {
        if !self.short_lived {
            self.working_files.drop_hints_of_agents();
        }
        self.search.stop_tasks();
        self.lines.keep_pending();
        self.log.close();
    }
}
