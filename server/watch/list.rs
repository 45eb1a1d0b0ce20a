//! Reads one folder: watches it first, then lists it, so that nothing that comes after goes unseen.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat, openat, openat2, statat,
};
use rustix::io::Errno;

use super::event_source::{EventSource, WatchRefusal};
use super::filesystem::must_be_polled;
use super::rules::{FolderRules, info_folder, is_rule};
use super::stamp::{StatStamp, now_ns};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const BENEATH: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);

/// The context for reading folders.
pub(super) struct FolderReader<'a> {
    pub(super) top: &'a OwnedFd,
    /// The root's path without symlinks, which rules are asked by.
    pub(super) real: &'a Path,
    /// Hidden names that are listed.
    pub(super) shown: &'a [String],
    pub(super) source: Option<&'a EventSource>,
    pub(super) devices: &'a PolledDevices,
    pub(super) stop: &'a AtomicBool,
}

/// The devices that have to be polled, with the reason.
#[derive(Debug, Default)]
pub(super) struct PolledDevices(Mutex<HashMap<u64, Option<&'static str>>>);

impl PolledDevices {
    fn must_poll(&self, device: u64, folder: BorrowedFd<'_>) -> bool {
        self.0.lock().entry(device).or_insert_with(|| must_be_polled(folder)).is_some()
    }

    /// The reasons, each once.
    pub(super) fn reasons(&self) -> Vec<&'static str> {
        let mut reasons: Vec<_> = self.0.lock().values().flatten().copied().collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

/// The device and the inode of a folder. While the kernel watches it for this process they are no other folder's,
/// even if it is moved.
pub(super) type FolderIdentity = (u64, u64);

pub(super) fn identity_of(stat: &Stat) -> FolderIdentity {
    (stat.st_dev, stat.st_ino)
}

/// A folder as it was listed.
#[derive(Debug)]
pub(super) struct WatchedFolder {
    pub(super) identity: FolderIdentity,
    /// The watch on it, if there is one.
    pub(super) watch: Option<i32>,
    /// The watch on what holds its repository's own excludes.
    pub(super) excludes: Option<i32>,
    /// True if there is none although a repository begins here: its excludes are checked before each answer.
    pub(super) excludes_unwatched: bool,
    pub(super) rules: Arc<FolderRules>,
    /// Its state before it was listed.
    pub(super) stamp: StatStamp,
    /// True if it was listed so soon after a change that another might leave an equal stamp.
    pub(super) fresh: bool,
}

/// The contents of a folder.
pub(super) struct ListedFolder {
    pub(super) folder: WatchedFolder,
    pub(super) files: Vec<(Arc<str>, StatStamp)>,
    /// The files among them that have other names too.
    pub(super) linked: Vec<Arc<str>>,
    pub(super) folders: Vec<Arc<str>>,
    /// Names that are not UTF-8.
    pub(super) unnamed: usize,
    /// True if the limit of watches was reached.
    pub(super) limited: bool,
    /// True if its names could be read, but not the files.
    pub(super) closed: bool,
}

impl ListedFolder {
    /// Adds the file or folder with the name in the folder at `path`, which is `opened`; anything but a folder or a
    /// regular file is left out.
    fn add_entry(&mut self, path: &str, opened: &OwnedFd, name: &str, is_folder: bool) {
        let path = join_path(path, name);
        if is_folder {
            self.folders.push(path);
            return;
        }
        match statat(opened, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                if stat.st_nlink > 1 {
                    self.linked.push(path.clone());
                }
                self.files.push((path, StatStamp::from_stat(&stat)));
            }
            // Another kind of file is there, or none any more.
            Ok(_) | Err(Errno::NOENT) => {}
            Err(_) => self.closed = true,
        }
    }
}

/// A path in the root: `name` in `folder`.
pub(super) fn join_path(folder: &str, name: &str) -> Arc<str> {
    if folder.is_empty() { Arc::from(name) } else { Arc::from(format!("{folder}/{name}")) }
}

/// A path in the root as its folder and its name.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns whether a path is that folder or in it.
pub(super) fn is_beneath(path: &str, folder: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Opens the folder at exactly this path, following no symlink.
///
/// # Errors
/// The kernel's error; ELOOP or ENOTDIR if a part is a symlink.
pub(super) fn open_folder(top: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let path = if path.is_empty() { "." } else { path };
    for _ in 0..100 {
        match openat2(top, path, FOLDER, Mode::empty(), BENEATH) {
            // A rename disturbed the lookup.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => return open_by_parts(top, path),
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens a folder in an open one.
///
/// # Errors
/// The kernel's error; ELOOP or ENOTDIR if the name is a symlink's.
pub(super) fn open_in(folder: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())
}

/// Returns whether an error means that there is no folder at a path, and not that it cannot be read.
pub(super) fn is_absent(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// Returns whether the files in an open folder can be examined, and not only their names.
pub(super) fn is_searchable(opened: &OwnedFd) -> bool {
    statat(opened, ".", AtFlags::empty()).is_ok()
}

fn open_by_parts(top: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let flags = FOLDER | OFlags::NOFOLLOW;
    let mut folder = openat(top, ".", flags, Mode::empty())?;
    for part in path.split('/') {
        folder = openat(&folder, part, flags, Mode::empty())?;
    }
    Ok(folder)
}

impl FolderReader<'_> {
    /// Watches and lists the folder at a path; `above` are the rules that count in its parent, which is `parent`.
    ///
    /// # Errors
    /// The kernel's error if it cannot be opened or read; ENOENT if it is in another folder, since one above was
    /// moved or replaced.
    pub(super) fn list_folder(
        &self,
        path: &str,
        above: &Arc<FolderRules>,
        parent: Option<FolderIdentity>,
    ) -> Result<ListedFolder, Errno> {
        let opened = open_folder(self.top, path)?;
        let full = self.real.join(path);
        let (watch, limited) = self.watch_folder(&opened, &full)?;
        // If it is not watched, its identity is checked each time.
        if let (Some(parent), Some(_)) = (parent, watch)
            && let Ok(stat) = statat(&opened, "..", AtFlags::empty())
            && identity_of(&stat) != parent
        {
            return Err(Errno::NOENT);
        }
        let stat = fstat(&opened)?;
        let (names, unnamed) = list_names(&opened)?;
        let special: Vec<String> =
            names.iter().filter(|(name, _)| is_rule(name)).map(|(name, _)| name.clone()).collect();
        let repository = special.iter().any(|name| name == ".git");
        // The descriptor is used because another folder may be at its path by now, and these are the rules of the
        // listed folder.
        let through = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        // The watch is made before they are read, so that a write in between is reported.
        let excludes = repository.then(|| self.watch_excludes((&full, &through))).flatten();
        let rules = FolderRules::rules_beneath(above, (&full, &through), &special);
        let stamp = StatStamp::from_stat(&stat);
        let excludes_unwatched = repository && excludes.is_none();
        let fresh = is_fresh(stamp.mtime_ns);
        let identity = identity_of(&stat);
        let folder = WatchedFolder { identity, watch, excludes, excludes_unwatched, rules, stamp, fresh };
        let (files, linked, folders) = (Vec::new(), Vec::new(), Vec::new());
        let mut listed = ListedFolder { folder, files, linked, folders, unnamed, limited, closed: false };
        for (name, kind) in &names {
            let is_folder = *kind == FileType::Directory;
            if listed.folder.rules.is_listed(&full.join(name), name, is_folder, self.shown) {
                listed.add_entry(path, &opened, name, is_folder);
            }
        }
        Ok(listed)
    }

    /// Watches an open folder that was found at an absolute path, if possible; returns whether the limit was reached.
    ///
    /// # Errors
    /// The kernel's error for the folder; ENOENT if another one is at the path by now.
    pub(super) fn watch_folder(&self, opened: &OwnedFd, path: &Path) -> Result<(Option<i32>, bool), Errno> {
        let Some(source) = self.source else { return Ok((None, false)) };
        let stat = fstat(opened)?;
        if self.devices.must_poll(stat.st_dev, opened.as_fd()) {
            return Ok((None, false));
        }
        match source.watch_folder(opened.as_fd(), path, identity_of(&stat)) {
            Ok(watch) => Ok((Some(watch), false)),
            Err(WatchRefusal::Limit) => Ok((None, true)),
            Err(WatchRefusal::Moved) => Err(Errno::NOENT),
            Err(WatchRefusal::Other(_)) => Ok((None, false)),
        }
    }

    /// Watches the excludes of the repository in the folder that is at `full` and read at `through`.
    fn watch_excludes(&self, (full, through): (&Path, &Path)) -> Option<i32> {
        let info = info_folder(through)?;
        let opened = rustix::fs::open(&info, FOLDER, Mode::empty()).ok()?;
        let named = info.strip_prefix(through).map(|rest| full.join(rest));
        self.watch_folder(&opened, &named.unwrap_or(info)).ok()?.0
    }
}

/// Returns whether a file changed so recently that the next change may have an equal time on its file system's clock.
/// Clocks of other machines may be off, so a second or three count.
fn is_fresh(mtime_ns: i64) -> bool {
    now_ns().saturating_sub(mtime_ns) < 3_000_000_000
}

/// The files and folders in an open folder, by name and kind, and how many names are not UTF-8. Links, pipes and devices
/// are left out.
fn list_names(opened: &OwnedFd) -> Result<(Vec<(String, FileType)>, usize), Errno> {
    let mut buffer = Vec::with_capacity(32 * 1024);
    let mut entries = RawDir::new(opened, buffer.spare_capacity_mut());
    let (mut names, mut unnamed) = (Vec::new(), 0);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let kind = match entry.file_type() {
            FileType::Unknown => kind_of(opened, entry.file_name()),
            kind => kind,
        };
        let known = matches!(kind, FileType::RegularFile | FileType::Directory);
        match entry.file_name().to_str() {
            Ok("." | "..") => {}
            Ok(name) if known || is_rule(name) => names.push((name.to_owned(), kind)),
            Ok(_) => {}
            Err(_) => unnamed += 1,
        }
    }
    Ok((names, unnamed))
}

fn kind_of(folder: &OwnedFd, name: &CStr) -> FileType {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}
