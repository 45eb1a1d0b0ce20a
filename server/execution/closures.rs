//! The paths of a workspace that are closed to a command, and those that it may not write, by the rules.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rustix::fs::{AtFlags, Mode, OFlags, Stat};

use super::guard;
use super::ignored_paths::IgnoredPaths;
use crate::base::WorkspacePath;
use crate::protocol::PathAccess;
use crate::rules::{PathRuling, WorkspaceRules};
use crate::sandbox::{FileReplacement, PathGuard};
use crate::workspace::WorkspaceFiles;

/// The time that a folder has to stand still before what it holds is remembered: its time stamp may be that coarse.
const STILL: Duration = Duration::from_secs(2);
/// The least number of folders for one thread, and the most threads at once.
const SHARE: usize = 500;
const THREADS: usize = 4;
/// Bytes of the longest path of a folder that is looked into: one more name makes the longest that the system takes.
const LONGEST: usize = 4096 - 257;
/// The deepest ignored folder that is reported: build folders are high up.
const IGNORED: usize = 4;

/// The closed paths of a workspace, for a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Closures {
    /// Closed to reading, and so to writing.
    pub(crate) masked: Vec<PathBuf>,
    /// The paths that a tool's definition closes in addition.
    pub(crate) hidden: Vec<PathBuf>,
    /// Files that are closed, or tell of closed ones, and the bytes that a command finds in them.
    pub(crate) shown: Vec<FileReplacement>,
    /// Closed to writing.
    pub(crate) protected: Vec<PathBuf>,
    /// The outermost folders that git ignores.
    pub(crate) ignored: Vec<PathBuf>,
    /// Closes what a command makes, by its path.
    pub(crate) guard: PathGuard,
}

/// Finds what the rules close. Folders that did not change since the last look are not listed again.
#[derive(Debug, Default)]
pub(crate) struct ClosureFinder(Mutex<KnownClosures>);

#[derive(Debug, Default)]
struct KnownClosures {
    /// The rules that it was found by.
    rules: Option<Arc<WorkspaceRules>>,
    /// The guard over entries that a command makes.
    guard: PathGuard,
    folders: KnownFolders,
    /// The combined result, where every folder is among `folders`.
    whole: Option<WholeFound>,
}

/// The result for a workspace in which no folder changed.
#[derive(Debug)]
struct WholeFound {
    found: FoundClosures,
    /// The ignore files that it was found by, as they stood then.
    ignore_files: Vec<(PathBuf, Option<EntryStamp>)>,
}

/// The paths that the rules close, for any caller.
#[derive(Clone, Debug, Default)]
struct FoundClosures {
    closures: Closures,
    /// The paths that are closed to reading until the person agrees.
    asked: Vec<(PathBuf, WorkspacePath)>,
}

/// The findings of each folder by path, with the folder's stamp.
type KnownFolders = HashMap<OsString, (EntryStamp, Arc<FolderClosures>), foldhash::fast::RandomState>;

/// A stamp that changes when a folder's entries or a file's content change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryStamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

/// The rules' findings in one folder.
#[derive(Debug, Default)]
struct FolderClosures {
    /// Never read.
    masked: Vec<OsString>,
    /// The entries that are read once the person agrees.
    asked: Vec<(OsString, WorkspacePath)>,
    /// Never written.
    protected: Vec<OsString>,
    /// True where no rule speaks of the folder, nor of one above it.
    is_silent: bool,
    folders: Vec<(OsString, WorkspacePath)>,
}

impl ClosureFinder {
    /// Returns the paths of the workspace behind `files` that the rules close, given the person's consents that `files`
    /// knows. Symlinks are not followed: their targets are judged by their own paths.
    ///
    /// # Errors
    /// Fails where the root cannot be listed. A folder further down that cannot be listed is left out: the command
    /// cannot list it either.
    pub(crate) fn find(&self, files: &WorkspaceFiles) -> io::Result<Closures> {
        let mut known = self.0.lock();
        if !known.rules.as_ref().is_some_and(|rules| Arc::ptr_eq(rules, files.paths().rules())) {
            let guard = guard::workspace_guard(
                files.paths().rules().clone(),
                PathBuf::from(files.paths().root().real_path()),
            );
            *known = KnownClosures {
                rules: Some(files.paths().rules().clone()),
                guard,
                ..KnownClosures::default()
            };
        }
        let root = PathBuf::from(files.paths().root().real_path());
        let changed = changed_folders(&root, &known.folders);
        let whole = known.whole.take().filter(|whole| changed.is_empty() && whole.is_current());
        if let Some(whole) = whole {
            let closures = Closures { guard: known.guard.clone(), ..whole.found.for_files(files) };
            known.whole = Some(whole);
            return Ok(closures);
        }
        changed.iter().for_each(|folder| drop(known.folders.remove(folder)));
        let mut search = ClosureSearch::new(files, &root, std::mem::take(&mut known.folders));
        search.search_root(&root)?;
        let closures = Closures { guard: known.guard.clone(), ..search.found.for_files(files) };
        known.whole = search.to_whole_found();
        known.folders = search.seen;
        Ok(closures)
    }
}

impl FoundClosures {
    /// Returns the closed paths, given the person's consents that `files` knows.
    fn for_files(&self, files: &WorkspaceFiles) -> Closures {
        let mut closures = self.closures.clone();
        let asked = self.asked.iter().filter(|(_, path)| files.paths().asking_rule(path).is_some());
        closures.masked.extend(asked.map(|(place, _)| place.clone()));
        closures
    }
}

impl WholeFound {
    /// Returns whether git ignores what it ignored then.
    fn is_current(&self) -> bool {
        self.ignore_files.iter().all(|(file, before)| entry_stamp(file).ok() == *before)
    }
}

struct ClosureSearch<'f> {
    files: &'f WorkspaceFiles,
    /// The findings of folders that did not change.
    before: KnownFolders,
    ignored: IgnoredPaths,
    seen: KnownFolders,
    found: FoundClosures,
    /// True where each folder stood still.
    is_still: bool,
    began: SystemTime,
}

/// A folder that is looked into later.
type WaitingFolder = (PathBuf, WorkspacePath, FolderDepth);

/// The depth of a folder.
#[derive(Clone, Copy)]
struct FolderDepth {
    /// The number of folders that stand above it.
    folders: usize,
    /// True where git ignores it, or one of those.
    is_ignored: bool,
    /// True where no rule speaks of one of those.
    is_silent: bool,
}

impl<'f> ClosureSearch<'f> {
    fn new(files: &'f WorkspaceFiles, root: &Path, before: KnownFolders) -> Self {
        let (seen, found) = (KnownFolders::default(), FoundClosures::default());
        Self {
            files,
            before,
            ignored: IgnoredPaths::at_root(root),
            seen,
            found,
            is_still: true,
            began: SystemTime::now(),
        }
    }

    /// Returns the result, where the next search may trust it.
    fn to_whole_found(&self) -> Option<WholeFound> {
        let stamped = |file: PathBuf| {
            let stamp = entry_stamp(&file).ok();
            (file, stamp)
        };
        let ignore_files: Vec<_> = self.ignored.ignore_files().map(stamped).collect();
        // A folder that changed after it was read would be trusted in its earlier state.
        let was_still = |stamp: &EntryStamp| was_still(*stamp, self.began);
        let are_still = ignore_files.iter().filter_map(|(_, stamp)| stamp.as_ref()).all(was_still);
        (self.is_still && are_still).then(|| WholeFound { found: self.found.clone(), ignore_files })
    }

    /// Looks into the workspace's root and into everything below.
    fn search_root(&mut self, root: &Path) -> io::Result<()> {
        let mut waiting = self.look_into(
            root,
            &WorkspacePath::root(),
            FolderDepth { folders: 0, is_ignored: false, is_silent: true },
        )?;
        while let Some((place, path, depth)) = waiting.pop() {
            // A folder that is gone by now, or that may not be listed, holds nothing for the command either.
            waiting.extend(self.look_into(&place, &path, depth).unwrap_or_default());
        }
        Ok(())
    }

    /// Looks into one folder. The answer is the folders in it.
    fn look_into(
        &mut self,
        at: &Path,
        path: &WorkspacePath,
        depth: FolderDepth,
    ) -> io::Result<Vec<WaitingFolder>> {
        let (stamp, closures) = match self.before.remove(at.as_os_str()) {
            Some(known) => known,
            None => (
                entry_stamp(at)?,
                Arc::new(list_folder(self.files.paths().rules(), at, path, depth.is_silent)?),
            ),
        };
        self.found.closures.masked.extend(closures.masked.iter().map(|name| at.join(name)));
        self.found.asked.extend(closures.asked.iter().map(|(name, path)| (at.join(name), path.clone())));
        self.found.closures.protected.extend(closures.protected.iter().map(|name| at.join(name)));
        let mut waiting = Vec::new();
        for (name, below) in &closures.folders {
            let place = at.join(name);
            if place.as_os_str().len() > LONGEST {
                // An entry below it has no path that could be closed by itself.
                self.found.closures.masked.push(place);
                continue;
            }
            let is_new =
                !depth.is_ignored && depth.folders < IGNORED && self.ignored.has_own_rule(below, true);
            if is_new && !closures.protected.contains(name) {
                self.found.closures.ignored.push(place.clone());
            }
            let is_ignored = depth.is_ignored || is_new;
            waiting.push((
                place,
                below.clone(),
                FolderDepth { folders: depth.folders + 1, is_ignored, is_silent: closures.is_silent },
            ));
        }
        // The first one is looked into first.
        waiting.reverse();
        match was_still(stamp, SystemTime::now()) {
            true => drop(self.seen.insert(at.as_os_str().to_owned(), (stamp, closures))),
            false => self.is_still = false,
        }
        Ok(waiting)
    }
}

/// Returns the folders below `root` whose stamps changed. The system is asked for each, by several threads where there
/// are many.
fn changed_folders(root: &Path, folders: &KnownFolders) -> Vec<OsString> {
    let all: Vec<(&OsString, EntryStamp)> =
        folders.iter().map(|(folder, (stamp, _))| (folder, *stamp)).collect();
    // A short path is found sooner.
    let Ok(above) = rustix::fs::open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    else {
        return all.into_iter().map(|(folder, _)| folder.clone()).collect();
    };
    let stands = |(folder, before): &(&OsString, EntryStamp)| {
        let below = Path::new(folder).strip_prefix(root).unwrap_or(Path::new(folder));
        let found = match below.as_os_str().is_empty() {
            true => rustix::fs::fstat(&above),
            false => rustix::fs::statat(&above, below, AtFlags::SYMLINK_NOFOLLOW),
        };
        found.is_ok_and(|now| EntryStamp::from_stat(&now) == *before)
    };
    let of_share = |share: &[(&OsString, EntryStamp)]| -> Vec<OsString> {
        share.iter().filter(|known| !stands(known)).map(|(folder, _)| (*folder).clone()).collect()
    };
    // Starting threads costs the system more than checking a few folders does.
    let threads = match all.len() {
        ..=SHARE => 1,
        _ => thread::available_parallelism().map_or(1, NonZero::get).min(THREADS),
    };
    let share = all.len().div_ceil(threads).max(SHARE);
    thread::scope(|scope| {
        let (first, rest) = all.split_at(share.min(all.len()));
        let rest: Vec<_> =
            rest.chunks(share).map(|share| (share, scope.spawn(move || of_share(share)))).collect();
        let mut changed = of_share(first);
        for (share, thread) in rest {
            // A thread that ended early is of no use to anybody; its share is looked at here.
            changed.extend(thread.join().unwrap_or_else(|_| of_share(share)));
        }
        changed
    })
}

impl EntryStamp {
    /// A stamp of these: the device, the inode, and the time of the last change of the entry.
    pub(super) fn new(device: u64, inode: u64, changed: (i64, i64)) -> Self {
        Self { device, inode, changed }
    }

    /// Returns the stamp of the entry of `stat`.
    pub(super) fn from_stat(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            changed: (stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
        }
    }
}

fn entry_stamp(entry: &Path) -> io::Result<EntryStamp> {
    Ok(EntryStamp::from_stat(&rustix::fs::lstat(entry)?))
}

/// Lists a folder and judges each entry. `is_silent`: no rule speaks of a folder above it.
fn list_folder(
    rules: &WorkspaceRules,
    at: &Path,
    folder: &WorkspacePath,
    is_silent: bool,
) -> io::Result<FolderClosures> {
    let is_silent = is_silent && (folder.is_root() || rules.paths().is_silent_on(folder));
    let mut closures = FolderClosures { is_silent, ..FolderClosures::default() };
    for entry in fs::read_dir(at)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        // A name that is no text is judged by its other characters.
        let path = folder.join(&name.to_string_lossy());
        let Some(path) = path.filter(|_| !kind.is_symlink()) else { continue };
        if is_silent && rules.paths().is_silent_on(&path) {
            if kind.is_dir() {
                closures.folders.push((name, path));
            }
            continue;
        }
        match rules.paths().check_access(PathAccess::Read, &path) {
            PathRuling::Deny { .. } => {
                closures.masked.push(name);
                continue;
            }
            PathRuling::Ask { .. } => closures.asked.push((name.clone(), path.clone())),
            PathRuling::Allow => {}
        }
        if matches!(rules.paths().check_direct_write(&path), PathRuling::Deny { .. })
            && !guard::is_weights(&entry.path())
        {
            closures.protected.push(name.clone());
        }
        if kind.is_dir() {
            closures.folders.push((name, path));
        }
    }
    Ok(closures)
}

/// Returns whether an entry with this stamp had been unchanged for a while at `time`.
pub(super) fn was_still(stamp: EntryStamp, time: SystemTime) -> bool {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = u64::try_from(stamp.changed.0).unwrap_or_default();
    time.saturating_sub(Duration::from_secs(changed)) > STILL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RuleSettings;
    use crate::rules::FileOpener;
    use crate::workspace::{WorkspaceRoot, WorkspaceState};

    #[test]
    fn what_is_remembered_is_left_as_soon_as_the_workspace_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("work");
        for below in ["a/b", "build"] {
            fs::create_dir_all(at.join(below)).unwrap();
        }
        fs::write(at.join(".gitignore"), "build/\n").unwrap();
        fs::write(at.join("a/server.pem"), "").unwrap();
        let (rules, _) = WorkspaceRules::new(&RuleSettings::default(), &RuleSettings::default());
        let root = WorkspaceRoot::open(&at).unwrap();
        let at = PathBuf::from(root.real_path());
        let state = WorkspaceState::new(Arc::new(root), Some(folder.path().join("state")));
        let files = WorkspaceFiles::new(Arc::new(state), Arc::new(rules), FileOpener::NoConsent);
        let finder = ClosureFinder::default();
        let is_whole = || finder.0.lock().whole.is_some();

        let first = finder.find(&files).unwrap();
        assert!(!is_whole(), "its folders changed just now");
        assert_eq!(
            (&first.masked, &first.ignored),
            (&vec![at.join("a/server.pem")], &vec![at.join("build")])
        );
        thread::sleep(STILL + Duration::from_millis(200));
        assert_eq!((finder.find(&files).unwrap(), is_whole()), (first.clone(), true));
        assert_eq!((finder.find(&files).unwrap(), is_whole()), (first.clone(), true));

        fs::write(at.join(".gitignore"), "other/\n").unwrap();
        assert_eq!(finder.find(&files).unwrap().ignored, Vec::<PathBuf>::new());
        fs::write(at.join("a/b/client.pem"), "").unwrap();
        let masked = finder.find(&files).unwrap().masked;
        assert!(masked.contains(&at.join("a/b/client.pem")) && masked.len() == 2, "{masked:?}");
        assert!(!is_whole());
    }
}
