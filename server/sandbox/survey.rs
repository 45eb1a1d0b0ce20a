//! What stands in the writable folders that a command must not plant: protected names, sockets, FIFOs and devices. A look
//! before the run and one after it, when no process of the sandbox is left, show what the command planted.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::{DirEntryExt, FileTypeExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::plan::PROTECTED_NAMES;

/// Something that a command left in a writable folder, and that programs outside of the sandbox might run or wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planted {
    /// Where it was.
    pub path: PathBuf,
    /// What it is.
    pub kind: PlantedKind,
    /// Where it was moved to. `None`: it is still there.
    pub quarantined: Option<PathBuf>,
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
}

/// What was found in one look, by path.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    found: HashMap<PathBuf, Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    kind: PlantedKind,
    inode: u64,
}

impl Survey {
    /// Looks at everything below `folders`. A folder that cannot be read is passed over: the command cannot read it either.
    pub(crate) fn take(folders: &[PathBuf]) -> Self {
        let mut survey = Self::default();
        let mut waiting: Vec<PathBuf> = folders.to_vec();
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                survey.look_at(&entry, &mut waiting);
            }
        }
        survey
    }

    /// The protected paths that are there, so that the sandbox makes them read-only.
    pub(crate) fn protected(&self) -> impl Iterator<Item = &Path> {
        self.of_kind(PlantedKind::Protected)
    }

    /// The sockets of the host, so that the sandbox covers them.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = &Path> {
        self.of_kind(PlantedKind::Socket)
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

    fn look_at(&mut self, entry: &fs::DirEntry, waiting: &mut Vec<PathBuf>) {
        let Ok(kind) = entry.file_type() else { return };
        let name = entry.file_name();
        let special = special(kind);
        let protected = name.to_str().is_some_and(is_protected).then_some(PlantedKind::Protected);
        if let Some(kind) = special.or(protected) {
            self.found.insert(entry.path(), Seen { kind, inode: entry.ino() });
        }
        if !kind.is_dir() {
            return;
        }
        if name == ".git" {
            self.sockets_in(&entry.path());
        } else {
            waiting.push(entry.path());
        }
    }

    /// A repository holds many files and no folder of sockets: its watcher's socket stands at the top.
    fn sockets_in(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_socket()) {
                let seen = Seen { kind: PlantedKind::Socket, inode: entry.ino() };
                self.found.insert(entry.path(), seen);
            }
        }
    }
}

/// Moves what was planted below `folders` into `quarantine`, and says where each went.
pub(crate) fn quarantine(planted: &mut [Planted], quarantine: &Path) {
    for (number, one) in planted.iter_mut().enumerate() {
        if one.kind == PlantedKind::Moved {
            continue;
        }
        let Some(name) = one.path.file_name() else { continue };
        let mut target = std::ffi::OsString::from(format!("{number}-"));
        target.push(name);
        one.quarantined = move_away(&one.path, &quarantine.join(target)).ok();
    }
}

/// Moves `path` to `target`, or, where that is another file system, aside in its own folder.
fn move_away(path: &Path, target: &Path) -> io::Result<PathBuf> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    if !fs::exists(target)? && fs::rename(path, target).is_ok() {
        return Ok(target.to_owned());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".quarantined");
    let aside = PathBuf::from(aside);
    if fs::symlink_metadata(&aside).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(path, &aside)?;
    Ok(aside)
}

fn is_protected(name: &str) -> bool {
    name.starts_with(['.', 's']) && PROTECTED_NAMES.contains(&name)
}

fn special(kind: fs::FileType) -> Option<PlantedKind> {
    if kind.is_file() || kind.is_dir() || kind.is_symlink() {
        None
    } else if kind.is_socket() {
        Some(PlantedKind::Socket)
    } else if kind.is_fifo() {
        Some(PlantedKind::Fifo)
    } else {
        Some(PlantedKind::Device)
    }
}
