//! What of a workspace a command finds closed, and what it may not write: the paths that the rules speak of.

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
    /// What all of them came to, where each is among `folders`.
    whole: Option<WholeFound>,
}

/// What was found in a workspace whose every folder stood still.
#[derive(Debug)]
struct WholeFound {
    found: Found,
    /// The ignore files that it was found by, as they stood then.
    ignore_files: Vec<(PathBuf, Option<EntryStamp>)>,
}

/// What the rules close, whoever asks.
#[derive(Clone, Debug, Default)]
struct Found {
    closures: Closures,
    /// Closed to reading until the person says yes.
    asked: Vec<(PathBuf, WorkspacePath)>,
}

/// What was found in folders, by path, each as it stood then.
type KnownFolders = HashMap<OsString, (EntryStamp, Arc<FolderClosures>), foldhash::fast::RandomState>;

/// What tells that a folder holds other entries than before, or a file another text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntryStamp {
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
            *known = Known { rules: Some(files.rules().clone()), ..Known::default() };
        }
        let root = PathBuf::from(files.root().real());
        let changed = changed(&root, &known.folders);
        let whole = known.whole.take().filter(|whole| changed.is_empty() && whole.is_current());
        if let Some(whole) = whole {
            let closures = whole.found.of(files);
            known.whole = Some(whole);
            return Ok(closures);
        }
        changed.iter().for_each(|folder| drop(known.folders.remove(folder)));
        let mut search = Search::new(files, &root, std::mem::take(&mut known.folders));
        search.folder(&root, &WorkspacePath::root(), Depth { folders: 0, is_ignored: false })?;
        let closures = search.found.of(files);
        known.whole = search.whole();
        known.folders = search.seen;
        Ok(closures)
    }
}

impl Found {
    /// What is closed where the person said no more yes than `files` knows of.
    fn of(&self, files: &Files) -> Closures {
        let mut closures = self.closures.clone();
        let asked = self.asked.iter().filter(|(_, path)| files.asks(path).is_some());
        closures.masked.extend(asked.map(|(place, _)| place.clone()));
        closures
    }
}

impl WholeFound {
    /// Whether git ignores what it ignored then.
    fn is_current(&self) -> bool {
        self.ignore_files.iter().all(|(file, before)| stamp(file).ok() == *before)
    }
}

struct Search<'f> {
    files: &'f Files,
    /// What is known of folders that did not change.
    before: KnownFolders,
    ignored: IgnoredPaths,
    seen: KnownFolders,
    found: Found,
    /// Whether each folder stood still.
    is_still: bool,
    began: SystemTime,
}

/// How far down a folder stands.
#[derive(Clone, Copy)]
struct Depth {
    /// How many folders stand above it.
    folders: usize,
    /// Whether git ignores it, or one of those.
    is_ignored: bool,
}

impl<'f> Search<'f> {
    fn new(files: &'f Files, root: &Path, before: KnownFolders) -> Self {
        let (seen, found) = (KnownFolders::default(), Found::default());
        Self {
            files,
            before,
            ignored: IgnoredPaths::of(root),
            seen,
            found,
            is_still: true,
            began: SystemTime::now(),
        }
    }

    /// What was found, where the next search may trust it.
    fn whole(&self) -> Option<WholeFound> {
        let stamped = |file: PathBuf| {
            let stamp = stamp(&file).ok();
            (file, stamp)
        };
        let ignore_files: Vec<_> = self.ignored.files().map(stamped).collect();
        // One that changed after it was read would be trusted as it was before.
        let was_still = |stamp: &EntryStamp| was_still(*stamp, self.began);
        let are_still = ignore_files.iter().filter_map(|(_, stamp)| stamp.as_ref()).all(was_still);
        (self.is_still && are_still).then(|| WholeFound { found: self.found.clone(), ignore_files })
    }

    fn folder(&mut self, at: &Path, path: &WorkspacePath, depth: Depth) -> io::Result<()> {
        let (stamp, closures) = match self.before.remove(at.as_os_str()) {
            Some(known) => known,
            None => (stamp(at)?, Arc::new(listed(self.files.rules(), at, path)?)),
        };
        self.found.closures.masked.extend(closures.masked.iter().map(|name| at.join(name)));
        self.found.asked.extend(closures.asked.iter().map(|(name, path)| (at.join(name), path.clone())));
        self.found.closures.protected.extend(closures.protected.iter().map(|name| at.join(name)));
        if depth.folders < DEEPEST {
            for below in &closures.folders {
                let place = at.join(below.name());
                let is_new =
                    !depth.is_ignored && depth.folders < IGNORED && self.ignored.ignores(below, true);
                if is_new && !closures.protected.iter().any(|name| name == below.name()) {
                    self.found.closures.ignored.push(place.clone());
                }
                let is_ignored = depth.is_ignored || is_new;
                // One that is gone by now, or that may not be listed, holds nothing for the command either.
                let _ = self.folder(&place, below, Depth { folders: depth.folders + 1, is_ignored });
            }
        }
        match was_still(stamp, SystemTime::now()) {
            true => drop(self.seen.insert(at.as_os_str().to_owned(), (stamp, closures))),
            false => self.is_still = false,
        }
        Ok(())
    }
}

/// Those of the folders below `root` that do not stand as they stood then. Each is asked of the system, by several threads
/// where there are many.
fn changed(root: &Path, folders: &KnownFolders) -> Vec<OsString> {
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
        found.is_ok_and(|now| EntryStamp::of(&now) == *before)
    };
    let of_share = |share: &[(&OsString, EntryStamp)]| -> Vec<OsString> {
        share.iter().filter(|known| !stands(known)).map(|(folder, _)| (*folder).clone()).collect()
    };
    // How many threads there are costs the system more than a few folders do.
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
    fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            changed: (stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
        }
    }
}

fn stamp(entry: &Path) -> io::Result<EntryStamp> {
    Ok(EntryStamp::of(&rustix::fs::lstat(entry)?))
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

/// Whether an entry that stands so had stood still for a while at `time`.
fn was_still(stamp: EntryStamp, time: SystemTime) -> bool {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = u64::try_from(stamp.changed.0).unwrap_or_default();
    time.saturating_sub(Duration::from_secs(changed)) > STILL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RuleSettings;
    use crate::rules::Opener;
    use crate::workspace::{Root, State};

    #[test]
    fn what_is_remembered_is_left_as_soon_as_the_workspace_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("work");
        for below in ["a/b", "build"] {
            fs::create_dir_all(at.join(below)).unwrap();
        }
        fs::write(at.join(".gitignore"), "build/\n").unwrap();
        fs::write(at.join("a/server.pem"), "").unwrap();
        let (rules, _) = Rules::new(&RuleSettings::default(), &RuleSettings::default());
        let root = Root::open(&at).unwrap();
        let at = PathBuf::from(root.real());
        let state = State::new(Arc::new(root), Some(folder.path().join("state")));
        let files = Files::new(Arc::new(state), Arc::new(rules), Opener::Unasked);
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
