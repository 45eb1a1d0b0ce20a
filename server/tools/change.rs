//! What the tools that change a text have in common: the text before, the hash expected, line ends kept.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::base::WorkspacePath;
use crate::base::text::{Encoding, Eol};
use crate::patch::{self, HunkReport};
use crate::protocol::{Code, Fault};
use crate::registry::{Change, Content, Draft};
use crate::session::{Scope, Snapshot, unencodable};

/// Bytes of a difference shown with a stale hash.
const MOST_DIFF: usize = 8 << 10;

/// Where a change was placed: what the answer says beside how the change stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Placements {
    /// How those hunks were placed that a person should look at twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub(super) placed: Option<Vec<HunkReport>>,
    /// Why nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'static str>,
}

/// The path asked for and the text there now, which is the one that the caller expects where it names a hash.
///
/// # Errors
/// STALE where the caller expects another text; what reading it says.
pub(super) fn target(
    scope: &Scope,
    asked: &str,
    expected: Option<&str>,
) -> Result<(WorkspacePath, Option<Snapshot>), Fault> {
    let path = scope.path(asked)?;
    let before = scope.text(&path)?;
    match expected {
        Some(expected) if before.as_ref().is_none_or(|before| before.hash != expected) => {
            Err(stale(scope, &path, expected, before.as_ref()))
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
    scope: &Scope,
    path: &WorkspacePath,
    before: Option<&Snapshot>,
) -> Result<(), Fault> {
    let real = scope.files().root().resolve(path)?;
    let Some(Some(expected)) = scope.last_shown(&real) else { return Ok(()) };
    if before.is_some_and(|before| before.hash == expected) {
        return Ok(());
    }
    if before.is_none() {
        // Told once: whoever asks again means to make it anew.
        scope.note_shown(&real, None);
    }
    let fault = stale(scope, path, &expected, before);
    Err(match before {
        Some(before) => fault.suggest(format!(
            "read the file again and make the change on its text as it stands, or send {:?} as `expected_hash` to \
             replace it all the same",
            before.hash
        )),
        None => fault.suggest("it was removed since you read it: send the call again to make it anew"),
    })
}

fn stale(scope: &Scope, path: &WorkspacePath, expected: &str, before: Option<&Snapshot>) -> Fault {
    let Some(before) = before else {
        return Fault::new(Code::Stale, format!("{path} is not there any more"))
            .suggest("leave expected_hash out to make it anew")
            .detail(json!({ "expected_hash": expected, "hash": null }));
    };
    let mut details =
        json!({ "expected_hash": expected, "hash": before.hash, "lines": before.text.lines().count() });
    if let Some(was) = scope.shown_text(expected) {
        let mut diff = patch::unified(path.as_str(), Some(&was), Some(&before.text));
        if diff.len() > MOST_DIFF {
            diff.truncate(diff.floor_char_boundary(MOST_DIFF));
            diff.push_str("\n… the difference goes on\n");
        }
        details["changed"] = json!(diff);
    }
    Fault::new(Code::Stale, format!("{path} changed since it had the hash {expected}; it has {} now", before.hash))
        .suggest("read the file again and make the change on its text as it stands")
        .next(json!({ "tool": "fs.read", "arguments": { "path": path, "why": "See the text as it stands now, before changing it" } }))
        .detail(details)
}

/// The draft of a text that becomes `after`; empty where it is that already.
///
/// # Errors
/// INVALID_ARGS for a character that the file's encoding lacks.
pub(super) fn draft(
    path: WorkspacePath,
    before: Option<Snapshot>,
    after: String,
    loose: Vec<(u32, String)>,
) -> Result<Draft, Fault> {
    let encoding = before.as_ref().map_or(Encoding::Utf8, |before| before.encoding);
    encoding.encode(&after).map_err(|c| unencodable(&path, encoding, c))?;
    if before.as_ref().is_some_and(|before| before.text == after) {
        return Ok(Draft::default());
    }
    let before = before.map(|before| Content::Text { text: before.text, encoding });
    let change = Change { loose, ..Change::text(path, before, Content::Text { text: after, encoding }) };
    Ok(Draft { changes: vec![change], ..Draft::default() })
}

/// Where a person should look twice, by line counted from 0, and why.
pub(super) fn loose(placed: &[HunkReport]) -> Vec<(u32, String)> {
    let twice = placed.iter().filter_map(|hunk| {
        let line = u32::try_from(hunk.line.saturating_sub(1)).ok()?;
        hunk.loose().map(|how| (line, how))
    });
    twice.collect()
}

/// New text with the line ends of a file that has CRLF throughout; else as it is.
pub(super) fn like<'a>(before: Option<&Snapshot>, new: &'a str) -> Cow<'a, str> {
    match before.map(|before| Eol::of(&before.text)) {
        Some(Eol::Crlf) if !new.contains('\r') => Cow::Owned(new.replace('\n', "\r\n")),
        _ => Cow::Borrowed(new),
    }
}
