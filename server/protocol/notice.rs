//! What the editor is told, and the person asked, as calls go by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentEvent, CommandNotice, Fault, Origin, Proposal, SlotNotice, Status};
use crate::base::CallId;

/// A call began: the params of `wherefore/didCall`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct CallNotice {
    /// The call's id in the session log.
    pub call_id: CallId,
    /// The session whose log that is.
    pub session: String,
    /// The tool called.
    pub tool: String,
    /// Why.
    pub why: String,
    /// Who called.
    pub origin: Origin,
    /// The paths it names, relative to the root.
    pub paths: Vec<String>,
    /// Whether it changes anything.
    pub writes: bool,
    /// When, RFC 3339.
    pub time: String,
    /// The workspace's root, as a `file:` URI.
    pub root: String,
}

/// A call ended: the params of `wherefore/didFinish`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct FinishNotice {
    /// The call's id in the session log.
    pub call_id: CallId,
    /// The session whose log that is.
    pub session: String,
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// The tool called.
    pub tool: String,
    /// How it ended.
    pub status: Status,
    /// What went wrong, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
}

/// A question that only a person can answer: the params of `wherefore/ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskParams {
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// The session of the call.
    pub session: String,
    /// The call that waits for the answer; empty where none does.
    pub call_id: CallId,
    /// The tool called; the server's name where a server of the Model Context Protocol is asked about.
    pub tool: String,
    /// Why it is called; empty where the question is not about one call.
    pub why: String,
    /// The agent's name and version, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The question as a whole, for one who sees nothing else.
    pub text: String,
    /// What may be answered; the first one allows.
    pub answers: Vec<String>,
}

/// Answer of `wherefore/ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskAnswer {
    /// One of the answers; none where the person turned the question away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// How far something is that the server does by itself: `done` of `total` files. It is over where they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Background {
    /// What it is, for a reader: `index`.
    pub what: &'static str,
    /// The folder that it is done for.
    pub root: String,
    /// Files done.
    pub done: usize,
    /// Files to be done.
    pub total: usize,
}

impl Background {
    /// Whether another one tells of the same work.
    pub fn is_same(&self, other: &Self) -> bool {
        self.what == other.what && self.root == other.root
    }
}

/// One thing to tell the editor.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A call began.
    Call(CallNotice),
    /// A call ended, or was refused before it began.
    Finish(FinishNotice),
    /// A proposal arrived: the params of `wherefore/proposal`.
    Proposed(Proposal),
    /// A proposal's hunks moved or were decided: the params of `wherefore/proposalChanged`.
    Changed(Proposal),
    /// A file was removed whose document, by its URI, the editor still shows.
    Removed(String),
    /// A command runs: the params of `wherefore/command`.
    Command(CommandNotice),
    /// Something happened in a run of the built-in agent: the params of `wherefore/agentEvent`.
    Agent(AgentEvent),
    /// The IDE slot changed: the params of `wherefore/slot`.
    Slot(SlotNotice),
    /// Other files matter now than before.
    WorkingSet,
    /// How far work in the background is.
    Background(Background),
    /// Something that the person has to mend, as a sentence.
    Trouble(String),
}
