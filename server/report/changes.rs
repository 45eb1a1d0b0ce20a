//! The change of one call: made of its proposal, and moved on by decisions.

use serde_json::Value;

use super::clean::{TextCleaner, value_text};
use super::diff;
use super::keep::DiffRoom;
use super::model::{ChangedFile, ReportedChange, ReportedHunk};
use crate::journal::JournalEntry;
use crate::protocol::HunkState;

/// The text of a file that a rule closes is in no report.
pub(super) const CLOSED: &str = "a rule closes this file: its text is not shown";

/// Fills files and hunks in from the event `proposal`; `closed` returns the files whose texts are not shown.
pub(super) fn apply_proposal(
    change: &mut ReportedChange,
    entry: &JournalEntry,
    clean: &TextCleaner,
    room: &mut DiffRoom,
    closed: &dyn Fn(&str) -> bool,
) {
    let part = |key: &str| value_text(entry.body.get(key)).to_owned();
    (change.proposal, change.policy) = (part("proposal"), part("policy"));
    let hunks = entry.body.get("hunks").and_then(Value::as_array);
    change.hunks = hunks.into_iter().flatten().map(|value| read_hunk(value, clean)).collect();
    let Some(Value::Object(files)) = entry.body.get("files") else { return };
    for (path, value) in files {
        let sizes = diff::run_sizes(value_text(Some(value)));
        let mut own: Vec<&mut ReportedHunk> =
            change.hunks.iter_mut().filter(|hunk| hunk.path == *path).collect();
        for (run, size) in sizes.iter().enumerate() {
            let at = diff::hunk_of(run, sizes.len(), own.len());
            if let Some(hunk) = own.get_mut(at) {
                hunk.added += size.added;
                hunk.removed += size.removed;
            }
        }
        let (diff, without) = match (closed(path), value) {
            (true, _) => (String::new(), Some(CLOSED.to_owned())),
            (false, Value::String(diff)) => room.take_diff(clean.clean_whole(diff)),
            (false, _) => (String::new(), Some("the log does not hold it any more".to_owned())),
        };
        change.files.push(ChangedFile { path: path.clone(), diff, without, added: 0, removed: 0 });
    }
}

fn read_hunk(value: &Value, clean: &TextCleaner) -> ReportedHunk {
    let part = |key: &str| value_text(value.get(key)).to_owned();
    let mut hunk = ReportedHunk { id: part("id"), path: part("path"), ..ReportedHunk::default() };
    apply_outcome(&mut hunk, value, clean);
    hunk
}

/// Takes the event `decision` in.
pub(super) fn apply_decision(
    change: &mut ReportedChange,
    entry: &JournalEntry,
    clean: &TextCleaner,
    closed: &dyn Fn(&str) -> bool,
) {
    let by = value_text(entry.body.get("by")).to_owned();
    for value in entry.body.get("hunks").and_then(Value::as_array).into_iter().flatten() {
        let id = value_text(value.get("id"));
        let Some(hunk) = change.hunks.iter_mut().find(|hunk| hunk.id == id) else { continue };
        apply_outcome(hunk, value, clean);
        hunk.by.clone_from(&by);
        hunk.reviewed |= by == "person";
        if hunk.edited.is_some() && closed(&hunk.path) {
            hunk.edited = Some(format!("({CLOSED})"));
        }
        if let Some(edited) = &hunk.edited {
            hunk.added = edited.lines().count() as u64;
        }
    }
}

/// Applies an event's outcome to a hunk.
fn apply_outcome(hunk: &mut ReportedHunk, value: &Value, clean: &TextCleaner) {
    hunk.state = match value_text(value.get("state")) {
        "accepted" => HunkState::Accepted,
        "rejected" => HunkState::Rejected,
        "stale" => HunkState::Stale,
        _ => HunkState::Pending,
    };
    let said = |key: &str| {
        value.get(key).map(|value| clean.clean_member(Some(value))).filter(|text| !text.is_empty())
    };
    hunk.reason = said("reason").or(hunk.reason.take());
    hunk.edited = said("text").or(hunk.edited.take());
}

/// Adds the lines of accepted hunks up, file by file, once all decisions are known.
pub(super) fn sum_lines(change: &mut ReportedChange) {
    for file in &mut change.files {
        let own =
            change.hunks.iter().filter(|hunk| hunk.path == file.path && hunk.state == HunkState::Accepted);
        (file.added, file.removed) = own.fold((0, 0), |sum, hunk| (sum.0 + hunk.added, sum.1 + hunk.removed));
    }
}
