//! Notices to the editor, and questions to the person, while calls run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentEvent, CommandNotice, Fault, Origin, Proposal, Status};
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
    /// The caller.
    pub origin: Origin,
    /// The paths it names, relative to the root.
    pub paths: Vec<String>,
    /// True if it changes anything.
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
    /// The status of the call.
    pub status: Status,
    /// True if no code ran: the caller itself filled the result, or is to fill it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub latent: bool,
    /// The error, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// Set if the call ended well and its command did not: the ending of that, such as `exit code 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The duration, in milliseconds.
    pub duration_ms: f64,
}

/// A question that only a person can answer: the params of `wherefore/ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskParams {
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// The session of the call.
    pub session: String,
    /// The call that waits for the answer; empty if none does.
    pub call_id: CallId,
    /// The tool called; the server's name if a server of the Model Context Protocol is asked about.
    pub tool: String,
    /// The reason for the call; empty if the question is not about one call.
    pub why: String,
    /// The agent's name and version, if it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The whole question, readable without any context.
    pub text: String,
    /// The possible answers; the first one allows.
    pub answers: Vec<String>,
}

/// Answer of `wherefore/ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskAnswer {
    /// The chosen answer; none if the person dismissed the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// The cause for which a question to a person has no answer. None of them is a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// No one was there.
    Nobody,
    /// The person closed the question.
    Closed,
    /// No one answered in time.
    Late,
    /// The editor did not show it, or closed before an answer.
    Lost,
}

impl Unanswered {
    /// The time that a person has to answer.
    pub const TIMEOUT: Duration = Duration::from_secs(120);

    /// The cause, as a clause.
    pub fn to_clause(self) -> String {
        match self {
            Self::Nobody => "nobody is there to ask".to_owned(),
            Self::Closed => "the question was closed with no answer".to_owned(),
            Self::Late => format!("nobody answered within {} s", Self::TIMEOUT.as_secs()),
            Self::Lost => "the question was lost before anybody answered it".to_owned(),
        }
    }
}

/// The progress of background work of the server: `done` of `total` files. It is over when they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundWork {
    /// The name of the work, for a reader: `index`.
    pub what: &'static str,
    /// The folder that it is done for.
    pub root: String,
    /// Files done.
    pub done: usize,
    /// Files to be done.
    pub total: usize,
}

impl BackgroundWork {
    /// Returns whether another one reports the same work.
    pub fn is_same(&self, other: &Self) -> bool {
        self.what == other.what && self.root == other.root
    }
}

/// A notice to the editor.
#[derive(Clone, Debug, PartialEq)]
pub enum EditorNotice {
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
    /// Other files matter now than before.
    WorkingSet,
    /// Another server of a folder holds other hunks than before.
    HeldElsewhere,
    /// The progress of work in the background.
    Background(BackgroundWork),
    /// A problem that the person has to solve, as a sentence.
    Trouble(String),
}
