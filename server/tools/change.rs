//! The common parts of the tools that change a text: the text before, the expected hash, line ends kept.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::base::WorkspacePath;
use crate::base::text::{LineEnding, TextEncoding};
use crate::patch::{self, HunkReport};
use crate::protocol::{Code, Fault};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::session::{CallScope, TextSnapshot, unencodable_error};

/// Bytes of a difference shown with a stale hash.
const MOST_DIFF: usize = 8 << 10;

/// The placements of a change, in addition to its state in the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Placements {
    /// The placements of the hunks that a person should check.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub(super) placed: Option<Vec<HunkReport>>,
    /// The reason why nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'static str>,
}

/// Returns the requested path and its current text, which has to have the expected hash where the caller names one.
///
/// # Errors
/// STALE where the caller expects another text; and the error of reading it.
pub(super) fn edit_target(
    scope: &CallScope,
    asked: &str,
    expected: Option<&str>,
) -> Result<(WorkspacePath, Option<TextSnapshot>), Fault> {
    let path = scope.parse_path(asked)?;
    let before = scope.read_text(&path)?;
    match expected {
        Some(expected) if before.as_ref().is_none_or(|before| before.hash != expected) => {
            Err(stale_hash_fault(scope, &path, expected, before.as_ref()))
        }
        _ => Ok((path, before)),
    }
}

/// Refuses to replace the whole text of a file that changed since its agent was shown it: the agent's text knows nothing
/// of the change. An agent that never read the file is not held to anything.
///
/// # Errors
/// STALE, with the hash now.
pub(super) fn expect_as_shown(
    scope: &CallScope,
    path: &WorkspacePath,
    before: Option<&TextSnapshot>,
) -> Result<(), Fault> {
    let real = scope.files().paths().root().resolve_path(path)?;
    let Some(Some(expected)) = scope.texts().last_shown(&real) else { return Ok(()) };
    if before.is_some_and(|before| before.hash == expected) {
        return Ok(());
    }
    if before.is_none() {
        // The agent is refused once: a second call is taken as its intent to write the file again.
        scope.texts().note_shown(&real, None);
    }
    let fault = stale_hash_fault(scope, path, &expected, before);
    Err(match before {
        Some(before) => fault.with_suggestion(format!(
            "read the file again and make the change on its text as it stands, or send {:?} as `expected_hash` to \
             replace it all the same",
            before.hash
        )),
        None => fault.with_suggestion("it was removed since you read it: send the call again to make it anew"),
    })
}

fn stale_hash_fault(
    scope: &CallScope,
    path: &WorkspacePath,
    expected: &str,
    before: Option<&TextSnapshot>,
) -> Fault {
    let Some(before) = before else {
        return Fault::new(Code::Stale, format!("{path} is not there any more"))
            .with_suggestion("leave expected_hash out to make it anew")
            .with_details(json!({ "expected_hash": expected, "hash": null }));
    };
    let mut details =
        json!({ "expected_hash": expected, "hash": before.hash, "lines": before.text.lines().count() });
    if let Some(was) = scope.texts().shown_text(expected) {
        let mut diff = patch::unified_diff(path.as_str(), Some(&was), Some(&before.text));
        if diff.len() > MOST_DIFF {
            diff.truncate(diff.floor_char_boundary(MOST_DIFF));
            diff.push_str("\n… the difference goes on\n");
        }
        details["changed"] = json!(diff);
    }
    Fault::new(Code::Stale, format!("{path} changed since it had the hash {expected}; it has {} now", before.hash))
        .with_suggestion("read the file again and make the change on its text as it stands")
        .with_next_action(json!({ "tool": "fs.read", "arguments": { "path": path, "why": "See the text as it stands now, before changing it" } }))
        .with_details(details)
}

/// The draft of a text that becomes `after`; empty where it is that already.
///
/// # Errors
/// INVALID_ARGS for a character that the file's encoding lacks.
pub(super) fn text_draft(
    path: WorkspacePath,
    before: Option<TextSnapshot>,
    after: String,
    loose: Vec<(u32, String)>,
) -> Result<CallDraft, Fault> {
    let encoding = before.as_ref().map_or(TextEncoding::Utf8, |before| before.encoding);
    encoding.encode_text(&after).map_err(|c| unencodable_error(&path, encoding, c))?;
    if before.as_ref().is_some_and(|before| before.text == after) {
        return Ok(CallDraft::default());
    }
    let before = before.map(|before| ChangeContent::Text { text: before.text, encoding });
    let change = PathChange {
        loose,
        ..PathChange::of_text(path, before, ChangeContent::Text { text: after, encoding })
    };
    Ok(CallDraft { changes: vec![change], ..CallDraft::default() })
}

/// Returns the lines that a person should check, counted from 0, and why.
pub(super) fn loose_lines(placed: &[HunkReport]) -> Vec<(u32, String)> {
    let twice = placed.iter().filter_map(|hunk| {
        let line = u32::try_from(hunk.line.saturating_sub(1)).ok()?;
        hunk.loose_reason().map(|how| (line, how))
    });
    twice.collect()
}

/// New text with the line ends of a file that has CRLF throughout; else as it is.
pub(super) fn match_line_ends<'a>(before: Option<&TextSnapshot>, new: &'a str) -> Cow<'a, str> {
    match before.map(|before| LineEnding::detect(&before.text)) {
        Some(LineEnding::Crlf) if !new.contains('\r') => Cow::Owned(new.replace('\n', "\r\n")),
        _ => Cow::Borrowed(new),
    }
}
