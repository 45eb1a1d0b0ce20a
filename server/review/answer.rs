//! The answer to a call that changes something: how its change stands.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::protocol::{HunkState, ProposalState};

/// How a change stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answer {
    pub(super) status: ChangeStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposal: Option<String>,
    /// The one path that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// The paths, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paths: Option<Vec<String>>,
    pub(super) hunks: Vec<AnsweredHunk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) unsaved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) created: bool,
    /// What the tool says beside it. Its members count before those above.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(super) notes: Map<String, Value>,
    /// The call to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_action: Option<Value>,
}

/// How one hunk stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnsweredHunk {
    pub(super) id: String,
    pub(super) state: HunkState,
    pub(super) line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loose: Option<String>,
    /// What it does, where it has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) what: Option<String>,
}

/// How a change stands, in a word.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChangeStatus {
    Applied,
    PartlyApplied,
    Rejected,
    Pending,
    Unchanged,
    Stale,
}

impl Answer {
    /// The answer on a proposal that stands so.
    pub(super) fn of(state: ProposalState) -> Self {
        Self::with(match state {
            ProposalState::Applied => ChangeStatus::Applied,
            ProposalState::PartlyApplied => ChangeStatus::PartlyApplied,
            ProposalState::Rejected => ChangeStatus::Rejected,
            ProposalState::Pending => ChangeStatus::Pending,
            ProposalState::Stale => ChangeStatus::Stale,
        })
    }

    /// The answer where nothing had to change.
    pub(super) fn unchanged() -> Self {
        Self::with(ChangeStatus::Unchanged)
    }

    fn with(status: ChangeStatus) -> Self {
        Self {
            status,
            proposal: None,
            path: None,
            paths: None,
            hunks: Vec::new(),
            hash: None,
            unsaved: false,
            text: None,
            created: false,
            notes: Map::new(),
            next_action: None,
        }
    }

    /// The answer as JSON.
    pub(super) fn value(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
