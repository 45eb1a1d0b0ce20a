//! The answer to a change in words for the model that proposed it.

use std::fmt::Write;

use crate::protocol::{AnsweredHunk, ChangeAnswer, ChangeStatus, HunkState};

/// Hunks that are named one by one.
pub(super) const NAMED: usize = 40;

/// The outcomes of the hunks worth reporting, a sentence each.
pub(super) fn hunk_sentences(answer: &ChangeAnswer) -> impl Iterator<Item = String> {
    let sentence = |hunk: &AnsweredHunk| {
        let mut words = String::new();
        let _ = write_sentence(hunk, &mut words);
        words
    };
    answer.hunks.iter().take(NAMED).map(sentence).filter(|sentence| !sentence.is_empty())
}

/// The files of a change, if its answer names them.
pub(super) fn file_names(answer: &ChangeAnswer) -> String {
    match (&answer.path, &answer.paths) {
        (Some(path), _) => path.clone(),
        (None, Some(paths)) => paths.join(", "),
        (None, None) => "the file".to_owned(),
    }
}

/// The outcome of a change in words.
pub fn change_text(answer: &ChangeAnswer) -> String {
    let files = file_names(answer);
    let (accepted, all) = (answer.accepted_count(), answer.hunks.len());
    let mut words = match (answer.status, accepted) {
        (ChangeStatus::Unchanged, _) => format!("wherefore: {files} is like this already."),
        (ChangeStatus::Pending, _) => {
            format!("wherefore: nobody has decided yet on all of the change to {files}.")
        }
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
    for sentence in hunk_sentences(answer) {
        let _ = write!(words, " {sentence}");
    }
    if accepted < all {
        words.push_str(
                " Take this into account, do not propose the same again, and read the file before you change it again.",
            );
    }
    words
}

fn write_sentence(hunk: &AnsweredHunk, words: &mut String) -> std::fmt::Result {
    let AnsweredHunk { id, line, .. } = hunk;
    let of_path = hunk.path.as_deref().map(|path| format!(" of {path}")).unwrap_or_default();
    let place = format!("hunk {id} at line {line}{of_path}");
    let reason = hunk.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    match (hunk.state, reason, &hunk.text) {
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
#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_reason_is_told_and_what_is_in_place() {
        let read = |answer| ChangeAnswer::from_result(&answer).unwrap();
        let words = change_text(&read(json!({
            "status": "partly_applied", "path": "a.txt", "hunks": [
                { "id": "h1", "state": "accepted", "line": 1 },
                { "id": "h2", "state": "rejected", "line": 3, "reason": "keep it lower case" },
                { "id": "h3", "state": "rejected", "line": 5 },
                { "id": "h4", "state": "accepted", "line": 7, "text": "x\n" },
                { "id": "h5", "state": "stale", "line": 9 },
            ],
        })));
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
        let words = change_text(&read(json!({
            "status": "rejected", "paths": ["a.txt", "b.txt"],
            "hunks": [{ "id": "h2", "path": "b.txt", "state": "rejected", "line": 3, "reason": "no" }],
        })));
        assert!(words.contains("Rejected: hunk h2 at line 3 of b.txt, since: no."), "{words}");
    }
}
