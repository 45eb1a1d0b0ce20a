//! The traits that exist for their fakes: the editor, the caller and the summariser.

use std::fmt::Debug;
use std::time::Duration;

use futures::future::BoxFuture;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::{CallId, ProposalId};
use crate::protocol::{AskParams, CallNotice, Code, Fault, LookAnswer, LookParams, Notice};

/// One replacement of whole lines in a document the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// First line replaced, counted from 0.
    pub start: u32,
    /// How many lines are replaced.
    pub count: u32,
    /// What stands there afterwards, each line with its end.
    pub text: String,
}

/// An edit of one open document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    /// The document's URI, as the editor gave it.
    pub uri: String,
    /// The version the edit is made for.
    pub version: i32,
    /// The replacements, in order, none overlapping.
    pub edits: Vec<LineEdit>,
    /// What the person sees it called.
    pub label: String,
    /// Whether the document was as on the disk, so that it is to be saved afterwards.
    pub save: bool,
}

/// Another path for a file that the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRename {
    /// The document's URI, as the editor gave it.
    pub from: String,
    /// The URI that it is to have.
    pub to: String,
    /// What the person sees it called.
    pub label: String,
}

/// The editor at the other end, or none.
pub trait Editor: Send + Sync + Debug {
    /// Whether anyone is there to show a proposal to.
    fn attached(&self) -> bool;

    /// What it is called, where it says so.
    fn name(&self) -> Option<String> {
        None
    }

    /// Whether it has documents, and takes edits of them. One that only shows what waits has none.
    fn edits(&self) -> bool {
        true
    }

    /// Whether it has the document of a URI open, in that version.
    fn holds(&self, _uri: &str, _version: i32) -> bool {
        false
    }

    /// Asks for an edit. `Ok(true)` is only a claim: read the document back. Bounded in time.
    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>>;

    /// Whether it renames files itself, with the documents that show them.
    fn renames(&self) -> bool {
        false
    }

    /// Asks for a rename. `Ok(true)` is only a claim: look at the disk. Bounded in time.
    fn rename(&self, _: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Err("this editor renames no files for its language servers".to_owned()) })
    }

    /// Shows a question; nothing means no. Bounded in time.
    fn ask(&self, question: AskParams) -> BoxFuture<'_, Option<String>>;

    /// Asks what the person has before them; nothing where it does not say. Bounded in time.
    fn look(&self, _: LookParams) -> BoxFuture<'_, Option<LookAnswer>> {
        Box::pin(async { None })
    }

    /// Has it save the document of a URI; whether it did. Bounded in time.
    fn save(&self, _: String) -> BoxFuture<'_, bool> {
        Box::pin(async { false })
    }

    /// Has it show the document of a URI; whether it did. Bounded in time.
    fn open(&self, _: String) -> BoxFuture<'_, bool> {
        Box::pin(async { false })
    }

    /// Tells it something; never waits.
    fn tell(&self, notice: Notice);

    /// Whether it shows the output of commands while they run.
    fn shows_commands(&self) -> bool {
        false
    }

    /// Tells it that a call began; never waits. Where calls come too many to be told one by one it is only
    /// counted, and the notice is not made.
    fn tell_call(&self, notice: &dyn Fn() -> CallNotice) {
        self.tell(Notice::Call(notice()));
    }
}

/// Asks about hosts that a running call comes to, and did not declare: where a URL redirects to.
pub trait HostGate: Send + Sync + Debug {
    /// Lets the call reach a host, or says why not.
    fn reach<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<(), Fault>>;
}

/// No editor: nobody to ask, nothing to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEditor;

impl Editor for NoEditor {
    fn attached(&self) -> bool {
        false
    }

    fn apply(&self, _: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Err("no editor is attached".to_owned()) })
    }

    fn ask(&self, _: AskParams) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { None })
    }

    fn tell(&self, _: Notice) {}

    fn tell_call(&self, _: &dyn Fn() -> CallNotice) {}
}

/// What a tool asks of whoever called it, while the call runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The person behind it fills in a form.
    Form {
        /// What the person reads.
        message: String,
        /// The form, as a flat JSON Schema: the Model Context Protocol's `requestedSchema`.
        schema: Value,
    },
    /// Its model writes a message: the params of the Model Context Protocol's `sampling/createMessage`.
    Sample(Value),
    /// The folders it works in.
    Roots,
}

/// Whoever made a call, for as long as it waits for the answer.
pub trait Caller: Send + Sync + Debug {
    /// Tells how far the call is: a message, and the percentage where it is known. Never waits.
    fn progress(&self, message: &str, percentage: Option<u32>);

    /// Tells what the call waits for; nothing once it waits no more. Never waits.
    fn waiting(&self, what: Option<&str>) {
        if let Some(what) = what {
            self.progress(what, None);
        }
    }

    /// Seconds that it waits for an answer, where that is known.
    fn patience_s(&self) -> Option<u64> {
        None
    }

    /// Tells it something for its own log, under one of syslog's levels (`info`). Never waits.
    fn log(&self, _level: &str, _data: Value) {}

    /// Whether it can put a form to a person while the call goes on.
    fn waits(&self) -> bool {
        false
    }

    /// The command that the caller runs itself; nothing where the server runs it.
    fn command(&self) -> Option<&dyn AttachedCommand> {
        None
    }

    /// Whether a person there answers what the rules ask, and decides on changes, in place of the editor's.
    fn decides(&self) -> bool {
        false
    }

    /// How long its changes wait for decisions, whatever the settings say of clients; nothing where those count.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Puts a question to the person there; nothing means no.
    fn question(&self, _: AskParams) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { None })
    }

    /// Waits until the person there says that they decide on a proposal later.
    fn left<'a>(&'a self, _: &'a ProposalId) -> BoxFuture<'a, ()> {
        Box::pin(std::future::pending())
    }

    /// Tells it that a change of its call waits for a decision. Never waits.
    fn proposed(&self, _: &ProposalId, _: &CallId) {}

    /// Asks several things at once, each under a key that the answer stands under too: what a form holds, with its
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
    /// Lets the command run, now that its call may, and waits for its end. `layered` says whether what it changes is kept
    /// apart, to be decided on.
    ///
    /// # Errors
    /// CANCELLED where the caller is gone.
    fn run(&self, layered: bool) -> BoxFuture<'_, Result<AttachedReport, Fault>>;

    /// Whether a person was asked about it at its caller's, and said yes.
    fn is_allowed(&self) -> bool {
        false
    }
}

/// How a command ended that its caller ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AttachedReport {
    /// Its exit code; none where a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it, as `SIGKILL`.
    pub signal: Option<String>,
    /// The limit that ended it, as an answer names it: `time`.
    pub limit: Option<String>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// The most memory it took, in bytes.
    pub peak_memory: u64,
    /// What confined it: the tier, in words.
    pub sandbox: String,
    /// Changes that are not taken, a sentence each.
    pub left_out: Vec<String>,
    /// What it changed and is kept apart, as a diff of git's.
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

/// How a summary is to read.
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

/// One statement of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement, as Markdown on one line.
    pub text: String,
    /// The line of the source that it comes from, counted from 1.
    pub line: Option<u32>,
    /// How deep it stands in an outline.
    pub depth: usize,
}

/// The summary of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The source's path.
    pub path: String,
    /// What is said of it, in order.
    pub statements: Vec<Statement>,
}

/// What shortens texts.
pub trait Summarizer: Send + Sync + Debug {
    /// What a reader is told it is: a model's name, or `extractive`.
    fn by(&self) -> &str;

    /// A section for each source, in their order. Bounded in time.
    ///
    /// # Errors
    /// What the model, or the way to it, says.
    fn summarize(&self, sources: Vec<Source>, style: Style) -> BoxFuture<'_, Result<Vec<Section>, Fault>>;
}
