//! The traits that exist for their fakes: the editor, the caller and the summariser.

use std::fmt::Debug;
use std::time::Duration;

use futures::future::BoxFuture;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::{CallId, ProposalId};
use crate::protocol::{
    AskParams, CallNotice, Code, DiagnosticsAnswer, DiagnosticsParams, DirectWrites, EditorNotice, Fault,
    LineEdit, Unanswered,
};

/// An edit of one open document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    /// The document's URI, as the editor gave it.
    pub uri: String,
    /// The version the edit is made for.
    pub version: i32,
    /// The replacements, in order, none overlapping.
    pub edits: Vec<LineEdit>,
    /// The name of the edit for the person.
    pub label: String,
    /// True if the document had no unsaved changes before, so that it is saved after the edit.
    pub save: bool,
}

/// Another path for a file that the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRename {
    /// The document's URI, as the editor gave it.
    pub from: String,
    /// The URI that it is to have.
    pub to: String,
    /// The name of the change for the person.
    pub label: String,
}

/// The editor at the other end, or none.
pub trait Editor: Send + Sync + Debug {
    /// Returns whether a client is connected that can show a proposal.
    fn attached(&self) -> bool;

    /// Returns the name of the editor, if it gave one.
    fn name(&self) -> Option<String> {
        None
    }

    /// Returns whether it has documents and applies edits of them. A client that only shows proposals does not.
    fn edits(&self) -> bool {
        true
    }

    /// Returns whether it has the document of a URI open, in that version.
    fn holds(&self, _uri: &str, _version: i32) -> bool {
        false
    }

    /// Asks for an edit. `Ok(true)` is only a claim: read the document back. Bounded in time.
    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>>;

    /// Returns whether it renames files itself, together with the documents that show them.
    fn renames(&self) -> bool {
        false
    }

    /// Asks for a rename. `Ok(true)` is only a claim: look at the disk. Bounded in time.
    fn rename(&self, _: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Err("this editor renames no files for its language servers".to_owned()) })
    }

    /// Shows a question, and gives the answer. Bounded in time.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn ask(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>>;

    /// Asks for its language servers' diagnostics of files. Bounded in time.
    ///
    /// # Errors
    /// UNSUPPORTED if no editor has diagnostics; TIMEOUT if it does not answer.
    fn diagnostics(&self, _: DiagnosticsParams) -> BoxFuture<'_, Result<DiagnosticsAnswer, Fault>> {
        Box::pin(async { Err(Fault::new(Code::Unsupported, "no editor has the folder open")) })
    }

    /// Sends it a notice; never waits.
    fn tell(&self, notice: EditorNotice);

    /// Returns whether it shows the output of commands while they run.
    fn shows_commands(&self) -> bool {
        false
    }

    /// Notifies it that a call began, which `writes` or only reads; never waits. If there are too many calls to report each of
    /// them, one that only reads is counted, and its notice is not made.
    fn tell_call(&self, _writes: bool, notice: &dyn Fn() -> CallNotice) {
        self.tell(EditorNotice::Call(notice()));
    }
}

/// Asks about hosts that a running call comes to, and did not declare: where a URL redirects to.
pub trait HostGate: Send + Sync + Debug {
    /// Allows the call to reach a host, or returns the fault that refuses it.
    fn reach<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<(), Fault>>;
}

/// The absence of an editor: it answers no question and shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEditor;

impl Editor for NoEditor {
    fn attached(&self) -> bool {
        false
    }

    fn apply(&self, _: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Err("no editor is attached".to_owned()) })
    }

    fn ask(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async { Err(Unanswered::Nobody) })
    }

    fn tell(&self, _: EditorNotice) {}

    fn tell_call(&self, _: bool, _: &dyn Fn() -> CallNotice) {}
}

/// A question of a tool to its caller, while the call runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The person behind it fills in a form.
    Form {
        /// The text for the person.
        message: String,
        /// The form, as a flat JSON Schema: the Model Context Protocol's `requestedSchema`.
        schema: Value,
    },
    /// Its model writes a message: the params of the Model Context Protocol's `sampling/createMessage`.
    Sample(Value),
    /// The folders it works in.
    Roots,
}

/// The maker of a call, for as long as it waits for the answer.
pub trait Caller: Send + Sync + Debug {
    /// Reports the progress of the call: a message, and the percentage if it is known. Never waits.
    fn progress(&self, message: &str, percentage: Option<u32>);

    /// Reports the reason for which the call waits; none once it waits no more. Never waits.
    fn waiting(&self, what: Option<&str>) {
        if let Some(what) = what {
            self.progress(what, None);
        }
    }

    /// Seconds that it waits for an answer, where that is known.
    fn patience_s(&self) -> Option<u64> {
        None
    }

    /// Sends it a message for its own log, under one of syslog's levels (`info`). Never waits.
    fn log(&self, _level: &str, _data: Value) {}

    /// Returns whether it can show a form to a person while the call goes on.
    fn waits(&self) -> bool {
        false
    }

    /// The command that the caller runs itself; nothing where the server runs it.
    fn command(&self) -> Option<&dyn AttachedCommand> {
        None
    }

    /// Returns whether a person there answers the questions of the rules and decides on changes, in place of the editor's.
    fn decides(&self) -> bool {
        false
    }

    /// Returns whether a person there answers the questions of the rules, in place of the editor's.
    fn answers_rules(&self) -> bool {
        self.decides()
    }

    /// The time for which its changes wait for decisions, in place of the settings' time for clients; none if the settings apply.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Puts a question to the person there, and gives the answer.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn question(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async { Err(Unanswered::Nobody) })
    }

    /// Waits until the person there chooses to decide on a proposal later.
    fn left<'a>(&'a self, _: &'a ProposalId) -> BoxFuture<'a, ()> {
        Box::pin(std::future::pending())
    }

    /// Notifies it that a change of its call waits for a decision. Never waits.
    fn proposed(&self, _: &ProposalId, _: &CallId) {}

    /// Asks several questions at once, and returns each answer under the key of its question: the values of a form, with its
    /// `action`; a message; `roots`.
    ///
    /// # Errors
    /// UNSUPPORTED where it cannot be asked; CANCELLED where it makes the same call again with its answers.
    fn ask(&self, _asks: Vec<(String, Ask)>) -> BoxFuture<'_, Result<Map<String, Value>, Fault>> {
        Box::pin(async {
            Err(Fault::new(Code::Unsupported, "this client cannot be asked while a call runs"))
        })
    }
}

/// A command that its caller runs itself, confined, on its own terminal.
pub trait AttachedCommand: Send + Sync + Debug {
    /// Allows the command to run, now that its call is allowed, and waits for its end.
    ///
    /// # Errors
    /// CANCELLED where the caller is gone.
    fn run(&self, grant: AttachedGrant) -> BoxFuture<'_, Result<AttachedReport, Fault>>;

    /// Returns whether a person was asked about it by its caller, and allowed it.
    fn is_allowed(&self) -> bool {
        false
    }
}

/// The permission of a command to run at its caller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttachedGrant {
    /// True if its changes are kept in a layer, to be decided on.
    pub layered: bool,
    /// The network that it shares with other commands of its session.
    pub network: Option<SharedNetwork>,
}

/// A network that commands of a session share, as another process of the person's finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SharedNetwork {
    /// The number of the process that keeps it.
    pub keeper: u32,
    /// The device of the namespace's file.
    pub device: u64,
    /// The inode of the namespace's file.
    pub inode: u64,
}

/// The end of a command that its caller ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AttachedReport {
    /// Its exit code; none where a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it, as `SIGKILL`.
    pub signal: Option<String>,
    /// The limit that ended it, as an answer names it: `time`.
    pub limit: Option<String>,
    /// Its duration in milliseconds.
    pub duration_ms: u64,
    /// The most memory it took, in bytes.
    pub peak_memory: u64,
    /// The tier of the sandbox that confined it, in words.
    pub sandbox: String,
    /// Changes that are not taken, a sentence each.
    pub left_out: Vec<String>,
    /// Its changes of paths that git ignores, which are written already.
    pub written: Vec<DirectWrites>,
    /// Its changes that are kept in a layer, as a diff of git's.
    pub diff: String,
}

/// A text to be summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path, relative to the root.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The form of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A list.
    #[default]
    Bullet,
    /// Running text.
    Narrative,
    /// An outline.
    Schema,
}

/// A statement of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement, as Markdown on one line.
    pub text: String,
    /// The line of the source that it comes from, counted from 1.
    pub line: Option<u32>,
    /// The depth in an outline.
    pub depth: usize,
}

/// The summary of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The source's path.
    pub path: String,
    /// The statements about it, in order.
    pub statements: Vec<Statement>,
}

/// A way to shorten texts.
pub trait Summarizer: Send + Sync + Debug {
    /// The name of it for a reader: a model's name, or `extractive`.
    fn by(&self) -> &str;

    /// A section for each source, in their order. Bounded in time.
    ///
    /// # Errors
    /// The fault of the model, or of the connection to it.
    fn summarize(&self, sources: Vec<Source>, style: Style) -> BoxFuture<'_, Result<Vec<Section>, Fault>>;
}
