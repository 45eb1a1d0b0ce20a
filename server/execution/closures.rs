//! What of a workspace a command finds closed, and what it may not write: the paths that the rules speak of.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use super::ignored::IgnoredPaths;
use crate::base::WorkspacePath;
use crate::protocol::Access;
use crate::rules::{Rules, Ruling};
use crate::workspace::Files;

/// How long a folder has to stand still before what it holds is remembered: its time stamp may be that coarse.
const STILL: Duration = Duration::from_secs(2);
/// How many folders one thread is given at least, and the most threads at once.
const SHARE: usize = 500;
const THREADS: usize = 4;
/// The deepest folder that is looked into.
const DEEPEST: usize = 200;
/// The deepest folder that is told to be ignored: build folders stand high up.
const IGNORED: usize = 4;

/// What a command finds closed in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Closures {
    /// Closed to reading, and so to writing.
    pub(crate) masked: Vec<PathBuf>,
    /// Closed to writing.
    pub(crate) protected: Vec<PathBuf>,
    /// The outermost folders that git ignores.
    pub(crate) ignored: Vec<PathBuf>,
}

/// Finds what the rules close. Folders that did not change since the last look are not listed again.
#[derive(Debug, Default)]
pub(crate) struct ClosureFinder(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The rules that it was found by.
    rules: Option<Arc<Rules>>,
    folders: KnownFolders,
}

/// What was found in folders, by path, each as it stood then.
type KnownFolders = HashMap<OsString, (FolderStamp, Arc<FolderClosures>), foldhash::fast::RandomState>;

/// What tells that a folder holds other entries than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FolderStamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

/// What of one folder the rules speak of.
#[derive(Debug, Default)]
struct FolderClosures {
    /// Never read.
    masked: Vec<OsString>,
    /// Read once the person says yes.
    asked: Vec<(OsString, WorkspacePath)>,
    /// Never written.
    protected: Vec<OsString>,
    folders: Vec<WorkspacePath>,
}

impl ClosureFinder {
    /// What the rules close of the workspace behind `files`, where a person said no more yes than `files` knows of. Symlinks
    /// are not followed: what they lead to is judged by its own path.
    ///
    /// # Errors
    /// Where the root cannot be listed. A folder further down that cannot be listed is left out: the command cannot list it
    /// either.
    pub(crate) fn find(&self, files: &Files) -> io::Result<Closures> {
        let mut known = self.0.lock();
        if !known.rules.as_ref().is_some_and(|rules| Arc::ptr_eq(rules, files.rules())) {
            *known = Known { rules: Some(files.rules().clone()), folders: KnownFolders::default() };
        }
        let root = PathBuf::from(files.root().real());
        let before = still_true(std::mem::take(&mut known.folders));
        let ignored = IgnoredPaths::of(&root);
        let mut search =
            Search { files, before, ignored, found: Closures::default(), seen: KnownFolders::default() };
        search.folder(&root, &WorkspacePath::root(), Depth { folders: 0, is_ignored: false })?;
        known.folders = search.seen;
        Ok(search.found)
    }
}

struct Search<'f> {
    files: &'f Files,
    /// What is known of folders that did not change.
    before: KnownFolders,
    ignored: IgnoredPaths,
    seen: KnownFolders,
    found: Closures,
}

/// How far down a folder stands.
#[derive(Clone, Copy)]
struct Depth {
    /// How many folders stand above it.
    folders: usize,
    /// Whether git ignores it, or one of those.
    is_ignored: bool,
}

impl Search<'_> {
    fn folder(&mut self, at: &Path, path: &WorkspacePath, depth: Depth) -> io::Result<()> {
        let (stamp, closures) = match self.before.remove(at.as_os_str()) {
            Some(known) => known,
            None => (stamp(at)?, Arc::new(listed(self.files.rules(), at, path)?)),
        };
        self.found.masked.extend(closures.masked.iter().map(|name| at.join(name)));
        let asked = closures.asked.iter().filter(|(_, path)| self.files.asks(path).is_some());
        self.found.masked.extend(asked.map(|(name, _)| at.join(name)));
        self.found.protected.extend(closures.protected.iter().map(|name| at.join(name)));
        if depth.folders < DEEPEST {
            for below in &closures.folders {
                let place = at.join(below.name());
                let is_new =
                    !depth.is_ignored && depth.folders < IGNORED && self.ignored.ignores(below, true);
                if is_new && !closures.protected.iter().any(|name| name == below.name()) {
                    self.found.ignored.push(place.clone());
                }
                let is_ignored = depth.is_ignored || is_new;
                // One that is gone by now, or that may not be listed, holds nothing for the command either.
                let _ = self.folder(&place, below, Depth { folders: depth.folders + 1, is_ignored });
            }
        }
        if is_still(stamp) {
            self.seen.insert(at.as_os_str().to_owned(), (stamp, closures));
        }
        Ok(())
    }
}

/// Those of the folders that stand as they stood then. Each is asked of the system, by several threads where there are many.
fn still_true(mut folders: KnownFolders) -> KnownFolders {
    let all: Vec<(&OsString, FolderStamp)> =
        folders.iter().map(|(folder, (stamp, _))| (folder, *stamp)).collect();
    let of_share = |share: &[(&OsString, FolderStamp)]| -> Vec<OsString> {
        let changed =
            share.iter().filter(|(folder, before)| !stamp(Path::new(folder)).is_ok_and(|now| now == *before));
        changed.map(|(folder, _)| (*folder).clone()).collect()
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    let share = all.len().div_ceil(threads).max(SHARE);
    let changed: Vec<OsString> = thread::scope(|scope| {
        let (first, rest) = all.split_at(share.min(all.len()));
        let rest: Vec<_> =
            rest.chunks(share).map(|share| (share, scope.spawn(move || of_share(share)))).collect();
        let mut changed = of_share(first);
        for (share, thread) in rest {
            // A thread that ended early is of no use to anybody; its share is looked at here.
            changed.extend(thread.join().unwrap_or_else(|_| of_share(share)));
        }
        changed
    });
    changed.iter().for_each(|folder| drop(folders.remove(folder)));
    folders
}

fn stamp(folder: &Path) -> io::Result<FolderStamp> {
    let meta = fs::symlink_metadata(folder)?;
    Ok(FolderStamp { device: meta.dev(), inode: meta.ino(), changed: (meta.ctime(), meta.ctime_nsec()) })
}

/// Lists a folder and judges each entry.
fn listed(rules: &Rules, at: &Path, folder: &WorkspacePath) -> io::Result<FolderClosures> {
    let mut closures = FolderClosures::default();
    for entry in fs::read_dir(at)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        // A name that is no text is in no rule.
        let path = name.to_str().and_then(|name| folder.join(name));
        let Some(path) = path.filter(|_| !kind.is_symlink()) else { continue };
        match rules.check(Access::Read, &path) {
            Ruling::Deny { .. } => {
                closures.masked.push(name);
                continue;
            }
            Ruling::Ask { .. } => closures.asked.push((name.clone(), path.clone())),
            Ruling::Allow => {}
        }
        if matches!(rules.check(Access::Write, &path), Ruling::Deny { .. }) {
            closures.protected.push(name.clone());
        }
        if kind.is_dir() {
            closures.folders.push(path);
        }
    }
    Ok(closures)
}

fn is_still(stamp: FolderStamp) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = u64::try_from(stamp.changed.0).unwrap_or_default();
    now.saturating_sub(Duration::from_secs(changed)) > STILL
}
