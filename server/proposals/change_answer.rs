//! The answer to a call that changes something: the state of its change.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::protocol::{HunkState, ProposalState};

/// The state of a change, as a call's answer reports it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeAnswer {
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
    /// The size of the file in bytes, after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) unsaved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) created: bool,
    /// Further members that the tool adds to the answer. They take precedence over those above.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(super) notes: Map<String, Value>,
    /// The call to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) next_action: Option<Value>,
}

/// The state of one hunk.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnsweredHunk {
    pub(super) id: String,
    /// Its file, where the change has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    pub(super) state: HunkState,
    pub(super) line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loose: Option<String>,
    /// The effect of the hunk in words, where it has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) what: Option<String>,
}

/// The state of a change in one word.
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

impl ChangeAnswer {
    /// Returns the answer for a proposal in this state.
    pub(super) fn from_state(state: ProposalState) -> Self {
        Self::with_status(match state {
            ProposalState::Applied => ChangeStatus::Applied,
            ProposalState::PartlyApplied => ChangeStatus::PartlyApplied,
            ProposalState::Rejected => ChangeStatus::Rejected,
            ProposalState::Pending => ChangeStatus::Pending,
            ProposalState::Stale => ChangeStatus::Stale,
        })
    }

    /// The answer where nothing had to change.
    pub(super) fn no_change() -> Self {
        Self::with_status(ChangeStatus::Unchanged)
    }

    fn with_status(status: ChangeStatus) -> Self {
        Self {
            status,
            proposal: None,
            path: None,
            paths: None,
            hunks: Vec::new(),
            hash: None,
            bytes: None,
            unsaved: false,
            text: None,
            created: false,
            notes: Map::new(),
            next_action: None,
        }
    }

    /// The answer as JSON.
    pub(super) fn into_value(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
