//! What stands in the writable folders that a command must not plant: protected names, sockets, FIFOs and devices. A look
//! before the run and one after it, when no process of the sandbox is left, show what the command planted.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;
use serde::Serialize;

use crate::linked::Linked;
use crate::opened::Opened;
use crate::plan::PROTECTED_NAMES;

/// Something that a command left in a writable folder, and that programs outside of the sandbox might run or wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planted {
    /// Where it was.
    #[serde(serialize_with = "readable")]
    pub path: PathBuf,
    /// What it is.
    pub kind: PlantedKind,
    /// Where it was moved to. `None`: it is still there.
    pub quarantined: Option<PathBuf>,
}

/// Writes a path as text. A name that is none is shown with marks in place of its odd bytes.
fn readable<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// What a command planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlantedKind {
    /// A file or a folder with a protected name, such as `.git`.
    Protected,
    /// One that was there before, and whose folder was moved. It stays.
    Moved,
    /// A socket.
    Socket,
    /// A FIFO.
    Fifo,
    /// A device.
    Device,
    /// A folder whose path is too long to look into.
    Deep,
}

/// What was found in one look, by path.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    found: HashMap<PathBuf, Seen>,
    /// The folders that were looked into, with the time of their last change.
    folders: HashMap<PathBuf, Changed>,
    /// Further names of masked files.
    twins: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    kind: PlantedKind,
    inode: u64,
}

/// Which folder it is, and when it last changed: its inode, seconds and nanoseconds.
type Changed = Option<(u64, i64, u64)>;

/// The longest path that the kernel takes, with the zero at its end.
const LONGEST: usize = 4096;

/// How long ago a change must be, in seconds, so that a later one shows another time.
const LATELY: i64 = 2;

impl Survey {
    /// Looks at everything below `folders`. A folder of somebody else's that cannot be read is passed over: the command
    /// cannot read it either.
    pub(crate) fn take(folders: &[PathBuf], linked: &Linked) -> Self {
        let mut survey = Self::default();
        survey.look_below(folders.to_vec(), &HashMap::new(), linked);
        survey
    }

    /// Looks once more, into those folders that changed since, and into new ones. Folders that their owner could not enter
    /// stay open until the second part of the answer is dropped.
    pub(crate) fn again(&self) -> (Self, Opened) {
        let has_changed = |folder: &Path, before: &Changed| match rustix::fs::lstat(folder) {
            Ok(now) => before.is_none() || changed(&now) != *before,
            // A folder on the way was closed; it is opened before this one's turn.
            Err(error) => error == Errno::ACCESS,
        };
        let folders = self.folders.iter().filter(|(folder, before)| has_changed(folder, before));
        let mut waiting: Vec<PathBuf> = folders.map(|(folder, _)| folder.clone()).collect();
        // The last one is taken first, and what holds a folder has to come before it.
        waiting.sort_by(|one, other| other.cmp(one));
        let mut survey = Self::default();
        let opened = survey.look_below(waiting, &self.folders, &Linked::default());
        (survey, opened)
    }

    /// The protected paths that are there, so that the sandbox makes them read-only. In a repository without a protected
    /// name these are its settings and hooks.
    pub(crate) fn protected(&self) -> impl Iterator<Item = PathBuf> {
        self.of_kind(PlantedKind::Protected).flat_map(|path| {
            if path.ends_with("HEAD") {
                ["HEAD", "config", "hooks"].map(|name| path.with_file_name(name)).to_vec()
            } else {
                vec![path.to_owned()]
            }
        })
    }

    /// The sockets of the host, so that the sandbox covers them.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = &Path> {
        self.of_kind(PlantedKind::Socket)
    }

    /// Further names of masked files, so that the sandbox covers them too.
    pub(crate) fn twins(&self) -> impl Iterator<Item = &Path> {
        self.twins.iter().map(PathBuf::as_path)
    }

    /// What is there now, and was not there in `before`.
    pub(crate) fn planted_since(&self, before: &Self) -> Vec<Planted> {
        let known = |inode| before.found.values().any(|seen| seen.inode == inode);
        let mut planted: Vec<Planted> = self
            .found
            .iter()
            .filter(|(path, seen)| before.found.get(*path) != Some(*seen))
            .map(|(path, seen)| {
                let moved = seen.kind == PlantedKind::Protected && known(seen.inode);
                let kind = if moved { PlantedKind::Moved } else { seen.kind };
                Planted { path: path.clone(), kind, quarantined: None }
            })
            .collect();
        planted.sort_by(|one, other| one.path.cmp(&other.path));
        planted
    }

    fn of_kind(&self, kind: PlantedKind) -> impl Iterator<Item = &Path> {
        self.found.iter().filter(move |(_, seen)| seen.kind == kind).map(|(path, _)| path.as_path())
    }

    /// Looks into `waiting`, and into what lies below but for the `known` ones. The answer keeps the folders open that had
    /// to be opened for it.
    fn look_below(
        &mut self,
        mut waiting: Vec<PathBuf>,
        known: &HashMap<PathBuf, Changed>,
        linked: &Linked,
    ) -> Opened {
        let mut buffer = vec![MaybeUninit::uninit(); 1 << 15];
        let mut opened = Opened::default();
        while let Some(folder) = waiting.pop() {
            // A repository holds many files and no folder of sockets: its watcher's socket stands at the top.
            let is_git = folder.file_name().is_some_and(|name| name == ".git");
            let mut bare = Bare::default();
            let entries = open_folder(&folder, &mut opened);
            let at = entries.and_then(|entries| {
                for_each_entry(&entries, &mut buffer, |name, kind, inode| {
                    self.look_at(&folder, (name, kind, inode));
                    bare.look_at(name, inode);
                    if kind == FileType::RegularFile && linked.holds(&entries, name, inode) {
                        self.twins.push(folder.join(name));
                    }
                    if kind == FileType::Directory && !is_git {
                        let below = folder.join(name);
                        if below.as_os_str().len() >= LONGEST {
                            self.found.insert(below, Seen { kind: PlantedKind::Deep, inode });
                        } else if !known.contains_key(&below) {
                            waiting.push(below);
                        }
                    }
                })
            });
            if let Some(inode) = bare.head().filter(|_| !is_git) {
                self.found.insert(folder.join("HEAD"), Seen { kind: PlantedKind::Protected, inode });
            }
            // One that cannot be read is kept too, so that the next look knows that it was so before.
            self.folders.insert(folder, at.unwrap_or_default());
        }
        opened
    }

    fn look_at(&mut self, folder: &Path, (name, kind, inode): (&OsStr, FileType, u64)) {
        let protected = name.to_str().is_some_and(is_protected).then_some(PlantedKind::Protected);
        if let Some(kind) = special(kind).or(protected) {
            self.found.insert(folder.join(name), Seen { kind, inode });
        }
    }
}

/// The folder, and the time of its last change. `None`: so lately that another change might show the same time.
fn changed(folder: &Stat) -> Changed {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
    let is_old = folder.st_ctime < now - LATELY;
    is_old.then_some((folder.st_ino, folder.st_ctime, folder.st_ctime_nsec))
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
