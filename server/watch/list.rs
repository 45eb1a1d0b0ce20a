//! Reads one folder: watches it first, then lists it, so that nothing that comes after goes unseen.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, fstat, openat, openat2, statat};
use rustix::io::Errno;

use super::filesystem::must_be_polled;
use super::inotify::{Inotify, Refused};
use super::rules::{Rules, info, is_rule};
use super::stamp::Stamp;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const BENEATH: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);

/// What reading folders takes.
pub(super) struct Reading<'a> {
    pub(super) top: &'a OwnedFd,
    /// The root's path without symlinks, which rules are asked by.
    pub(super) real: &'a Path,
    /// Hidden names that are listed.
    pub(super) shown: &'a [String],
    pub(super) source: Option<&'a Inotify>,
    pub(super) devices: &'a Devices,
    pub(super) stop: &'a AtomicBool,
}

/// Which devices have to be polled, and why.
#[derive(Debug, Default)]
pub(super) struct Devices(Mutex<HashMap<u64, Option<&'static str>>>);

impl Devices {
    fn polled(&self, device: u64, folder: BorrowedFd<'_>) -> bool {
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

/// A folder as it was listed.
#[derive(Debug)]
pub(super) struct Folder {
    /// The watch on it, if there is one.
    pub(super) watch: Option<i32>,
    /// The watch on what holds its repository's own excludes.
    pub(super) excludes: Option<i32>,
    /// Whether there is none though a repository begins here: its excludes are looked at before each answer.
    pub(super) excludes_unwatched: bool,
    pub(super) rules: Arc<Rules>,
    /// What it was before it was listed.
    pub(super) stamp: Stamp,
    /// Whether it was listed so soon after a change that another might have the same stamp.
    pub(super) fresh: bool,
}

/// What is in a folder.
pub(super) struct Listed {
    pub(super) folder: Folder,
    pub(super) files: Vec<(Arc<str>, Stamp)>,
    /// Those of them that have other names too.
    pub(super) linked: Vec<Arc<str>>,
    pub(super) folders: Vec<Arc<str>>,
    /// Names that are not UTF-8.
    pub(super) unnamed: usize,
    /// Whether the limit of watches was met.
    pub(super) limited: bool,
}

impl Listed {
    /// Adds what the name stands for in the folder at `path`, which is `opened`; anything but a folder or a regular file
    /// is left out.
    fn add(&mut self, path: &str, opened: &OwnedFd, name: &str, is_folder: bool) {
        let path = join(path, name);
        if is_folder {
            self.folders.push(path);
        } else if let Ok(stat) = statat(opened, name, AtFlags::SYMLINK_NOFOLLOW)
            && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
        {
            if stat.st_nlink > 1 {
                self.linked.push(path.clone());
            }
            self.files.push((path, Stamp::of(&stat)));
        }
    }
}

/// A path in the root: `name` in `folder`.
pub(super) fn join(folder: &str, name: &str) -> Arc<str> {
    if folder.is_empty() { Arc::from(name) } else { Arc::from(format!("{folder}/{name}")) }
}

/// A path in the root as its folder and its name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Opens the folder that stands at exactly this path, with no symlink on the way.
///
/// # Errors
/// What the kernel says; ELOOP or ENOTDIR where a part is a symlink.
pub(super) fn open(top: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
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

fn open_by_parts(top: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let flags = FOLDER | OFlags::NOFOLLOW;
    let mut folder = openat(top, ".", flags, Mode::empty())?;
    for part in path.split('/') {
        folder = openat(&folder, part, flags, Mode::empty())?;
    }
    Ok(folder)
}

impl Reading<'_> {
    /// Watches and lists the folder at a path; `above` are the rules that count in its parent.
    ///
    /// # Errors
    /// What the kernel says where it cannot be opened or read.
    pub(super) fn list(&self, path: &str, above: &Arc<Rules>) -> Result<Listed, Errno> {
        let opened = open(self.top, path)?;
        let (watch, limited) = self.watch(&opened)?;
        let stat = fstat(&opened)?;
        let full = self.real.join(path);
        let (names, unnamed) = names(&opened)?;
        let special: Vec<String> =
            names.iter().filter(|(name, _)| is_rule(name)).map(|(name, _)| name.clone()).collect();
        let repository = special.iter().any(|name| name == ".git");
        // Before they are read: what is written in between is told.
        let excludes = repository.then(|| self.watch_excludes(&full)).flatten();
        let rules = Rules::beneath(above, &full, &special);
        let stamp = Stamp::of(&stat);
        let excludes_unwatched = repository && excludes.is_none();
        let fresh = is_fresh(stamp.mtime_ns);
        let folder = Folder { watch, excludes, excludes_unwatched, rules, stamp, fresh };
        let mut listed =
            Listed { folder, files: Vec::new(), linked: Vec::new(), folders: Vec::new(), unnamed, limited };
        for (name, kind) in &names {
            let is_folder = *kind == FileType::Directory;
            if listed.folder.rules.lists(&full.join(name), name, is_folder, self.shown) {
                listed.add(path, &opened, name, is_folder);
            }
        }
        Ok(listed)
    }

    /// Watches an open folder, where that is possible; tells whether the limit was met.
    ///
    /// # Errors
    /// What the kernel says of the folder.
    pub(super) fn watch(&self, opened: &OwnedFd) -> Result<(Option<i32>, bool), Errno> {
        let Some(source) = self.source else { return Ok((None, false)) };
        if self.devices.polled(fstat(opened)?.st_dev, opened.as_fd()) {
            return Ok((None, false));
        }
        match source.add(opened.as_fd()) {
            Ok(watch) => Ok((Some(watch), false)),
            Err(Refused::Limit) => Ok((None, true)),
            Err(Refused::Other(_)) => Ok((None, false)),
        }
    }

    fn watch_excludes(&self, folder: &Path) -> Option<i32> {
        let opened = rustix::fs::open(info(folder)?, FOLDER, Mode::empty()).ok()?;
        self.watch(&opened).ok()?.0
    }
}

/// Whether something changed so lately that its file system's clock may not tell the next change from it. Clocks of other
/// machines may be off, so a second or three count.
fn is_fresh(mtime_ns: i64) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    now.saturating_sub(mtime_ns) < 3_000_000_000
}

/// The files and folders in an open folder, by name and kind, and how many names are not UTF-8. Links, pipes and devices
/// are left out.
fn names(opened: &OwnedFd) -> Result<(Vec<(String, FileType)>, usize), Errno> {
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
