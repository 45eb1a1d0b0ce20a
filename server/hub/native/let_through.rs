//! Edits that the policy applies at once: the agent's own tool makes them, and they are taken in afterwards.
//!
//! # Invariants
//!
//! - No edit of an agent's own tool that the policy applies at once is missing in the log, or cannot be taken back.
//!   Test: `an_edit_that_is_applied_at_once_is_let_through_and_taken_in`

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;

use super::NativeCall;
use super::agent_paths;
use super::calls::{edit_draft, text_content};
use crate::base::WorkspacePath;
use crate::base::text::TextEncoding;
use crate::hooks::NativeAct;
use crate::patch::envelope_parts;
use crate::protocol::{NativeOutcome, Origin, PathAccess, Policy};
use crate::registry::{CallDraft, PathChange};
use crate::session::TextSnapshot;

/// Calls that are remembered until their agents say that they acted, and the bytes of their texts; the oldest is forgotten
/// first.
const REMEMBERED: usize = 256;
const BYTES: usize = 64 << 20;
/// The tools that an agent's own edit may become.
const EDITS: [&str; 3] = ["fs.edit", "fs.patch", "fs.write"];
/// The time that an agent may take for such a call, before a change of its files counts as another program's.
const EXPECTED: Duration = Duration::from_secs(60);

/// The calls of agents' own tools that were let through, each with the files that it changes as they stood before.
#[derive(Debug, Default)]
pub(in crate::hub) struct LetThrough(Mutex<RememberedCalls>);

#[derive(Debug, Default)]
struct RememberedCalls {
    calls: HashMap<String, Vec<FileBefore>>,
    order: VecDeque<String>,
}

impl RememberedCalls {
    fn text_bytes(&self) -> usize {
        let texts = self.calls.values().flatten().filter_map(|(_, before)| before.as_ref());
        texts.map(|before| before.text.len()).sum()
    }
}

/// A file as it stood before.
type FileBefore = (WorkspacePath, Option<TextSnapshot>);

impl LetThrough {
    fn remember_call(&self, call: String, files: Vec<FileBefore>) {
        let mut remembered = self.0.lock();
        remembered.order.retain(|other| *other != call);
        remembered.order.push_back(call.clone());
        remembered.calls.insert(call, files);
        while remembered.order.len() > REMEMBERED || remembered.text_bytes() > BYTES {
            let Some(oldest) = remembered.order.pop_front() else { break };
            remembered.calls.remove(&oldest);
        }
    }

    fn take_call(&self, call: &str) -> Option<Vec<FileBefore>> {
        let mut remembered = self.0.lock();
        let files = remembered.calls.remove(call)?;
        remembered.order.retain(|other| other != call);
        Some(files)
    }
}

impl NativeCall<'_> {
    /// Lets an edit through where the policy applies it at once, nothing asks about its files, and no editor shows them
    /// unsaved. Gives whether it did.
    pub(super) fn let_through(&self) -> bool {
        let params = self.params;
        let Some(paths) = self.edited_paths().filter(|paths| !paths.is_empty()) else { return false };
        let files: Option<Vec<FileBefore>> =
            paths.into_iter().map(|path| self.applied_at_once(path)).collect();
        let Some(files) = files else { return false };
        // A tool that changes a text looks for another file where there is none of that name.
        let changes_texts = match &params.act {
            NativeAct::Replace { edits, .. } => edits.iter().any(|edit| !edit.old.is_empty()),
            act => matches!(act, NativeAct::Cell { .. }),
        };
        if changes_texts && files.iter().any(|(_, before)| before.is_none()) {
            return false;
        }
        // The agent reports when it is done: until then its changes are not offered as another program's.
        files
            .iter()
            .for_each(|(path, _)| self.folder.session().files().known_files().expect_change(path, EXPECTED));
        self.folder.let_through_calls().remember_call(call_key(&params.origin), files);
        true
    }

    /// Takes in what a call that was let through changed.
    pub(super) async fn take_in(&self) {
        let (params, origin) = (self.params, &self.origin);
        let Some(files) = self.folder.let_through_calls().take_call(&call_key(&params.origin)) else {
            return;
        };
        let draft = CallDraft {
            changes: files.into_iter().filter_map(|(path, before)| self.change_since(path, before)).collect(),
            ..CallDraft::default()
        };
        if let Ok(Some(envelope)) =
            self.folder.adopt_draft(origin.clone(), params.why.as_deref(), draft).await
        {
            self.log_native(&envelope, NativeOutcome::LetThrough, "");
        }
    }

    /// The files that an edit changes; none where one of them lies outside, and where a patch cannot be read or speaks of one
    /// file several times: agents differ in what they make of that.
    fn edited_paths(&self) -> Option<Vec<WorkspacePath>> {
        let params = self.params;
        let inside = |path: &str| agent_paths::path_inside(self.folder.root(), params.cwd.as_deref(), path);
        match &params.act {
            NativeAct::Write { path, .. }
            | NativeAct::Replace { path, .. }
            | NativeAct::Cell { path, .. } => Some(vec![inside(path)?]),
            NativeAct::Patch { patch } => {
                let files = envelope_parts(patch).ok()?;
                let named =
                    files.iter().flat_map(|file| [Some(&file.path), file.new_path.as_ref()]).flatten();
                let paths: Vec<WorkspacePath> = named.map(|path| inside(path)).collect::<Option<_>>()?;
                let once = paths.iter().collect::<HashSet<_>>().len() == paths.len();
                once.then_some(paths)
            }
            _ => None,
        }
    }

    fn applied_at_once(&self, path: WorkspacePath) -> Option<FileBefore> {
        let session = self.folder.session();
        let governance = session.workspace().governance();
        let files = session.files().unasked_files();
        files.paths().admit_path(PathAccess::Write, &path).ok()?;
        let resolved = files.paths().root().resolve_path(&path).unwrap_or_else(|_| path.clone());
        // The rules for each tool that the edit may become.
        for tool in EDITS {
            let names = [self.folder.toolbox().registry().find_tool(tool)?.def().all_names()];
            let policy =
                |path| governance.review_rules().policy_for(&names, path, governance.default_policies());
            if [&path, &resolved].into_iter().any(|path| policy(path) != Policy::Auto) {
                return None;
            }
        }
        let before = session.files().read_text_through(&files, &path).ok()?;
        before.as_ref().is_none_or(|before| !before.unsaved).then_some((path, before))
    }

    fn change_since(&self, path: WorkspacePath, before: Option<TextSnapshot>) -> Option<PathChange> {
        let files = self.folder.session().files().unasked_files();
        let now = self.folder.session().files().read_text_through(&files, &path).ok()?;
        match (before, now) {
            (Some(before), Some(now)) if before.text == now.text => None,
            (Some(before), Some(now)) => edit_draft(path, before, now.text).changes.pop(),
            (None, Some(now)) => {
                Some(PathChange::of_text(path, None, text_content(now.text, TextEncoding::Utf8)))
            }
            (Some(before), None) => {
                Some(PathChange::of_removal(path, text_content(before.text, before.encoding)))
            }
            (None, None) => None,
        }
    }
}

/// Returns the key of a call among those of its agent.
fn call_key(origin: &Origin) -> String {
    let call = origin.call.as_ref().or(origin.tool.as_ref());
    format!("{}/{}", origin.delivery_key(), call.map(String::as_str).unwrap_or_default())
}
