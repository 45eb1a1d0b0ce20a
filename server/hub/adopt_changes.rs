//! Takes a change that another program made in as a call of wherefore.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::folder::ServedFolder;
use crate::base::WorkspacePath;
use crate::execution::git_diff;
use crate::pipeline::is_open;
use crate::protocol::{ChangeKind, Envelope, Fault, Origin, RawCall};
use crate::registry::{CallDraft, PathChange};

/// The tool that an adopted change is logged under.
const TOOL: &str = "fs.patch";

impl ServedFolder {
    /// Takes in a change that is already on the disk, made by `origin` for the reason `why`, if it gave one. A person
    /// reviews it like one that a policy applied; nothing is written. Returns nothing where the rules close every path
    /// of it: such a path is left out, with its text.
    ///
    /// # Errors
    /// Fails where the content that it replaced cannot be kept.
    pub async fn adopt_draft(
        &self,
        origin: Origin,
        why: Option<&str>,
        mut draft: CallDraft,
    ) -> Result<Option<Envelope>, Fault> {
        let changes = std::mem::take(&mut draft.changes);
        draft.changes = self.open_changes(changes);
        if draft.changes.is_empty() {
            return Ok(None);
        }
        let (diff, _) = git_diff(self.session().workspace().state(), &draft)?;
        let mut arguments = Map::from_iter([("diff".to_owned(), Value::String(diff))]);
        arguments.extend(why.map(|why| ("why".to_owned(), Value::String(why.to_owned()))));
        let raw =
            RawCall { tool: TOOL.to_owned(), arguments: arguments.into(), origin, ..RawCall::default() };
        Ok(Some(self.pipeline().adopt_draft(raw, draft).await))
    }

    /// The changes whose paths no rule closes. Where a rename is left out, what else was done to its file is too: it would
    /// show what the closed file held.
    fn open_changes(&self, changes: Vec<PathChange>) -> Vec<PathChange> {
        let mut closed: BTreeSet<WorkspacePath> = BTreeSet::new();
        for change in &changes {
            if change.kind == ChangeKind::Rename && is_open(self.session(), change).is_err() {
                closed.insert(change.path.clone());
            }
        }
        let is_shown =
            |change: &PathChange| !closed.contains(&change.path) && is_open(self.session(), change).is_ok();
        changes.into_iter().filter(is_shown).collect()
    }
}
