//! fs.patch: a unified diff, placed and applied.

use serde_json::{Map, Value, json};

use super::refused::refused;
use super::{change, text};
use crate::patch;
use crate::protocol::{ChangeKind, Fault};
use crate::registry::{Change, Content, Draft};
use crate::session::Scope;

/// Applies a diff to one file.
///
/// # Errors
/// STALE, PATCH_MISMATCH, or that the file cannot hold the text.
pub(super) fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, args)?;
    let old = before.as_ref().map(|before| before.text.as_str());
    let applied = patch::apply(path.as_str(), old, text(args, "diff")).map_err(refused)?;
    let mut draft = match (applied.after, before) {
        (Some(after), before) => change::draft(path, before, after, change::loose(&applied.hunks))?,
        (None, Some(before)) => {
            let content = Content { text: before.text, encoding: before.encoding };
            let change = Change { before: Some(content), ..Change::bare(path, ChangeKind::Delete, None) };
            Draft { changes: vec![change], notes: Map::new() }
        }
        (None, None) => Draft::default(),
    };
    draft.notes.insert("placed".into(), json!(applied.hunks));
    if applied.unchanged {
        draft.notes.insert("note".into(), json!("the diff is applied already; nothing was changed"));
    }
    Ok(draft)
}
