//! The answer to a call that changes something: the state of its change. The server makes it, and whoever has the answer
//! of the call reads it: an agent's hook, the proxy of its editor, the built-in agent, the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Envelope, HunkState, ProposalState};

/// The state of a change, as a call's answer reports it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeAnswer {
    /// The state in one word.
    pub status: ChangeStatus,
    /// The proposal; none if nothing had to be decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// The one path that is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The paths, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Its hunks, in the order of the files.
    pub hunks: Vec<AnsweredHunk>,
    /// The hash of the file after the change, which the next write may expect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The size of the file in bytes, after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// True if the file is open and unsaved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsaved: bool,
    /// The numbered lines around the change, as they are now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True if the change made the file or folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// Further members that the tool adds to the answer. They take precedence over those above.
    #[serde(flatten)]
    #[schemars(skip)]
    pub notes: Map<String, Value>,
    /// The call to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub next_action: Option<Value>,
}

/// The state of one hunk.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnsweredHunk {
    /// Its id in the proposal.
    pub id: String,
    /// Its file, where the change has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The decision on it.
    pub state: HunkState,
    /// Its first line, from 1.
    pub line: u32,
    /// The reason of the person or the policy that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its added text, if a person changed that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The difference between the agent's context and the file's, where it was placed in spite of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<String>,
    /// The effect of the hunk in words, where it has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// The state of a change in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeStatus {
    /// Every hunk is in place.
    Applied,
    /// Some hunks are in place, the others are not.
    PartlyApplied,
    /// No hunk was accepted.
    Rejected,
    /// A hunk waits for a decision.
    Pending,
    /// Nothing had to change.
    Unchanged,
    /// The text changed under all of it.
    Stale,
}

impl ChangeStatus {
    /// The state in words: `partly applied`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::PartlyApplied => "partly applied",
            Self::Rejected => "rejected",
            Self::Pending => "pending",
            Self::Unchanged => "unchanged",
            Self::Stale => "stale",
        }
    }

    /// Returns whether anything of the change is in place by a decision.
    pub fn is_written(self) -> bool {
        matches!(self, Self::Applied | Self::PartlyApplied)
    }
}

impl ChangeAnswer {
    /// Returns the answer for a proposal in this state.
    pub fn from_state(state: ProposalState) -> Self {
        Self::with_status(match state {
            ProposalState::Applied => ChangeStatus::Applied,
            ProposalState::PartlyApplied => ChangeStatus::PartlyApplied,
            ProposalState::Rejected => ChangeStatus::Rejected,
            ProposalState::Pending => ChangeStatus::Pending,
            ProposalState::Stale => ChangeStatus::Stale,
        })
    }

    /// The answer where nothing had to change.
    pub fn no_change() -> Self {
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

    /// Reads the result of a call; none where that is not about a change.
    pub fn from_result(result: &Value) -> Option<Self> {
        Self::deserialize(result).ok()
    }

    /// Reads the answer of a call, or what a fault says of its change; none where that is not about a change.
    pub fn from_envelope(envelope: &Envelope) -> Option<Self> {
        let details = envelope.error.as_ref().and_then(|fault| fault.details.as_ref());
        envelope.result.as_deref().or(details).and_then(Self::from_result)
    }

    /// The answer as JSON.
    pub fn into_value(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns whether the change is in place exactly as it was proposed.
    pub fn is_whole(&self) -> bool {
        let as_proposed = self.hunks.iter().all(|hunk| hunk.text.is_none());
        matches!(self.status, ChangeStatus::Applied | ChangeStatus::Unchanged) && as_proposed
    }

    /// The number of accepted hunks.
    pub fn accepted_count(&self) -> usize {
        self.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count()
    }

    /// The reasons of decisions, in the order of the hunks.
    pub fn reasons(&self) -> Vec<&str> {
        self.hunks.iter().filter_map(|hunk| hunk.reason.as_deref()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_result_of_another_call_is_no_answer_to_a_change() {
        for result in [
            json!({ "status": 404, "content": "x" }),
            json!({ "exit_code": 0 }),
            json!("applied"),
            Value::Null,
        ] {
            assert!(ChangeAnswer::from_result(&result).is_none(), "{result}");
        }
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let written = json!({
            "status": "partly_applied", "proposal": "p-1", "paths": ["a.txt", "b.txt"],
            "hunks": [{ "id": "h1", "path": "a.txt", "state": "rejected", "line": 3, "reason": "no" }],
            "exit_code": 1, "stdout": "x",
        });
        let answer = ChangeAnswer::from_result(&written).unwrap();
        assert_eq!(
            (answer.status, answer.accepted_count(), answer.reasons()),
            (ChangeStatus::PartlyApplied, 0, vec!["no"])
        );
        assert!(!answer.is_whole());
        assert_eq!(answer.into_value(), written);
    }

    #[test]
    fn a_change_is_whole_unless_a_person_wrote_another_text() {
        let whole = |hunk: Value| {
            ChangeAnswer::from_result(&json!({ "status": "applied", "hunks": [hunk] })).unwrap().is_whole()
        };
        assert!(whole(json!({ "id": "h1", "state": "accepted", "line": 1 })));
        assert!(!whole(json!({ "id": "h1", "state": "accepted", "line": 1, "text": "other\n" })));
    }
}
