//! What changes a waiting hunk is an event: the watch tells which files changed, and a task looks at those that hunks stand
//! in. A file that the watch does not list (an ignored one, one that is not there yet) is compared every few seconds.

use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::queue::ProposalQueue;
use crate::base::WorkspacePath;
use crate::protocol::RescanReason;
use crate::rules::Opener;
use crate::watch::{Batch, ChangeKind, Listener, Stamp};

/// How often files that the watch does not list are compared.
const POLL: Duration = Duration::from_secs(2);
/// How long a file that is not there, or that a decision has its turn at, is left before it is looked at once more: a
/// program may remove a file to write it anew.
const AGAIN: Duration = Duration::from_millis(250);

/// The files that somebody wants looked at, for the task that does so.
#[derive(Debug, Default)]
pub(super) struct Looks {
    paths: Mutex<BTreeSet<WorkspacePath>>,
    asked: Notify,
}

impl Looks {
    /// Has the task go on, which ends where the queue is gone.
    pub(super) fn wake(&self) {
        self.asked.notify_one();
    }
}

/// Why files are looked at.
#[derive(Debug)]
enum Occasion {
    /// All files may have changed: the folder was opened, or the watch missed something.
    Any,
    /// The watch tells of changes.
    Changed(Arc<Batch>),
    /// Somebody asked for some.
    Asked,
    /// Some time passed.
    Time,
}

/// What the task knows of the files between two looks.
#[derive(Debug, Default)]
struct Known {
    /// The files that the watch does not list, as they were.
    unlisted: HashMap<WorkspacePath, Option<Stamp>>,
    /// Those to be looked at once more.
    again: BTreeSet<WorkspacePath>,
}

impl ProposalQueue {
    /// Has hunks follow the files on the disk from now on, for as long as the queue is there. Nothing happens outside of a
    /// runtime.
    pub fn follow_disk(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        let changes = self.session.search().changes();
        runtime.spawn(follow(Arc::downgrade(self), self.looks.clone(), changes));
    }

    /// Has files looked at soon, where hunks stand in them.
    pub fn look_soon(&self, paths: impl IntoIterator<Item = WorkspacePath>) {
        self.looks.paths.lock().extend(paths);
        self.looks.wake();
    }

    /// Looks at the files that hunks stand in, as far as the occasion asks for it.
    fn look(&self, occasion: &Occasion, mut known: Known) -> Known {
        let followed = self.followed_paths();
        let is_second = matches!(occasion, Occasion::Time);
        let again = if is_second { take(&mut known.again) } else { BTreeSet::new() };
        let mut wanted = take(&mut *self.looks.paths.lock());
        match occasion {
            Occasion::Any => wanted.extend(followed.iter().cloned()),
            Occasion::Changed(batch) => wanted.extend(named(batch)),
            Occasion::Asked | Occasion::Time => wanted.extend(again.iter().cloned()),
        }
        wanted.extend(self.changed_unlisted(&followed, &mut known));
        wanted.retain(|path| followed.contains(path));
        for path in wanted {
            // A second time it counts as it is.
            let is_gone = !again.contains(&path) && self.is_gone(&path).is_ok_and(|gone| gone);
            let is_shown = || self.session.files().document(&path).is_some();
            if (is_gone && !is_shown() && !self.was_gone(&path)) || !self.look_again(&path) {
                known.again.insert(path);
            }
        }
        known
    }

    /// The files that the watch does not list and that are other than they were.
    fn changed_unlisted(&self, followed: &BTreeSet<WorkspacePath>, known: &mut Known) -> Vec<WorkspacePath> {
        let listed = self.session.search().watched();
        let is_listed =
            |path: &WorkspacePath| listed.as_ref().is_some_and(|listed| listed.get(path.as_str()).is_some());
        let files = self.session.files().opened_by(Opener::Person);
        let stamp =
            |path: &WorkspacePath| Some(Stamp::of_metadata(&files.open(path).ok()?.file.metadata().ok()?));
        let now: HashMap<WorkspacePath, Option<Stamp>> =
            followed.iter().filter(|path| !is_listed(path)).map(|path| (path.clone(), stamp(path))).collect();
        let is_other =
            |(path, stamp): &(&WorkspacePath, &Option<Stamp>)| known.unlisted.get(*path) != Some(*stamp);
        let changed = now.iter().filter(is_other).map(|(path, _)| path.clone()).collect();
        known.unlisted = now;
        changed
    }

    /// Whether hunks stand in a file that was not there before.
    fn was_gone(&self, path: &WorkspacePath) -> bool {
        let items = self.items();
        let on = items.on(path).into_iter().filter_map(|id| items.get(&id));
        on.into_iter().all(|item| {
            let files = item.proposal.files.iter().zip(&item.views);
            files.filter(|(file, _)| file.path == *path).all(|(_, view)| view.text.is_none())
        })
    }
}

/// The task: it waits for something to look at, and looks where that keeps nobody from going on.
async fn follow(queue: Weak<ProposalQueue>, looks: Arc<Looks>, mut changes: Option<Listener>) {
    let mut known = Known::default();
    let mut occasion = Occasion::Any;
    loop {
        let Some(queue) = queue.upgrade() else { return };
        let Ok(now) = tokio::task::spawn_blocking(move || queue.look(&occasion, known)).await else { return };
        known = now;
        let time = match (known.again.is_empty(), known.unlisted.is_empty()) {
            (false, _) => AGAIN,
            (true, false) => POLL,
            (true, true) => Duration::MAX,
        };
        occasion = tokio::select! {
            batch = next(&mut changes) => match batch {
                Some(batch) if batch.rescan.is_some_and(|reason| reason != RescanReason::RootMissing) => Occasion::Any,
                Some(batch) => Occasion::Changed(batch),
                // The folder is served no longer.
                None => return,
            },
            () = looks.asked.notified() => Occasion::Asked,
            () = tokio::time::sleep(time) => Occasion::Time,
        };
    }
}

/// The next changes; never where nothing is watched.
async fn next(changes: &mut Option<Listener>) -> Option<Arc<Batch>> {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}

/// The files that a batch names.
fn named(batch: &Batch) -> impl Iterator<Item = WorkspacePath> {
    let paths = batch.changes.iter().flat_map(|change| {
        let from = match &change.kind {
            ChangeKind::Renamed { from } => Some(from),
            _ => None,
        };
        [Some(&change.path), from].into_iter().flatten()
    });
    paths.filter_map(|path| WorkspacePath::clean(path))
}
