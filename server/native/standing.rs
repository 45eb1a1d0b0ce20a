//! How a change stands by the answer of its call, in words for the model that proposed it.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::HunkState;

/// Hunks that are named one by one.
pub(super) const NAMED: usize = 40;

/// How a change stands, as calls answer it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChangeStanding {
    /// `applied`, `partly_applied`, `rejected`, `pending`, `unchanged` or `stale`.
    pub status: String,
    /// The proposal, where something had to be decided.
    pub proposal: Option<String>,
    path: Option<String>,
    paths: Option<Vec<String>>,
    pub(super) hunks: Vec<StandingHunk>,
}

/// One hunk of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StandingHunk {
    id: String,
    state: HunkState,
    line: u64,
    reason: Option<String>,
    /// What it adds, where a person changed that.
    text: Option<String>,
}

impl ChangeStanding {
    /// Reads the answer of a call, or the details of its fault; one that cannot be read says nothing.
    pub fn read(value: &Value) -> Self {
        ChangeStanding::deserialize(value).unwrap_or_default()
    }

    /// Whether the change is in place as it was proposed, to the last byte.
    pub fn is_whole(&self) -> bool {
        let as_proposed = self.hunks.iter().all(|hunk| hunk.text.is_none());
        matches!(self.status.as_str(), "applied" | "unchanged") && as_proposed
    }

    /// Whether somebody has to decide still.
    pub fn is_pending(&self) -> bool {
        self.status == "pending"
    }

    /// How many of its hunks were accepted.
    pub(super) fn accepted(&self) -> usize {
        self.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count()
    }

    /// What became of each hunk of which something has to be said, a sentence each.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let sentence = |hunk: &StandingHunk| {
            let mut words = String::new();
            let _ = hunk.tell(&mut words);
            words
        };
        self.hunks.iter().take(NAMED).map(sentence).filter(|sentence| !sentence.is_empty())
    }

    /// Its files, as far as the answer names them.
    pub(super) fn files(&self) -> String {
        match (&self.path, &self.paths) {
            (Some(path), _) => path.clone(),
            (None, Some(paths)) => paths.join(", "),
            (None, None) => "the file".to_owned(),
        }
    }

    /// What became of it.
    pub fn words(&self) -> String {
        let files = self.files();
        let (accepted, all) = (self.accepted(), self.hunks.len());
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
        for sentence in self.sentences() {
            let _ = write!(words, " {sentence}");
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
                write!(words, "Rejected: hunk {id} at line {line}, since: {reason}")?;
                if !reason.ends_with(['.', '!', '?']) {
                    words.push('.');
                }
                Ok(())
            }
            (HunkState::Rejected, None, _) => {
                write!(words, "Rejected: hunk {id} at line {line}, with no reason given.")
            }
            (HunkState::Stale, _, _) => {
                write!(
                    words,
                    "Not written: hunk {id} at line {line}, since the text there changed meanwhile."
                )
            }
            (HunkState::Pending, _, _) => write!(words, "Not decided: hunk {id} at line {line}."),
            (HunkState::Accepted, reason, Some(text)) => {
                write!(words, "Accepted with other lines: hunk {id} at line {line} reads {text:?} now")?;
                reason.map_or(Ok(()), |reason| write!(words, ", since: {reason}"))?;
                words.push('.');
                Ok(())
            }
            (HunkState::Accepted, Some(reason), None) => {
                write!(words, "Accepted: hunk {id} at line {line}, with the word: {reason}.")
            }
            (HunkState::Accepted, None, None) => Ok(()),
        }
    }
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
            "Rejected: hunk h2 at line 3, since: keep it lower case.",
            "Rejected: hunk h3 at line 5, with no reason given.",
            "h4 at line 7 reads \"x\\n\" now",
            "Not written: hunk h5",
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
