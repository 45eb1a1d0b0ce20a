//! What the files of a folder are known to hold: as git's commit has them, but for those that were noted.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tokio_util::sync::CancellationToken;

use super::git_marks::GitMarks;
use crate::base::WorkspacePath;
use crate::execution::GitReader;
use crate::hub::Folder;
use crate::protocol::{Door, Origin};
use crate::session::{KnownContent, KnownFiles, Scope, SessionFiles};
use crate::watch::Snapshot;

/// Files that are read when somebody comes, and their bytes: those that are not as git has them.
const READ: (usize, u64) = (1_000, 4 << 20);

/// What is known of a folder's files as of the last look.
pub(super) struct OutsideBase {
    /// The files that there were.
    pub(super) seen: Arc<Snapshot>,
    /// The commit as which each file stands that was not noted; nothing without git.
    pub(super) commit: Option<String>,
    /// Git's marks then.
    pub(super) marks: Option<GitMarks>,
    /// When that was, by both clocks.
    pub(super) at: (Instant, SystemTime),
    /// How many programs of ours that write at once had begun or ended.
    pub(super) writes: u64,
}

impl OutsideBase {
    /// Notes what the files hold now, as far as git does not know it. Nothing where the files are not listed in time.
    pub(super) async fn take(folder: &Arc<Folder>) -> Option<Self> {
        let session = folder.session().clone();
        session.files().known().begin();
        let at = (Instant::now(), SystemTime::now());
        let (writes, _) = session.files().known().writes();
        let marks = GitMarks::of(Path::new(session.workspace().root()));
        let search = session.search().clone();
        let seen = tokio::task::spawn_blocking(move || search.settled_files()).await.ok()??;
        let changed = match marks {
            Some(_) => changed_since_commit(folder).await,
            None => None,
        };
        let (commit, changed) = match changed {
            Some((commit, paths)) => (Some(commit), paths),
            None => (None, seen.iter().filter_map(|file| WorkspacePath::clean(&file.path)).collect()),
        };
        let (noting, listed) = (session.clone(), seen.clone());
        tokio::task::spawn_blocking(move || note(noting.files(), &listed, &changed)).await.ok()?;
        session.files().known().noted_all();
        Some(Self { seen, commit, marks, at, writes })
    }

    /// What each of `paths` holds in the commit; nothing for one that it does not hold as it stood on the disk: git may give
    /// files other line ends, or other bytes altogether.
    pub(super) async fn committed(
        &self,
        folder: &Arc<Folder>,
        paths: &[WorkspacePath],
    ) -> Vec<Option<Vec<u8>>> {
        let Some(commit) = self.commit.as_ref().filter(|_| !paths.is_empty()) else {
            return vec![None; paths.len()];
        };
        let scope = scope(folder);
        let contents = match GitReader::open(folder.executor(), &scope, &[]) {
            Ok(reader) => reader.contents(commit, paths).await,
            Err(error) => Err(error),
        };
        contents.unwrap_or_else(|error| {
            tracing::info!("git does not say what files held: {error}");
            vec![None; paths.len()]
        })
    }
}

fn scope(folder: &Folder) -> Scope {
    let origin = Origin::door(Door::Outside);
    Scope::new(folder.session().clone(), &origin, CancellationToken::default(), None)
}

/// The commit that is checked out, and the files that are not as it has them; nothing where git cannot say.
async fn changed_since_commit(folder: &Folder) -> Option<(String, Vec<WorkspacePath>)> {
    let scope = scope(folder);
    let reader = GitReader::open(folder.executor(), &scope, &[]).ok()?;
    reader
        .changed_since_commit()
        .await
        .inspect_err(|error| tracing::info!("git does not say which files changed: {error}"))
        .ok()?
}

/// Notes what files hold. What is too much to be read counts as changed.
fn note(files: &SessionFiles, listed: &Snapshot, paths: &[WorkspacePath]) {
    let known: &KnownFiles = files.known();
    let (mut count, mut bytes) = READ;
    for path in paths {
        let size = listed.get(path.as_str()).map(|file| file.stamp.size);
        let fits = size.is_none_or(|size| size <= bytes) && count > 0;
        count = count.saturating_sub(1);
        let content = if fits { files.held(path) } else { None };
        let content = content.unwrap_or(KnownContent::Lost);
        bytes = bytes.saturating_sub(size.filter(|_| fits).unwrap_or(0));
        known.note(path, content);
    }
}
