//! What the editor is told as calls go by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Origin, Proposal, Status};

/// A call began: the params of `wherefore/didCall`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct CallNotice {
    /// The call's id in the session log.
    pub call_id: String,
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
    pub call_id: String,
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
    /// Other files matter now than before.
    WorkingSet,
}
