//! What a file held and what it holds, as the change that leads from one to the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::WorkspacePath;
use crate::base::text::{Decoded, decode};
use crate::protocol::{ChangeKind, PathContent};
use crate::registry::{Change, Content, Draft};
use crate::session::KnownContent;
use crate::workspace::State;

/// A file that somebody changed.
#[derive(Clone, Debug)]
pub(super) struct ChangedFile {
    /// What it held; nothing where that is to be asked of git.
    pub(super) before: Option<KnownContent>,
    /// What it holds.
    pub(super) now: KnownContent,
}

/// The changes of files.
#[derive(Debug, Default)]
pub(super) struct JudgedChanges {
    /// One a file.
    pub(super) drafts: Vec<Draft>,
    /// How many cannot be offered: what was there before, or what is there now, is not known or too large.
    pub(super) lost: usize,
}

/// The change of each file; a file that was renamed is one with the path that it had.
pub(super) fn drafts(
    state: &State,
    mut found: BTreeMap<WorkspacePath, ChangedFile>,
    renamed: &BTreeMap<WorkspacePath, WorkspacePath>,
) -> JudgedChanges {
    let mut judged = JudgedChanges::default();
    let mut add = |changes: Option<Vec<Change>>| match changes {
        Some(changes) if changes.is_empty() => {}
        Some(changes) => judged.drafts.push(Draft { changes, ..Draft::default() }),
        None => judged.lost += 1,
    };
    for (to, from) in renamed {
        let is_moved = matches!(
            (found.get(from), found.get(to)),
            (
                Some(ChangedFile { now: KnownContent::Absent, .. }),
                Some(ChangedFile { before: Some(KnownContent::Absent), now: KnownContent::Bytes(_) })
            )
        );
        if !is_moved {
            continue;
        }
        if let (Some(old), Some(new)) = (found.remove(from), found.remove(to)) {
            add(moved(state, from, to, (old.before, new.now)));
        }
    }
    for (path, file) in found {
        add(changed(state, &path, file));
    }
    judged
}

/// A file that has another path. What it held before need not be known where it was not changed.
fn moved(
    state: &State,
    from: &WorkspacePath,
    to: &WorkspacePath,
    (before, now): (Option<KnownContent>, KnownContent),
) -> Option<Vec<Change>> {
    let rename = Change::bare(to.clone(), ChangeKind::Rename, Some(from.clone()));
    let edit = match before {
        Some(KnownContent::Bytes(_)) if before.as_ref() != Some(&now) => {
            changed(state, to, ChangedFile { before, now })?
        }
        _ => Vec::new(),
    };
    Some([vec![rename], edit].concat())
}

fn changed(state: &State, path: &WorkspacePath, file: ChangedFile) -> Option<Vec<Change>> {
    let ChangedFile { before, now } = file;
    let bytes = |content| match content {
        KnownContent::Absent => Some(None),
        KnownContent::Bytes(bytes) => Some(Some(bytes)),
        KnownContent::Lost => None,
    };
    let (before, now) = (bytes(before?)?, bytes(now)?);
    if before == now {
        return Some(Vec::new());
    }
    let texts = [&before, &now].map(|bytes| bytes.as_ref().map(|bytes| decode(&bytes[..])));
    let text = |decoded: Decoded| Content::Text { text: decoded.text, encoding: decoded.encoding };
    Some(vec![match texts {
        [None, Some(Some(now))] => Change::text(path.clone(), None, text(now)),
        [Some(Some(before)), None] => Change::delete(path.clone(), text(before)),
        [Some(Some(before)), Some(Some(now))] if before.encoding == now.encoding => {
            Change::text(path.clone(), Some(text(before)), text(now))
        }
        _ => {
            let keep = |bytes: Option<Arc<[u8]>>| {
                let keep = |bytes: Arc<[u8]>| {
                    let size = bytes.len() as u64;
                    Some(PathContent::Bytes { hash: state.put(&bytes).ok()?, size })
                };
                bytes.map(keep)
            };
            let (before, now) = (keep(before), keep(now));
            if [&before, &now].into_iter().any(|kept| matches!(kept, Some(None))) {
                return None;
            }
            Change::other(path.clone(), before.flatten(), now.flatten())
        }
    }])
}
