//! The answer to a call, through any door.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fault, HunkDecision, PersonMessage, ProposalState};
use crate::base::{CallId, ProposalId};

/// The status of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran; `result` holds its output.
    Ok,
    /// It did not, or not wholly; `error` gives the reason.
    Error,
    /// A person has not decided yet; `result.proposal` names the pending proposal.
    Pending,
    /// No activity runs it: the model fills `_output` by the schema in `result`.
    Latent,
}

impl Status {
    /// The word used in answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Pending => "pending",
            Self::Latent => "latent",
        }
    }
}

/// The state of a proposal when its agent learns of it with a later result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// Some hunk waits again.
    Pending,
    /// Every hunk was accepted and applied.
    Applied,
    /// Some hunks were applied.
    PartlyApplied,
    /// None was applied: a person or a policy rejected them.
    Rejected,
    /// None was applied: the text changed under every one.
    Stale,
    /// The whole call was taken back.
    Undone,
}

impl DeliveryStatus {
    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::PartlyApplied => "partly_applied",
            Self::Rejected => "rejected",
            Self::Stale => "stale",
            Self::Undone => "undone",
        }
    }
}

impl From<ProposalState> for DeliveryStatus {
    fn from(state: ProposalState) -> Self {
        match state {
            ProposalState::Pending => Self::Pending,
            ProposalState::Applied => Self::Applied,
            ProposalState::PartlyApplied => Self::PartlyApplied,
            ProposalState::Rejected => Self::Rejected,
            ProposalState::Stale => Self::Stale,
        }
    }
}

/// A decision made after its call was answered, brought with the agent's next result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct Delivery {
    /// The proposal decided on.
    pub proposal: ProposalId,
    /// The call that made it.
    pub call_id: CallId,
    /// `applied`, `partly_applied`, `rejected`, `stale` or `undone`.
    #[schemars(with = "String")]
    pub status: DeliveryStatus,
    /// Each hunk's decision.
    pub hunks: Vec<HunkDecision>,
}

/// The answer to a call: of `wherefore/call`, of a line of `call --batch`, of the socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct Envelope {
    /// The call's id in the session log; absent when it never became a call.
    pub call_id: CallId,
    /// The status of the call.
    pub status: Status,
    /// The tool's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Arc<Value>>,
    /// True if no code ran: the caller itself filled `result`, or is to fill it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub latent: bool,
    /// The reason why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// True if a limit cut the output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The way to get the rest of an output that was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// The content that a model gets instead of `result` as text: text, images, audio and resources, as content
    /// blocks of the Model Context Protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// Hints that the caller should do better next time (a mechanical `why`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Decisions on this agent's earlier calls, made since its last result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Delivery>,
    /// Messages of the person to this agent since its last result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<PersonMessage>,
}
