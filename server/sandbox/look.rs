//! One look into a folder: what stands in it that a command must not plant, and which folders lie below.

use std::ffi::{CStr, OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;

use crate::linked::Linked;
use crate::opened::Opened;
use crate::plan::PROTECTED_NAMES;
use crate::survey::PlantedKind;

/// How long ago a change must be, in seconds, so that a later one shows another time.
const LATELY: i64 = 2;

/// What was seen in one folder.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// The folder as it was then.
    pub(crate) at: Changed,
    /// What a command must not plant, by name.
    pub(crate) found: Vec<(OsString, Seen)>,
    /// The folders in it, each with its inode.
    pub(crate) folders: Vec<(OsString, u64)>,
    /// Further names of masked files.
    pub(crate) twins: Vec<OsString>,
}

/// An entry that a command must not plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: PlantedKind,
    pub(crate) inode: u64,
}

/// Which folder it is, and when it last changed: its device, inode, seconds and nanoseconds.
pub(crate) type Changed = Option<(u64, u64, i64, u64)>;

/// The folder, and the time of its last change. `None`: so lately that another change might show the same time.
pub(crate) fn changed(folder: &Stat) -> Changed {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
    let is_old = folder.st_ctime < now - LATELY;
    is_old.then_some((folder.st_dev, folder.st_ino, folder.st_ctime, folder.st_ctime_nsec))
}

/// Looks into folders. Those that their owner could not enter stay open until this is dropped.
pub(crate) struct Looker<'l> {
    linked: &'l Linked,
    buffer: Vec<MaybeUninit<u8>>,
    pub(crate) opened: Opened,
}

impl<'l> Looker<'l> {
    /// One that tells further names of `linked` files.
    pub(crate) fn new(linked: &'l Linked) -> Self {
        Self { linked, buffer: vec![MaybeUninit::uninit(); 1 << 15], opened: Opened::default() }
    }

    /// What stands in `folder`. Nothing, at no time, where it cannot be read.
    pub(crate) fn look_into(&mut self, folder: &Path) -> Look {
        let Some(entries) = open_folder(folder, &mut self.opened) else { return Look::default() };
        // A repository holds many files and no folder of sockets: its watcher's socket stands at the top.
        let is_git = folder.file_name().is_some_and(|name| name == ".git");
        let (mut look, mut bare) = (Look::default(), Bare::default());
        let linked = self.linked;
        let at = for_each_entry(&entries, &mut self.buffer, |name, kind, inode| {
            look.found.extend(judged(name, kind, inode).map(|seen| (name.to_owned(), seen)));
            bare.look_at(name, inode);
            if kind == FileType::RegularFile && linked.holds(&entries, name, inode) {
                look.twins.push(name.to_owned());
            }
            if kind == FileType::Directory && !is_git {
                look.folders.push((name.to_owned(), inode));
            }
        });
        if let Some(inode) = bare.head().filter(|_| !is_git) {
            look.found.push(("HEAD".into(), Seen { kind: PlantedKind::Protected, inode }));
        }
        Look { at: at.unwrap_or_default(), ..look }
    }
}

/// What makes a folder a repository for git, though its name says nothing: `HEAD`, `objects` and `refs`.
#[derive(Default)]
struct Bare {
    head: Option<u64>,
    folders: u8,
}

impl Bare {
    fn look_at(&mut self, name: &OsStr, inode: u64) {
        match name.as_bytes() {
            b"HEAD" => self.head = Some(inode),
            b"objects" | b"refs" => self.folders += 1,
            _ => {}
        }
    }

    /// The inode of `HEAD` in a repository. Without that file it is none.
    fn head(&self) -> Option<u64> {
        self.head.filter(|_| self.folders == 2)
    }
}

/// Opens a folder to list it. One that its owner closed is opened for the owner first.
fn open_folder(folder: &Path, opened: &mut Opened) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || rustix::fs::open(folder, flags, Mode::empty());
    let found = match open() {
        Err(Errno::ACCESS) if opened.open(folder) => open(),
        other => other,
    };
    let found = found.ok()?;
    // To list a folder is less than to enter it.
    if !opened.may_enter(&found) {
        opened.open(folder);
    }
    Some(found)
}

/// Calls `each` for what `folder` holds. It asks for no more than the folder itself tells: names, kinds and inodes.
pub(crate) fn for_each_entry(
    folder: &OwnedFd,
    buffer: &mut [MaybeUninit<u8>],
    mut each: impl FnMut(&OsStr, FileType, u64),
) -> Option<Changed> {
    let at = changed(&rustix::fs::fstat(folder).ok()?);
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

/// The kind of an entry, where the file system does not tell it with the name.
fn asked_kind(folder: &OwnedFd, name: &CStr) -> FileType {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    found.map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode))
}

/// What an entry is that a command must not plant; nothing for any other.
fn judged(name: &OsStr, kind: FileType, inode: u64) -> Option<Seen> {
    let protected = name.to_str().is_some_and(is_protected).then_some(PlantedKind::Protected);
    special(kind).or(protected).map(|kind| Seen { kind, inode })
}

fn is_protected(name: &str) -> bool {
    // A file system may take capital letters for small ones.
    name.starts_with(['.', 's', 'S']) && PROTECTED_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn special(kind: FileType) -> Option<PlantedKind> {
    match kind {
        FileType::Socket => Some(PlantedKind::Socket),
        FileType::Fifo => Some(PlantedKind::Fifo),
        FileType::CharacterDevice | FileType::BlockDevice => Some(PlantedKind::Device),
        _ => None,
    }
}
