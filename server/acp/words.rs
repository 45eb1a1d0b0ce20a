//! What became of a change, in words for the model that proposed it.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::{Delivery, HunkState};

/// Hunks that are named one by one.
const NAMED: usize = 40;

/// How a change stands, as calls answer it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChangeStanding {
    /// `applied`, `partly_applied`, `rejected`, `pending`, `unchanged` or `stale`.
    pub(super) status: String,
    /// The proposal, where something had to be decided.
    pub(super) proposal: Option<String>,
    path: Option<String>,
    paths: Option<Vec<String>>,
    hunks: Vec<StandingHunk>,
}

/// One hunk of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct StandingHunk {
    id: String,
    state: HunkState,
    line: u64,
    reason: Option<String>,
    /// What it adds, where a person changed that.
    text: Option<String>,
}

impl ChangeStanding {
    /// Reads the answer of a call, or the details of its fault; one that cannot be read says nothing.
    pub(super) fn read(value: &Value) -> Self {
        ChangeStanding::deserialize(value).unwrap_or_default()
    }

    /// Whether the change is in place as it was proposed, to the last byte.
    pub(super) fn is_whole(&self) -> bool {
        let as_proposed = self.hunks.iter().all(|hunk| hunk.text.is_none());
        matches!(self.status.as_str(), "applied" | "unchanged") && as_proposed
    }

    /// Whether somebody has to decide still.
    pub(super) fn is_pending(&self) -> bool {
        self.status == "pending"
    }

    fn files(&self) -> String {
        match (&self.path, &self.paths) {
            (Some(path), _) => path.clone(),
            (None, Some(paths)) => paths.join(", "),
            (None, None) => "the file".to_owned(),
        }
    }

    /// What became of it.
    pub(super) fn words(&self) -> String {
        let files = self.files();
        let count = |state| self.hunks.iter().filter(|hunk| hunk.state == state).count();
        let (accepted, all) = (count(HunkState::Accepted), self.hunks.len());
        let mut words = match (self.status.as_str(), accepted) {
            ("unchanged", _) => format!("wherefore: {files} is like this already."),
            ("pending", _) => format!("wherefore: nobody has decided yet on all of the change to {files}."),
            (_, 0) => format!(
                "wherefore: the person did not accept the change to {files}; nothing of it was written."
            ),
            (_, accepted) if accepted == all => {
                format!("wherefore: the person accepted the change to {files}; it is written already.")
            }
            (_, accepted) => format!(
                "wherefore: the person accepted {accepted} of the {all} parts of the change to {files}; those are \
                 written already, the others are not."
            ),
        };
        for hunk in self.hunks.iter().take(NAMED) {
            let _ = hunk.tell(&mut words);
        }
        if accepted < all {
            words.push_str(
                " Take this into account, do not propose the same again, and read the file before you change it again.",
            );
        }
        words
    }
}

impl StandingHunk {
    fn tell(&self, words: &mut String) -> std::fmt::Result {
        let Self { id, line, .. } = self;
        let reason = self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        match (self.state, reason, &self.text) {
            (HunkState::Rejected, Some(reason), _) => {
                write!(words, " Rejected: {id} at line {line}, since: {reason}")?;
                if !reason.ends_with(['.', '!', '?']) {
                    words.push('.');
                }
                Ok(())
            }
            (HunkState::Rejected, None, _) => {
                write!(words, " Rejected: {id} at line {line}, with no reason given.")
            }
            (HunkState::Stale, _, _) => {
                write!(words, " Not written: {id} at line {line}, since the text there changed meanwhile.")
            }
            (HunkState::Pending, _, _) => write!(words, " Not decided: {id} at line {line}."),
            (HunkState::Accepted, reason, Some(text)) => {
                write!(words, " Accepted with other lines: {id} at line {line} reads {text:?} now")?;
                reason.map_or(Ok(()), |reason| write!(words, ", since: {reason}"))?;
                words.push('.');
                Ok(())
            }
            (HunkState::Accepted, Some(reason), None) => {
                write!(words, " Accepted: {id} at line {line}, with the word: {reason}.")
            }
            (HunkState::Accepted, None, None) => Ok(()),
        }
    }
}

/// Decisions that were made after the agent was answered.
pub(super) fn later(deliveries: &[Delivery]) -> Vec<String> {
    let told = |delivery: &Delivery| {
        let hunks = delivery.hunks.iter().map(|hunk| StandingHunk {
            id: hunk.id.to_string(),
            state: hunk.state,
            line: 0,
            reason: hunk.reason.clone(),
            text: hunk.text.clone(),
        });
        let path = delivery.hunks.first().map(|hunk| hunk.path.to_string()).unwrap_or_default();
        let mut words = format!(
            "wherefore: your earlier change {} to {path} is {} now.",
            delivery.proposal,
            delivery.status.word().replace('_', " ")
        );
        for hunk in hunks.filter(|hunk| hunk.reason.is_some()).take(NAMED) {
            let state = hunk.state.word();
            let _ = write!(words, " {} is {state}: {}.", hunk.id, hunk.reason.unwrap_or_default());
        }
        words
    };
    deliveries.iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_reason_is_told_and_what_is_in_place() {
        let standing = ChangeStanding::read(&json!({
            "status": "partly_applied", "path": "a.txt", "hunks": [
                { "id": "h1", "state": "accepted", "line": 1 },
                { "id": "h2", "state": "rejected", "line": 3, "reason": "keep it lower case" },
                { "id": "h3", "state": "rejected", "line": 5 },
                { "id": "h4", "state": "accepted", "line": 7, "text": "x\n" },
                { "id": "h5", "state": "stale", "line": 9 },
            ],
        }));
        let words = standing.words();
        assert!(!standing.is_whole());
        for part in [
            "accepted 2 of the 5 parts of the change to a.txt",
            "Rejected: h2 at line 3, since: keep it lower case.",
            "Rejected: h3 at line 5, with no reason given.",
            "h4 at line 7 reads \"x\\n\" now",
            "Not written: h5",
            "do not propose the same again",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let whole =
            |hunk: Value| ChangeStanding::read(&json!({ "status": "applied", "hunks": [hunk] })).is_whole();
        assert!(whole(json!({ "id": "h1", "state": "accepted", "line": 1 })));
        assert!(!whole(json!({ "id": "h1", "state": "accepted", "line": 1, "text": "other\n" })));
        assert!(!ChangeStanding::read(&Value::Null).is_whole());
    }
}
