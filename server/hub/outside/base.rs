//! The known content of a folder's files: as git's commit has them, except for those that were noted.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tokio_util::sync::CancellationToken;

use super::git_marks::GitMarks;
use crate::base::WorkspacePath;
use crate::execution::GitReader;
use crate::hub::ServedFolder;
use crate::protocol::{Door, Origin};
use crate::session::{CallScope, KnownContent, KnownFiles, SessionFiles};
use crate::watch::FileSnapshot;

/// Files that are read when somebody comes, and their bytes: those that are not as git has them.
const READ: (usize, u64) = (1_000, 4 << 20);

/// The known state of a folder's files as of the last look.
pub(super) struct OutsideBase {
    /// The files that there were.
    pub(super) seen: Arc<FileSnapshot>,
    /// The commit that a file without a note equals; nothing without git.
    pub(super) commit: Option<String>,
    /// Git's marks then.
    pub(super) marks: Option<GitMarks>,
    /// The time of that, by both clocks.
    pub(super) at: (Instant, SystemTime),
    /// The number of our programs with direct writes that had begun or ended.
    pub(super) writes: u64,
}

impl OutsideBase {
    /// Notes the current content of the files that git does not know. Nothing where the files are not listed in time.
    pub(super) async fn capture_state(folder: &Arc<ServedFolder>) -> Option<Self> {
        let session = folder.session().clone();
        session.files().known_files().start_notes();
        let at = (Instant::now(), SystemTime::now());
        let (writes, _) = session.files().known_files().write_count();
        let marks = GitMarks::at_root(Path::new(session.workspace().root()));
        let search = session.search().clone();
        let seen = tokio::task::spawn_blocking(move || search.settled_files()).await.ok()??;
        let changed = match marks {
            Some(_) => changed_since_commit(folder).await,
            None => None,
        };
        let (commit, changed) = match changed {
            Some((commit, paths)) => (Some(commit), paths),
            None => (None, seen.iter().filter_map(|file| WorkspacePath::from_relative(&file.path)).collect()),
        };
        let (noting, listed) = (session.clone(), seen.clone());
        tokio::task::spawn_blocking(move || note_contents(noting.files(), &listed, &changed)).await.ok()?;
        session.files().known_files().mark_complete();
        Some(Self { seen, commit, marks, at, writes })
    }

    /// Returns the content of each of `paths` in the commit; nothing for one that the commit does not hold as it was on
    /// the disk: git may give files other line ends, or other bytes altogether.
    pub(super) async fn committed_contents(
        &self,
        folder: &Arc<ServedFolder>,
        paths: &[WorkspacePath],
    ) -> Vec<Option<Vec<u8>>> {
        let Some(commit) = self.commit.as_ref().filter(|_| !paths.is_empty()) else {
            return vec![None; paths.len()];
        };
        let scope = outside_scope(folder);
        let contents = match GitReader::open(folder.executor(), &scope, &[]) {
            Ok(reader) => reader.read_contents(commit, paths).await,
            Err(error) => Err(error),
        };
        contents.unwrap_or_else(|error| {
            tracing::info!("git does not say what files held: {error}");
            vec![None; paths.len()]
        })
    }
}

fn outside_scope(folder: &ServedFolder) -> CallScope {
    let origin = Origin::from_door(Door::Outside);
    CallScope::new(folder.session().clone(), &origin, CancellationToken::default(), None)
}

/// The commit that is checked out, and the files that are not as it has them; nothing where git cannot say.
async fn changed_since_commit(folder: &ServedFolder) -> Option<(String, Vec<WorkspacePath>)> {
    let scope = outside_scope(folder);
    let reader = GitReader::open(folder.executor(), &scope, &[]).ok()?;
    reader
        .changed_since_commit()
        .await
        .inspect_err(|error| tracing::info!("git does not say which files changed: {error}"))
        .ok()?
}

/// Notes what files hold. What is too much to be read counts as changed.
fn note_contents(files: &SessionFiles, listed: &FileSnapshot, paths: &[WorkspacePath]) {
    let known: &KnownFiles = files.known_files();
    let (mut count, mut bytes) = READ;
    for path in paths {
        let size = listed.get(path.as_str()).map(|file| file.stamp.size);
        let fits = size.is_none_or(|size| size <= bytes) && count > 0;
        count = count.saturating_sub(1);
        let content = if fits { files.content_now(path) } else { None };
        let content = content.unwrap_or(KnownContent::Lost);
        bytes = bytes.saturating_sub(size.filter(|_| fits).unwrap_or(0));
        known.note_content(path, content);
    }
}
