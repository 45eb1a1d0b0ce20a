//! The outcome of a change by the answer of its call, in words for the model that proposed it.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::HunkState;

/// Hunks that are named one by one.
pub(super) const NAMED: usize = 40;

/// The outcome of a change, as calls answer it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChangeOutcome {
    /// `applied`, `partly_applied`, `rejected`, `pending`, `unchanged` or `stale`.
    pub status: String,
    /// The proposal; none if nothing had to be decided.
    pub proposal: Option<String>,
    path: Option<String>,
    paths: Option<Vec<String>>,
    pub(super) hunks: Vec<HunkOutcome>,
}

/// The outcome of one hunk.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HunkOutcome {
    id: String,
    /// Its file, where the change has several.
    path: Option<String>,
    state: HunkState,
    line: u64,
    reason: Option<String>,
    /// Its added text, if a person changed that.
    text: Option<String>,
}

impl ChangeOutcome {
    /// Reads the answer of a call, or the details of its fault; an empty outcome if that fails.
    pub fn read(value: &Value) -> Self {
        ChangeOutcome::deserialize(value).unwrap_or_default()
    }

    /// Returns whether the change is in place exactly as it was proposed.
    pub fn is_whole(&self) -> bool {
        let as_proposed = self.hunks.iter().all(|hunk| hunk.text.is_none());
        matches!(self.status.as_str(), "applied" | "unchanged") && as_proposed
    }

    /// Returns whether a decision is still open.
    pub fn is_pending(&self) -> bool {
        self.status == "pending"
    }

    /// The number of accepted hunks.
    pub(super) fn accepted_count(&self) -> usize {
        self.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count()
    }

    /// The outcomes of the hunks worth reporting, a sentence each.
    pub(super) fn hunk_sentences(&self) -> impl Iterator<Item = String> {
        let sentence = |hunk: &HunkOutcome| {
            let mut words = String::new();
            let _ = hunk.write_sentence(&mut words);
            words
        };
        self.hunks.iter().take(NAMED).map(sentence).filter(|sentence| !sentence.is_empty())
    }

    /// Its files, if the answer names them.
    pub(super) fn file_names(&self) -> String {
        match (&self.path, &self.paths) {
            (Some(path), _) => path.clone(),
            (None, Some(paths)) => paths.join(", "),
            (None, None) => "the file".to_owned(),
        }
    }

    /// The outcome in words.
    pub fn outcome_text(&self) -> String {
        let files = self.file_names();
        let (accepted, all) = (self.accepted_count(), self.hunks.len());
        let mut words = match (self.status.as_str(), accepted) {
            ("unchanged", _) => format!("wherefore: {files} is like this already."),
            ("pending", _) => format!("wherefore: nobody has decided yet on all of the change to {files}."),
            (_, 0) => {
                format!("wherefore: the change to {files} was not accepted; nothing of it was written.")
            }
            (_, accepted) if accepted == all => {
                format!("wherefore: the change to {files} was accepted; it is written already.")
            }
            (_, accepted) => format!(
                "wherefore: {accepted} of the {all} parts of the change to {files} were accepted; those are written \
                 already, the others are not."
            ),
        };
        for sentence in self.hunk_sentences() {
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

impl HunkOutcome {
    fn write_sentence(&self, words: &mut String) -> std::fmt::Result {
        let Self { id, line, .. } = self;
        let of_path = self.path.as_deref().map(|path| format!(" of {path}")).unwrap_or_default();
        let place = format!("hunk {id} at line {line}{of_path}");
        let reason = self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        match (self.state, reason, &self.text) {
            (HunkState::Rejected, Some(reason), _) => {
                write!(words, "Rejected: {place}, since: {reason}")?;
                if !reason.ends_with(['.', '!', '?']) {
                    words.push('.');
                }
                Ok(())
            }
            (HunkState::Rejected, None, _) => write!(words, "Rejected: {place}, with no reason given."),
            (HunkState::Stale, _, _) => {
                write!(words, "Not written: {place}, since the text there changed meanwhile.")
            }
            (HunkState::Pending, _, _) => write!(words, "Not decided: {place}."),
            (HunkState::Accepted, reason, Some(text)) => {
                write!(words, "Accepted with other lines: {place} reads {text:?} now")?;
                reason.map_or(Ok(()), |reason| write!(words, ", since: {reason}"))?;
                words.push('.');
                Ok(())
            }
            (HunkState::Accepted, Some(reason), None) => {
                write!(words, "Accepted: {place}, with the word: {reason}.")
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
        let standing = ChangeOutcome::read(&json!({
            "status": "partly_applied", "path": "a.txt", "hunks": [
                { "id": "h1", "state": "accepted", "line": 1 },
                { "id": "h2", "state": "rejected", "line": 3, "reason": "keep it lower case" },
                { "id": "h3", "state": "rejected", "line": 5 },
                { "id": "h4", "state": "accepted", "line": 7, "text": "x\n" },
                { "id": "h5", "state": "stale", "line": 9 },
            ],
        }));
        let words = standing.outcome_text();
        assert!(!standing.is_whole());
        for part in [
            "2 of the 5 parts of the change to a.txt were accepted",
            "Rejected: hunk h2 at line 3, since: keep it lower case.",
            "Rejected: hunk h3 at line 5, with no reason given.",
            "h4 at line 7 reads \"x\\n\" now",
            "Not written: hunk h5",
            "do not propose the same again",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let several = ChangeOutcome::read(&json!({
            "status": "rejected", "paths": ["a.txt", "b.txt"],
            "hunks": [{ "id": "h2", "path": "b.txt", "state": "rejected", "line": 3, "reason": "no" }],
        }));
        let words = several.outcome_text();
        assert!(words.contains("Rejected: hunk h2 at line 3 of b.txt, since: no."), "{words}");
        let whole =
            |hunk: Value| ChangeOutcome::read(&json!({ "status": "applied", "hunks": [hunk] })).is_whole();
        assert!(whole(json!({ "id": "h1", "state": "accepted", "line": 1 })));
        assert!(!whole(json!({ "id": "h1", "state": "accepted", "line": 1, "text": "other\n" })));
        assert!(!ChangeOutcome::read(&Value::Null).is_whole());
    }
}
