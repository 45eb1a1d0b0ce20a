//! A scan of one folder: the entries in it that a command must not plant, and the folders in it.

use std::ffi::{CStr, OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;

use crate::guard::PathGuard;
use crate::hard_links::LinkedFiles;
use crate::opened_folders::OpenedFolders;
use crate::survey::PlantedKind;

/// The age of a change, in seconds, from which on a later change has a different time.
const LATELY: i64 = 2;

/// The result of scanning a folder.
#[derive(Debug, Default)]
pub(crate) struct FolderScan {
    /// The folder as it was then.
    pub(crate) at: FolderStamp,
    /// The entries that a command must not plant, by name.
    pub(crate) found: Vec<(OsString, SeenEntry)>,
    /// The folders in it, each with its inode.
    pub(crate) folders: Vec<(OsString, u64)>,
    /// Further names of masked files.
    pub(crate) twins: Vec<OsString>,
}

/// An entry that a command must not plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeenEntry {
    pub(crate) kind: PlantedKind,
    pub(crate) inode: u64,
}

/// The identity of a folder, and the time of its last change: its device, inode, seconds and nanoseconds.
pub(crate) type FolderStamp = Option<(u64, u64, i64, u64)>;

/// The folder, and the time of its last change. `None`: so lately that another change might show the same time.
pub(crate) fn folder_stamp(folder: &Stat) -> FolderStamp {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
    let is_old = folder.st_ctime < now - LATELY;
    is_old.then_some((folder.st_dev, folder.st_ino, folder.st_ctime, folder.st_ctime_nsec))
}

/// Looks into folders. Those that their owner could not enter stay open until this is dropped.
pub(crate) struct FolderScanner<'l> {
    linked: &'l LinkedFiles,
    guard: &'l PathGuard,
    buffer: Vec<MaybeUninit<u8>>,
    pub(crate) opened: OpenedFolders,
}

impl<'l> FolderScanner<'l> {
    /// Creates a scanner that reports further names of `linked` files, and entries that `guard` closes.
    pub(crate) fn new(linked: &'l LinkedFiles, guard: &'l PathGuard) -> Self {
        Self { linked, guard, buffer: vec![MaybeUninit::uninit(); 1 << 15], opened: OpenedFolders::default() }
    }

    /// Scans `folder`. If it cannot be read, the result is empty and has no time.
    pub(crate) fn scan_folder(&mut self, folder: &Path) -> FolderScan {
        let Some(entries) = open_folder(folder, &mut self.opened) else { return FolderScan::default() };
        // A repository holds many files and no folder of sockets: its watcher's socket is at the top.
        let is_git = folder.file_name().is_some_and(|name| name == ".git");
        let (mut look, mut bare) = (FolderScan::default(), BareRepository::default());
        let (linked, guard) = (self.linked, self.guard);
        let at = for_each_entry(&entries, &mut self.buffer, |name, kind, inode| {
            look.found.extend(
                classify_entry(guard, (folder, name), kind, inode).map(|seen| (name.to_owned(), seen)),
            );
            bare.add_entry(name, inode);
            if kind == FileType::RegularFile && linked.contains_entry(&entries, name, inode) {
                look.twins.push(name.to_owned());
            }
            if kind == FileType::Directory && !is_git {
                look.folders.push((name.to_owned(), inode));
            }
        });
        if let Some(inode) = bare.head_inode().filter(|_| !is_git) {
            look.found.push(("HEAD".into(), SeenEntry { kind: PlantedKind::Protected, inode }));
        }
        FolderScan { at: at.unwrap_or_default(), ..look }
    }
}

/// The three entries by which git takes a folder of any name for a repository: `HEAD`, `objects` and `refs`.
#[derive(Default)]
struct BareRepository {
    head: Option<u64>,
    folders: u8,
}

impl BareRepository {
    fn add_entry(&mut self, name: &OsStr, inode: u64) {
        match name.as_bytes() {
            b"HEAD" => self.head = Some(inode),
            b"objects" | b"refs" => self.folders += 1,
            _ => {}
        }
    }

    /// The inode of `HEAD` in a repository. Without that file it is none.
    fn head_inode(&self) -> Option<u64> {
        self.head.filter(|_| self.folders == 2)
    }
}

/// Opens a folder to list it. One that its owner closed is opened for the owner first.
fn open_folder(folder: &Path, opened: &mut OpenedFolders) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || rustix::fs::open(folder, flags, Mode::empty());
    let found = match open() {
        Err(Errno::ACCESS) if opened.open_to_owner(folder) => open(),
        other => other,
    };
    let found = found.ok()?;
    // To list a folder is less than to enter it.
    if !opened.may_enter(&found) {
        opened.open_to_owner(folder);
    }
    Some(found)
}

/// Calls `each` for every entry of `folder`. It needs only the folder's own data: names, kinds and inodes.
pub(crate) fn for_each_entry(
    folder: &OwnedFd,
    buffer: &mut [MaybeUninit<u8>],
    mut each: impl FnMut(&OsStr, FileType, u64),
) -> Option<FolderStamp> {
    let at = folder_stamp(&rustix::fs::fstat(folder).ok()?);
    let mut entries = RawDir::new(folder, buffer);
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => asked_kind(folder, name),
            known => known,
        };
        each(OsStr::from_bytes(name.to_bytes()), kind, entry.ino());
    }
    Some(at)
}

/// The kind of an entry, if the file system does not tell it with the name.
fn asked_kind(folder: &OwnedFd, name: &CStr) -> FileType {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    found.map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode))
}

/// Returns the kind of an entry that a command must not plant, or `None` for any other.
fn classify_entry(
    guard: &PathGuard,
    (folder, name): (&Path, &OsStr),
    kind: FileType,
    inode: u64,
) -> Option<SeenEntry> {
    let protected = || guard.closes(&folder.join(name)).then_some(PlantedKind::Protected);
    special_kind(kind).or_else(protected).map(|kind| SeenEntry { kind, inode })
}

fn special_kind(kind: FileType) -> Option<PlantedKind> {
    match kind {
        FileType::Socket => Some(PlantedKind::Socket),
        FileType::Fifo => Some(PlantedKind::Fifo),
        FileType::CharacterDevice | FileType::BlockDevice => Some(PlantedKind::Device),
        _ => None,
    }
}
