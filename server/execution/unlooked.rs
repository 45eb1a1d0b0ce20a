//! Finds the files with lines that an agent wrote and that no person has looked at since.

use crate::base::WorkspacePath;
use crate::protocol::{DecidedBy, HunkState};
use crate::provenance::{LineOrigin, WrittenBy};
use crate::session::{CallScope, KnownLines};

/// Returns whether any file that `counts` holds a line of an agent's that no person accepted.
pub(super) fn has_unlooked(scope: &CallScope, counts: impl Fn(&WorkspacePath) -> bool) -> bool {
    scope.line_records().recorded_paths().iter().filter(|path| counts(path)).any(|path| {
        // A file that is no longer text was not reviewed either; a removed one has no effect.
        match scope.read_text(path) {
            Ok(Some(now)) => unlooked_lines(scope, path, &now.text).contains(&true),
            Ok(None) => false,
            Err(_) => true,
        }
    })
}

/// Returns for each line of the text of a file whether an agent wrote it and no person accepted it, or its writer is
/// not known.
pub(super) fn unlooked_lines(scope: &CallScope, path: &WorkspacePath, text: &str) -> Vec<bool> {
    let KnownLines { marks, origins, .. } = scope.line_records().known_lines(path, text);
    let is_accepted = |at: u32| {
        let found = origins.iter().find(|(origin, ..)| *origin == at);
        let Some((_, LineOrigin { hunk, .. }, Some(decision))) = found else { return false };
        // All hunks of the call have to be accepted if the line's hunk is not known.
        let mut of_line =
            decision.hunks.iter().filter(|decided| hunk.as_ref().is_none_or(|hunk| decided.id == *hunk));
        decision.by == DecidedBy::Person.as_str()
            && of_line.all(|decided| decided.state == HunkState::Accepted.as_str())
    };
    let is_unlooked = |by: WrittenBy, origin: Option<u32>| match by {
        WrittenBy::Human | WrittenBy::Earlier => false,
        WrittenBy::Agent | WrittenBy::Mixed => !origin.is_some_and(is_accepted),
        WrittenBy::Unknown => true,
    };
    marks.iter().map(|mark| is_unlooked(mark.by, mark.origin)).collect()
}
