//! What changes a waiting hunk is an event: the watch tells which files changed, and a task looks at those that hunks stand
//! in. A file that the watch does not list (an ignored one, one that is not there yet) is compared every few seconds.

use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

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
pub(super) struct WantedLooks {
    paths: Mutex<BTreeSet<WorkspacePath>>,
    asked: Notify,
}

impl WantedLooks {
    /// Has the task go on, which ends where the queue is gone.
    pub(super) fn wake(&self) {
        self.asked.notify_one();
    }
}

/// Why files are looked at.
#[derive(Debug)]
enum LookReason {
    /// All files may have changed: the folder was opened, or the watch missed something.
    Any,
    /// The watch tells of changes.
    Changed(Arc<Batch>),
    /// Somebody asked for some.
    Asked,
    /// Some time passed.
    Time,
}

impl LookReason {
    fn of(batch: Arc<Batch>) -> Self {
        match batch.rescan {
            // Files that went with the root are told one by one.
            None | Some(RescanReason::RootMissing) => Self::Changed(batch),
            Some(_) => Self::Any,
        }
    }
}

/// What the task knows of the files between two looks.
#[derive(Debug, Default)]
struct SeenFiles {
    /// Whether hunks stand in files that the watch does not list.
    polls: bool,
    /// When those were compared.
    compared: Option<Instant>,
    /// Those, as they were then.
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

    /// Looks at the files that hunks stand in, as far as there is a reason.
    fn look(&self, reason: &LookReason, mut seen: SeenFiles) -> SeenFiles {
        let again = match reason {
            LookReason::Time => take(&mut seen.again),
            _ => BTreeSet::new(),
        };
        let mut wanted = take(&mut *self.looks.paths.lock());
        wanted.extend(again.iter().cloned());
        if let LookReason::Changed(batch) = reason {
            wanted.extend(named(batch));
        }
        wanted.retain(|path| self.is_followed(path));
        let listed = self.session.search().watched();
        let is_listed =
            |path: &WorkspacePath| listed.as_ref().is_some_and(|listed| listed.get(path.as_str()).is_some());
        seen.polls |= wanted.iter().any(|path| !is_listed(path));
        let is_any = matches!(reason, LookReason::Any);
        if is_any || (seen.polls && seen.compared.is_none_or(|at| at.elapsed() >= POLL)) {
            let followed = self.followed_paths();
            let unlisted = followed.iter().filter(|path| !is_listed(path)).cloned().collect();
            wanted.extend(self.changed(unlisted, &mut seen));
            wanted.extend(followed.into_iter().filter(|_| is_any));
        }
        for path in wanted {
            // A second time it counts as it is.
            let is_gone = !again.contains(&path) && self.is_gone(&path).is_ok_and(|gone| gone);
            let is_shown = || self.session.files().document(&path).is_some();
            if (is_gone && !is_shown() && !self.was_gone(&path)) || !self.look_again(&path) {
                seen.again.insert(path);
            }
        }
        seen
    }

    /// Those files that are other than they were: of the files that the watch does not list.
    fn changed(&self, unlisted: Vec<WorkspacePath>, seen: &mut SeenFiles) -> Vec<WorkspacePath> {
        let files = self.session.files().opened_by(Opener::Person);
        let stamp =
            |path: &WorkspacePath| Some(Stamp::of_metadata(&files.open(path).ok()?.file.metadata().ok()?));
        seen.polls = !unlisted.is_empty();
        seen.compared = Some(Instant::now());
        let now: HashMap<WorkspacePath, Option<Stamp>> =
            unlisted.into_iter().map(|path| (path.clone(), stamp(&path))).collect();
        let was = std::mem::replace(&mut seen.unlisted, now);
        let is_other = |(path, stamp): &(&WorkspacePath, &Option<Stamp>)| was.get(*path) != Some(*stamp);
        seen.unlisted.iter().filter(is_other).map(|(path, _)| path.clone()).collect()
    }

    /// Whether hunks stand in a file that was not there before.
    fn was_gone(&self, path: &WorkspacePath) -> bool {
        let items = self.items();
        let on = items.on(path).into_iter().filter_map(|id| items.get(&id));
        on.into_iter().all(|item| {
            let files = item.proposal().files.iter().zip(item.views());
            files.filter(|(file, _)| file.path == *path).all(|(_, view)| view.text.is_none())
        })
    }
}

/// The task: it waits for something to look at, and looks where that keeps nobody from going on.
async fn follow(queue: Weak<ProposalQueue>, looks: Arc<WantedLooks>, mut changes: Option<Listener>) {
    let mut seen = SeenFiles::default();
    let mut reason = LookReason::Any;
    loop {
        let Some(queue) = queue.upgrade() else { return };
        let Ok(now) = tokio::task::spawn_blocking(move || queue.look(&reason, seen)).await else { return };
        seen = now;
        let time = match (seen.again.is_empty(), seen.polls) {
            (false, _) => AGAIN,
            (true, true) => POLL,
            (true, false) => Duration::MAX,
        };
        reason = tokio::select! {
            batch = next(&mut changes) => match batch {
                Some(batch) => LookReason::of(batch),
                // The folder is served no longer.
                None => return,
            },
            () = looks.asked.notified() => LookReason::Asked,
            () = tokio::time::sleep(time) => LookReason::Time,
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
