//! Drafts the change that leads from a file's earlier content to its current one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::WorkspacePath;
use crate::base::text::{DecodedText, decode_text};
use crate::protocol::{ChangeKind, PathContent};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::session::KnownContent;
use crate::workspace::WorkspaceState;

/// A file that somebody changed.
#[derive(Clone, Debug)]
pub(super) struct OutsideChange {
    /// The content before; nothing where git is to be asked for it.
    pub(super) before: Option<KnownContent>,
    /// The content now.
    pub(super) now: KnownContent,
}

/// The changes of files.
#[derive(Debug, Default)]
pub(super) struct ChangeDrafts {
    /// The drafts, one for each file.
    pub(super) drafts: Vec<CallDraft>,
    /// The number of files that cannot be offered: their content before or now is not known or too large.
    pub(super) lost: usize,
}

/// The change of each file; a file that was renamed is one with the path that it had.
pub(super) fn draft_changes(
    state: &WorkspaceState,
    mut found: BTreeMap<WorkspacePath, OutsideChange>,
    renamed: &BTreeMap<WorkspacePath, WorkspacePath>,
) -> ChangeDrafts {
    let mut judged = ChangeDrafts::default();
    let mut add = |changes: Option<Vec<PathChange>>| match changes {
        Some(changes) if changes.is_empty() => {}
        Some(changes) => judged.drafts.push(CallDraft { changes, ..CallDraft::default() }),
        None => judged.lost += 1,
    };
    for (to, from) in renamed {
        let is_moved = matches!(
            (found.get(from), found.get(to)),
            (
                Some(OutsideChange { now: KnownContent::Absent, .. }),
                Some(OutsideChange { before: Some(KnownContent::Absent), now: KnownContent::Bytes(_) })
            )
        );
        if !is_moved {
            continue;
        }
        if let (Some(old), Some(new)) = (found.remove(from), found.remove(to)) {
            add(rename_changes(state, from, to, (old.before, new.now)));
        }
    }
    for (path, file) in found {
        add(content_changes(state, &path, file));
    }
    judged
}

/// A file that has another path. What it held before need not be known where it was not changed.
fn rename_changes(
    state: &WorkspaceState,
    from: &WorkspacePath,
    to: &WorkspacePath,
    (before, now): (Option<KnownContent>, KnownContent),
) -> Option<Vec<PathChange>> {
    let rename = PathChange::without_content(to.clone(), ChangeKind::Rename, Some(from.clone()));
    let edit = match before {
        Some(KnownContent::Bytes(_)) if before.as_ref() != Some(&now) => {
            content_changes(state, to, OutsideChange { before, now })?
        }
        _ => Vec::new(),
    };
    Some([vec![rename], edit].concat())
}

fn content_changes(
    state: &WorkspaceState,
    path: &WorkspacePath,
    file: OutsideChange,
) -> Option<Vec<PathChange>> {
    let OutsideChange { before, now } = file;
    let bytes = |content| match content {
        KnownContent::Absent => Some(None),
        KnownContent::Bytes(bytes) => Some(Some(bytes)),
        KnownContent::Lost => None,
    };
    let (before, now) = (bytes(before?)?, bytes(now)?);
    if before == now {
        return Some(Vec::new());
    }
    let texts = [&before, &now].map(|bytes| bytes.as_ref().map(|bytes| decode_text(&bytes[..])));
    let text = |decoded: DecodedText| ChangeContent::Text { text: decoded.text, encoding: decoded.encoding };
    Some(vec![match texts {
        [None, Some(Some(now))] => PathChange::of_text(path.clone(), None, text(now)),
        [Some(Some(before)), None] => PathChange::of_removal(path.clone(), text(before)),
        [Some(Some(before)), Some(Some(now))] if before.encoding == now.encoding => {
            PathChange::of_text(path.clone(), Some(text(before)), text(now))
        }
        _ => {
            let keep = |bytes: Option<Arc<[u8]>>| {
                let keep = |bytes: Arc<[u8]>| {
                    let size = bytes.len() as u64;
                    Some(PathContent::Bytes { hash: state.put_object(&bytes).ok()?, size })
                };
                bytes.map(keep)
            };
            let (before, now) = (keep(before), keep(now));
            if [&before, &now].into_iter().any(|kept| matches!(kept, Some(None))) {
                return None;
            }
            PathChange::of_content(path.clone(), before.flatten(), now.flatten())
        }
    }])
}
