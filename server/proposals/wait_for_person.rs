//! The words for a call that waits for decisions: whom it waits for, and on which files.

use std::collections::BTreeSet;

use crate::base::hidden::escape_to_line;
use crate::protocol::{HunkState, Proposal};
use crate::session::WorkspaceSession;

/// Describes where a call waits for the person.
pub(crate) fn person_message(session: &WorkspaceSession) -> String {
    match (session.editor().attached(), session.editor().name()) {
        (true, Some(name)) => format!("waiting for you in {}", escape_to_line(&name)),
        (true, None) => "waiting for you in your editor".to_owned(),
        (false, _) => "waiting for you at `wherefore review`".to_owned(),
    }
}

/// The hunks of proposals that wait, counted, with their file or the number of their files.
pub(super) fn describe_pending<'a>(proposals: impl IntoIterator<Item = &'a Proposal>) -> String {
    let mut files = BTreeSet::new();
    let mut hunks = 0;
    for file in proposals.into_iter().flat_map(|proposal| &proposal.files) {
        let waiting = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
        hunks += waiting;
        files.extend((waiting > 0).then_some(file.path.as_str()));
    }
    let hunks = if hunks == 1 { "1 hunk".to_owned() } else { format!("{hunks} hunks") };
    match (files.len(), files.first()) {
        (1, Some(path)) => format!("{hunks} in {}", escape_to_line(path)),
        (files, _) => format!("{hunks} in {files} files"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_waits_is_counted_and_named() {
        let hunk = |state: &str| json!({ "id": "h", "start": 0, "old": [], "new": ["a\n"], "state": state });
        let file = |path: &str, states: &[&str]| {
            let hunks: Vec<_> = states.iter().map(|state| hunk(state)).collect();
            json!({ "path": path, "uri": "", "kind": "edit", "hunks": hunks })
        };
        let told = |files: serde_json::Value| {
            let proposal = json!({
                "id": "p-1", "call_id": "c-1", "session": "s", "tool": "fs.edit", "why": "w",
                "origin": { "door": "mcp" }, "created": "", "files": files,
            });
            describe_pending([&serde_json::from_value(proposal).unwrap()])
        };
        assert_eq!(
            told(json!([file("src/x.py", &["pending", "accepted", "pending"])])),
            "2 hunks in src/x.py"
        );
        assert_eq!(
            told(json!([file("a", &["accepted"]), file("b\u{1b}", &["pending"])])),
            "1 hunk in b\\u{1b}"
        );
        assert_eq!(told(json!([file("a", &["pending"]), file("b", &["pending"])])), "2 hunks in 2 files");
    }
}
