//! Commands that wrote in place and broke off, with their server or alone: what they changed is found from their records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::CommandExecutor;
use super::entries::WorkspaceEntries;
use super::found_changes::{ChangeFinder, FoundChanges};
use super::run_folder::{RunFolder, RunRecord};
use super::{InPlaceRuns, walls_and_entries};
use crate::base::run_blocking;
use crate::protocol::Origin;
use crate::registry::CallDraft;
use crate::session::CallScope;

/// Tells whoever takes changes in that a command broke off, for as long as its executor lives.
#[derive(Debug)]
pub(super) struct BrokenOffChannel {
    to: UnboundedSender<()>,
    from: Mutex<Option<UnboundedReceiver<()>>>,
}

impl Default for BrokenOffChannel {
    fn default() -> Self {
        let (to, from) = unbounded_channel();
        Self { to, from: Mutex::new(Some(from)) }
    }
}

impl BrokenOffChannel {
    pub(super) fn tell(&self) {
        // Where nobody listens, the next server finds the record.
        let _ = self.to.send(());
    }
}

/// A command that broke off.
#[derive(Debug)]
pub(crate) struct BrokenOffCommand {
    folder: RunFolder,
    /// The caller.
    pub(crate) origin: Origin,
    /// The reason of its call.
    pub(crate) why: String,
    /// The command, in words.
    pub(crate) command: String,
    /// The changes, which stand.
    pub(crate) draft: CallDraft,
    /// A sentence for each change that is not among them.
    pub(crate) lost: Vec<String>,
}

impl BrokenOffCommand {
    /// Forgets it: its changes are taken in.
    pub(crate) fn forget(&self) {
        self.folder.remove();
    }
}

impl InPlaceRuns {
    /// Keeps commands that write in place waiting until the answer is dropped; none where one of them is just looked at.
    pub(crate) fn hold_turn(&self) -> Option<OwnedMutexGuard<()>> {
        self.turn.clone().try_lock_owned().ok()
    }

    /// The receiver that is told when a command in place breaks off; none for a second listener.
    pub(crate) fn hear_broken_off(&self) -> Option<UnboundedReceiver<()>> {
        self.broken.from.lock().take()
    }

    /// Waits until no command in place is just looked at, and keeps others waiting until the answer is dropped.
    pub(crate) async fn wait_turn(&self) -> OwnedMutexGuard<()> {
        self.turn.clone().lock_owned().await
    }

    /// Returns whether dead processes left commands whose changes nobody took in.
    pub(crate) fn has_broken_off(&self, scope: &CallScope) -> bool {
        !RunFolder::are_none(scope.files().state())
    }

    /// Finds what commands changed that broke off, the first one first.
    pub(crate) async fn find_broken_off(
        &self,
        executor: &CommandExecutor,
        scope: &CallScope,
    ) -> Vec<BrokenOffCommand> {
        let root = Path::new(scope.files().paths().root().real_path());
        let mut left = run_blocking(|| RunFolder::left_over(scope.files().state()));
        let mut found = Vec::new();
        while !left.is_empty() {
            let (folder, record) = left.remove(0);
            let Ok((_, _, now)) = walls_and_entries(executor, scope).await else { continue };
            let now = without_folders(now, &record.direct, scope);
            let paths = record.files.changed_paths(root, &now);
            let finder = ChangeFinder::read_blobs(executor, scope, (&record.files, &now), &paths).await;
            let FoundChanges { changes, lost, paths } = run_blocking(|| finder.find(&paths));
            run_blocking(|| {
                let store = &self.store;
                left.iter_mut().for_each(|(_, later)| later.files.renew(scope, store, &paths, &now));
                for running in self.running.lock().iter() {
                    running.record.lock().files.renew(scope, store, &paths, &now);
                }
            });
            let RunRecord { origin, why, command, .. } = record;
            let draft = CallDraft { changes, stands: true, ..CallDraft::default() };
            found.push(BrokenOffCommand { folder, origin, why, command, draft, lost });
        }
        found
    }

    /// Removes the copies of files that no command needs.
    pub(crate) fn sweep_copies(&self, scope: &CallScope) {
        let state = scope.files().state();
        if RunFolder::are_none(state) {
            run_blocking(|| self.store.drop_others(state, &BTreeSet::new()));
        }
    }
}

/// The entries without those below folders that were written without a review.
fn without_folders(mut now: WorkspaceEntries, folders: &[PathBuf], scope: &CallScope) -> WorkspaceEntries {
    let root = PathBuf::from(scope.files().paths().root().real_path());
    now.found.retain(|path, _| {
        let at = root.join(path.as_str());
        !folders.iter().any(|folder| at.starts_with(folder))
    });
    now
}
