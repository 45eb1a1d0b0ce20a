//! Edits that the policy applies at once: the agent's own tool makes them, and they are taken in afterwards.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;

use super::calls::{content, edit};
use super::places;
use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::hub::Folder;
use crate::native::{NativeAct, NativeParams, patch_files};
use crate::protocol::{Access, NativeOutcome, Origin, Policy};
use crate::registry::{Change, Draft};
use crate::session::Snapshot;

/// Calls that are remembered until their agents say that they acted, and the bytes of their texts; the oldest is forgotten
/// first.
const REMEMBERED: usize = 256;
const BYTES: usize = 64 << 20;
/// The tools that an agent's own edit may become.
const EDITS: [&str; 3] = ["fs.edit", "fs.patch", "fs.write"];
/// How long an agent may take for such a call, before a change of its files counts as another program's.
const EXPECTED: Duration = Duration::from_secs(60);

/// The calls of agents' own tools that were let through, each with the files that it changes as they stood before.
#[derive(Debug, Default)]
pub(in crate::hub) struct LetThrough(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    calls: HashMap<String, Vec<FileBefore>>,
    order: VecDeque<String>,
}

impl Remembered {
    fn bytes(&self) -> usize {
        let texts = self.calls.values().flatten().filter_map(|(_, before)| before.as_ref());
        texts.map(|before| before.text.len()).sum()
    }
}

/// A file as it stood before.
type FileBefore = (WorkspacePath, Option<Snapshot>);

impl LetThrough {
    fn remember(&self, call: String, files: Vec<FileBefore>) {
        let mut remembered = self.0.lock();
        remembered.order.retain(|other| *other != call);
        remembered.order.push_back(call.clone());
        remembered.calls.insert(call, files);
        while remembered.order.len() > REMEMBERED || remembered.bytes() > BYTES {
            let Some(oldest) = remembered.order.pop_front() else { break };
            remembered.calls.remove(&oldest);
        }
    }

    fn take(&self, call: &str) -> Option<Vec<FileBefore>> {
        let mut remembered = self.0.lock();
        let files = remembered.calls.remove(call)?;
        remembered.order.retain(|other| other != call);
        Some(files)
    }
}

impl Folder {
    /// Lets an edit through where the policy applies it at once, nothing asks about its files, and no editor shows them
    /// unsaved. Gives whether it did.
    pub(super) fn let_through(&self, params: &NativeParams) -> bool {
        let Some(paths) = self.edited_paths(params).filter(|paths| !paths.is_empty()) else { return false };
        let files: Option<Vec<FileBefore>> =
            paths.into_iter().map(|path| self.applied_at_once(path)).collect();
        let Some(files) = files else { return false };
        // The agent says when it is done: until then nobody else is to offer what it changes.
        files.iter().for_each(|(path, _)| self.session().files().known().expect(path, EXPECTED));
        self.through().remember(key(&params.origin), files);
        true
    }

    /// Takes in what a call that was let through changed.
    pub(super) async fn take_in(&self, params: &NativeParams, origin: &Origin) {
        let Some(files) = self.through().take(&key(&params.origin)) else { return };
        let draft = Draft {
            changes: files.into_iter().filter_map(|(path, before)| self.change_since(path, before)).collect(),
            ..Draft::default()
        };
        if let Ok(Some(envelope)) = self.adopt(origin.clone(), params.why.as_deref(), draft).await {
            self.log_native(&envelope, origin, NativeOutcome::LetThrough, "");
        }
    }

    /// The files that an edit changes; none where one of them lies outside.
    fn edited_paths(&self, params: &NativeParams) -> Option<Vec<WorkspacePath>> {
        let inside = |path: &str| places::inside(self.root(), params.cwd.as_deref(), path);
        match &params.act {
            NativeAct::Write { path, .. }
            | NativeAct::Replace { path, .. }
            | NativeAct::Cell { path, .. } => Some(vec![inside(path)?]),
            NativeAct::Patch { patch } => {
                let files = patch_files(patch);
                let named = files.iter().flat_map(|file| [Some(&file.path), file.moved.as_ref()]).flatten();
                named.map(|path| inside(path)).collect()
            }
            _ => None,
        }
    }

    fn applied_at_once(&self, path: WorkspacePath) -> Option<FileBefore> {
        let session = self.session();
        let governance = session.workspace().governance();
        let files = session.files().unasked();
        files.admit(Access::Write, &path).ok()?;
        let resolved = files.root().resolve(&path).unwrap_or_else(|_| path.clone());
        // The rules for each tool that the edit may become.
        for tool in EDITS {
            let names = [self.registry().find(tool)?.def().names()];
            let policy = |path| governance.review().policy(&names, path, governance.default_policies());
            if [&path, &resolved].into_iter().any(|path| policy(path) != Policy::Auto) {
                return None;
            }
        }
        let before = session.files().text_through(&files, &path).ok()?;
        before.as_ref().is_none_or(|before| !before.unsaved).then_some((path, before))
    }

    fn change_since(&self, path: WorkspacePath, before: Option<Snapshot>) -> Option<Change> {
        let files = self.session().files().unasked();
        let now = self.session().files().text_through(&files, &path).ok()?;
        match (before, now) {
            (Some(before), Some(now)) if before.text == now.text => None,
            (Some(before), Some(now)) => edit(path, before, now.text).changes.pop(),
            (None, Some(now)) => Some(Change::text(path, None, content(now.text, Encoding::Utf8))),
            (Some(before), None) => Some(Change::delete(path, content(before.text, before.encoding))),
            (None, None) => None,
        }
    }
}

/// What tells a call from others of its agent.
fn key(origin: &Origin) -> String {
    let call = origin.call.as_ref().or(origin.tool.as_ref());
    format!("{}/{}", origin.addressee(), call.map(String::as_str).unwrap_or_default())
}
