//! Updates of waiting hunks by events: the watch reports the files that changed, and a task compares those that have hunks.
//! A file that the watch does not list (an ignored one, one that is not there yet) is compared every few seconds.
//!
//! # Invariants
//!
//! - No listing of proposals reads a file or writes to the log, and no hunk waits for one to learn that its text
//!   changed.
//!   Test: `a_listing_reads_no_file_and_a_change_on_the_disk_is_heard_without_one`,
//!   `files_that_the_watch_does_not_list_are_heard_of_too`

use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::follow_texts::TextFollower;
use super::store::ProposalStore;
use crate::base::WorkspacePath;
use crate::protocol::RescanReason;
use crate::rules::FileOpener;
use crate::session::WorkspaceSession;
use crate::watch::{ChangeBatch, ChangeListener, FileChangeKind, StatStamp};

/// The interval at which files that the watch does not list are compared.
const POLL: Duration = Duration::from_secs(2);
/// The delay before a file that is missing or empty, or that a decision is working on, is checked once more: a program
/// may remove or empty a file to write it again.
const AGAIN: Duration = Duration::from_millis(250);

/// The files that somebody wants looked at, for the task that does so.
#[derive(Debug, Default)]
struct WantedLooks {
    paths: Mutex<BTreeSet<WorkspacePath>>,
    asked: Notify,
}

/// The reason for which files are checked.
#[derive(Debug)]
enum LookReason {
    /// All files may have changed: the folder was opened, or the watch missed something.
    Any,
    /// The watch reported changes.
    Changed(Arc<ChangeBatch>),
    /// Files that somebody asked to check.
    Asked,
    /// The time for the next comparison came.
    Time,
}

impl LookReason {
    fn from_batch(batch: Arc<ChangeBatch>) -> Self {
        match batch.rescan {
            // Files that went with the root are reported one by one.
            None | Some(RescanReason::RootMissing) => Self::Changed(batch),
            Some(_) => Self::Any,
        }
    }
}

/// The state of the files that the task remembers between two checks.
#[derive(Debug, Default)]
struct SeenFiles {
    /// True where hunks stand in files that the watch does not list.
    polls: bool,
    /// The time of the last comparison of those.
    compared: Option<Instant>,
    /// Those, as they were then.
    unlisted: HashMap<WorkspacePath, Option<StatStamp>>,
    /// The files to check once more.
    again: BTreeSet<WorkspacePath>,
}

/// The files on the disk in which hunks stand: those that change are compared.
#[derive(Debug)]
pub struct DiskFollower {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    /// The files that are to be looked at.
    looks: Arc<WantedLooks>,
}

impl Drop for DiskFollower {
    /// Wakes the task that waits for files to check, so that it ends.
    fn drop(&mut self) {
        self.looks.asked.notify_one();
    }
}

impl DiskFollower {
    /// Follows no file before [`Self::follow_disk`] is called.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
    ) -> Self {
        Self { session, store, texts, looks: Arc::default() }
    }

    /// Makes hunks follow the files on the disk from now on, for as long as this exists. Does nothing outside of a
    /// runtime.
    pub fn follow_disk(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        let changes = self.session.search().subscribe_changes();
        runtime.spawn(follow_changes(Arc::downgrade(self), self.looks.clone(), changes));
    }

    /// Requests a check of files soon, where they have hunks.
    pub fn look_soon(&self, paths: impl IntoIterator<Item = WorkspacePath>) {
        self.looks.paths.lock().extend(paths);
        self.looks.asked.notify_one();
    }

    /// Checks the files with hunks that the reason asks to check.
    fn check_files(&self, reason: &LookReason, mut seen: SeenFiles) -> SeenFiles {
        let again = match reason {
            LookReason::Time => take(&mut seen.again),
            _ => BTreeSet::new(),
        };
        let mut wanted = take(&mut *self.looks.paths.lock());
        wanted.extend(again.iter().cloned());
        if let LookReason::Changed(batch) = reason {
            for (from, to) in renamed_paths(batch) {
                self.texts.follow_move(&from, &to);
            }
            wanted.extend(named_paths(batch));
        }
        wanted.retain(|path| self.texts.is_followed(path));
        let listed = self.session.search().watched_files();
        let is_listed =
            |path: &WorkspacePath| listed.as_ref().is_some_and(|listed| listed.get(path.as_str()).is_some());
        seen.polls |= wanted.iter().any(|path| !is_listed(path));
        let is_any = matches!(reason, LookReason::Any);
        if is_any || (seen.polls && seen.compared.is_none_or(|at| at.elapsed() >= POLL)) {
            let followed = self.texts.followed_paths();
            let unlisted = followed.iter().filter(|path| !is_listed(path)).cloned().collect();
            wanted.extend(self.changed_files(unlisted, &mut seen));
            wanted.extend(followed.into_iter().filter(|_| is_any));
        }
        for path in wanted {
            // A second time it counts as it is.
            let is_blank = !again.contains(&path) && self.is_blank(&path);
            let is_shown = || self.session.files().document_at(&path).is_some();
            if (is_blank && !is_shown() && !self.was_blank(&path)) || !self.texts.look_again(&path) {
                seen.again.insert(path);
            }
        }
        seen
    }

    /// Returns the files that changed among those that the watch does not list.
    fn changed_files(&self, unlisted: Vec<WorkspacePath>, seen: &mut SeenFiles) -> Vec<WorkspacePath> {
        let files = self.session.files().opened_by(FileOpener::Person);
        let stamp = |path: &WorkspacePath| {
            Some(StatStamp::from_metadata(&files.open(path).ok()?.file.metadata().ok()?))
        };
        seen.polls = !unlisted.is_empty();
        seen.compared = Some(Instant::now());
        let now: HashMap<WorkspacePath, Option<StatStamp>> =
            unlisted.into_iter().map(|path| (path.clone(), stamp(&path))).collect();
        let was = std::mem::replace(&mut seen.unlisted, now);
        let is_other = |(path, stamp): &(&WorkspacePath, &Option<StatStamp>)| was.get(*path) != Some(*stamp);
        seen.unlisted.iter().filter(is_other).map(|(path, _)| path.clone()).collect()
    }

    /// Returns whether a file is missing or empty, as a program leaves it for a moment when it writes it.
    fn is_blank(&self, path: &WorkspacePath) -> bool {
        let files = self.session.files().opened_by(FileOpener::Person);
        let length = || Some(files.open(path).ok()?.file.metadata().ok()?.len());
        self.session.files().is_gone(path).is_ok_and(|is_gone| is_gone) || length() == Some(0)
    }

    /// Returns whether hunks stand in a file that was missing or empty before.
    fn was_blank(&self, path: &WorkspacePath) -> bool {
        let items = self.store.items();
        items.items_at(path).all(|item| {
            let files = item.proposal().files.iter().zip(item.views());
            files
                .filter(|(file, _)| file.path == *path)
                .all(|(_, view)| view.text.as_deref().is_none_or(str::is_empty))
        })
    }
}

/// The task that waits for files to check, and checks them on a thread that may block.
async fn follow_changes(
    disk: Weak<DiskFollower>,
    looks: Arc<WantedLooks>,
    mut changes: Option<ChangeListener>,
) {
    let mut seen = SeenFiles::default();
    let mut reason = LookReason::Any;
    loop {
        let Some(disk) = disk.upgrade() else { return };
        let Ok(now) = tokio::task::spawn_blocking(move || disk.check_files(&reason, seen)).await else {
            return;
        };
        seen = now;
        let time = match (seen.again.is_empty(), seen.polls) {
            (false, _) => AGAIN,
            (true, true) => POLL,
            (true, false) => Duration::MAX,
        };
        reason = tokio::select! {
            batch = next_batch(&mut changes) => match batch {
                Some(batch) => LookReason::from_batch(batch),
                // The folder is served no longer.
                None => return,
            },
            () = looks.asked.notified() => LookReason::Asked,
            () = tokio::time::sleep(time) => LookReason::Time,
        };
    }
}

/// The next changes; never where nothing is watched.
async fn next_batch(changes: &mut Option<ChangeListener>) -> Option<Arc<ChangeBatch>> {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}

/// The files that a batch says were moved, each with its new path.
fn renamed_paths(batch: &ChangeBatch) -> impl Iterator<Item = (WorkspacePath, WorkspacePath)> {
    batch.changes.iter().filter_map(|change| match &change.kind {
        FileChangeKind::Renamed { from } => {
            Some((WorkspacePath::from_relative(from)?, WorkspacePath::from_relative(&change.path)?))
        }
        _ => None,
    })
}

/// The files that a batch names.
fn named_paths(batch: &ChangeBatch) -> impl Iterator<Item = WorkspacePath> {
    let paths = batch.changes.iter().flat_map(|change| {
        let from = match &change.kind {
            FileChangeKind::Renamed { from } => Some(from),
            _ => None,
        };
        [Some(&change.path), from].into_iter().flatten()
    });
    paths.filter_map(|path| WorkspacePath::from_relative(path))
}
