//! The changes that a command made on an overlay, read from the upper layer.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::spec::Layers;

/// The attribute of a folder that hides all that the lower one holds.
const OPAQUE: &str = "user.overlay.opaque";

/// One path that a command changed, relative to the writable folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub path: PathBuf,
    /// What became of it.
    pub kind: ChangeKind,
}

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A file is new, or holds something else, or has another mode. Its content stands at `content`.
    File {
        /// The file in the upper layer.
        content: PathBuf,
        /// Its permissions.
        mode: u32,
        /// Whether there was a file before.
        existed: bool,
        /// Where it was before, if its content was moved here unchanged.
        renamed_from: Option<PathBuf>,
    },
    /// A folder is new.
    Folder {
        /// Its permissions.
        mode: u32,
    },
    /// The permissions of a folder that was there are others.
    FolderMode {
        /// Its permissions now.
        mode: u32,
    },
    /// A symlink is new, or leads elsewhere.
    Symlink {
        /// Where it leads.
        target: PathBuf,
    },
    /// What was there is gone, with all that it held.
    Removed,
    /// A socket, a FIFO or a device. It is never brought into the folder.
    Special,
}

/// The layers of a run, which a caller reads after its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlay {
    /// The writable folder itself, which the command did not change.
    pub lower: PathBuf,
    /// The folder that holds what the command changed.
    pub upper: PathBuf,
}

impl Overlay {
    pub(crate) fn of(layers: &Layers) -> Self {
        Self { lower: layers.at.as_path().to_owned(), upper: layers.upper.as_path().to_owned() }
    }

    /// The changes, parents before what lies in them. A file that was opened for writing and stayed the same is none. What its
    /// owner may not read in the upper layer is opened to the owner; the changes tell the mode that it had.
    pub fn changes(&self) -> io::Result<Vec<Change>> {
        let mut found = BTreeMap::new();
        self.folder(Path::new(""), true, &mut found)?;
        self.renames(&mut found)?;
        Ok(found.into_iter().map(|(path, kind)| Change { path, kind }).collect())
    }

    /// Reads one folder of the upper layer. `merged`: the lower folder shows through it.
    fn folder(&self, at: &Path, merged: bool, found: &mut BTreeMap<PathBuf, ChangeKind>) -> io::Result<()> {
        let upper = self.upper.join(at);
        if !merged {
            self.hidden(at, &upper, found)?;
        }
        for entry in fs::read_dir(upper)? {
            let entry = entry?;
            self.entry(&at.join(entry.file_name()), merged, &entry.metadata()?, found)?;
        }
        Ok(())
    }

    fn entry(
        &self,
        at: &Path,
        merged: bool,
        now: &fs::Metadata,
        found: &mut BTreeMap<PathBuf, ChangeKind>,
    ) -> io::Result<()> {
        let upper = self.upper.join(at);
        let before = fs::symlink_metadata(self.lower.join(at)).ok();
        let kind = now.file_type();
        if kind.is_dir() || kind.is_file() {
            open_to_owner(&upper, now)?;
        }
        if kind.is_dir() {
            return self.changed_folder(at, merged, now, found);
        }
        let change = if kind.is_char_device() && now.rdev() == 0 {
            before.map(|_| ChangeKind::Removed)
        } else if kind.is_symlink() {
            let target = fs::read_link(&upper)?;
            let same = fs::read_link(self.lower.join(at)).is_ok_and(|before| before == target);
            (!same).then_some(ChangeKind::Symlink { target })
        } else if kind.is_file() {
            self.changed_file(at, now, before.as_ref())?
        } else {
            Some(ChangeKind::Special)
        };
        found.extend(change.map(|change| (at.to_owned(), change)));
        Ok(())
    }

    fn changed_folder(
        &self,
        at: &Path,
        merged: bool,
        now: &fs::Metadata,
        found: &mut BTreeMap<PathBuf, ChangeKind>,
    ) -> io::Result<()> {
        let before = fs::symlink_metadata(self.lower.join(at)).ok();
        let mode = mode(now);
        match &before {
            Some(before) if before.is_dir() && self::mode(before) == mode => {}
            Some(before) if before.is_dir() => {
                found.insert(at.to_owned(), ChangeKind::FolderMode { mode });
            }
            _ => {
                found.insert(at.to_owned(), ChangeKind::Folder { mode });
            }
        }
        let was_folder = before.is_some_and(|before| before.is_dir());
        let opaque = !merged || is_opaque(&self.upper.join(at));
        self.folder(at, !(opaque && was_folder), found)
    }

    fn changed_file(
        &self,
        at: &Path,
        now: &fs::Metadata,
        before: Option<&fs::Metadata>,
    ) -> io::Result<Option<ChangeKind>> {
        let content = self.upper.join(at);
        let before = before.filter(|before| before.is_file());
        if let Some(before) = before
            && mode(before) == mode(now)
            && before.len() == now.len()
            && same_content(&self.lower.join(at), &content)?
        {
            return Ok(None);
        }
        let existed = before.is_some();
        Ok(Some(ChangeKind::File { content, mode: mode(now), existed, renamed_from: None }))
    }

    /// What the lower folder holds and an opaque one hides is removed.
    fn hidden(&self, at: &Path, upper: &Path, found: &mut BTreeMap<PathBuf, ChangeKind>) -> io::Result<()> {
        let lower = match fs::read_dir(self.lower.join(at)) {
            // What a folder holds that nobody may list is not told of.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            other => other?,
        };
        for entry in lower {
            let name = entry?.file_name();
            if fs::symlink_metadata(upper.join(&name)).is_err() {
                found.insert(at.join(name), ChangeKind::Removed);
            }
        }
        Ok(())
    }

    /// Pairs new files with removed ones of the same content.
    fn renames(&self, found: &mut BTreeMap<PathBuf, ChangeKind>) -> io::Result<()> {
        let mut gone = BTreeMap::new();
        for (path, _) in found.iter().filter(|(_, kind)| **kind == ChangeKind::Removed) {
            self.files_below(path, &mut gone)?;
        }
        for kind in found.values_mut() {
            let ChangeKind::File { content, existed: false, renamed_from, .. } = kind else { continue };
            let Some(paths) = gone.get_mut(&fs::metadata(&*content)?.len()) else { continue };
            let mut same = None;
            for (at, path) in paths.iter().enumerate() {
                if same_content(&self.lower.join(path), content)? {
                    same = Some(at);
                    break;
                }
            }
            *renamed_from = same.map(|at| paths.remove(at));
        }
        Ok(())
    }

    /// The files of the lower folder at or below `path` that are not empty, by their size.
    fn files_below(&self, path: &Path, by_size: &mut BTreeMap<u64, Vec<PathBuf>>) -> io::Result<()> {
        let at = self.lower.join(path);
        let metadata = fs::symlink_metadata(&at)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(at).into_iter().flatten() {
                self.files_below(&path.join(entry?.file_name()), by_size)?;
            }
        } else if metadata.is_file() && metadata.len() > 0 {
            by_size.entry(metadata.len()).or_default().push(path.to_owned());
        }
        Ok(())
    }
}

/// Lets the owner read a file of a layer, and read and write a folder.
fn open_to_owner(path: &Path, now: &fs::Metadata) -> io::Result<()> {
    let wanted = if now.is_dir() { 0o700 } else { 0o400 };
    let mode = mode(now);
    if mode & wanted == wanted {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode | wanted))
}

/// Opens every folder below `layers` to its owner, so that the layers can be removed: a command closes folders, and the kernel
/// leaves one that nobody may list.
pub fn open_layers(layers: &Path) {
    let mut waiting = vec![layers.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(now) = entry.metadata() else { continue };
            if now.is_dir() && open_to_owner(&entry.path(), &now).is_ok() {
                waiting.push(entry.path());
            }
        }
    }
}

fn mode(metadata: &fs::Metadata) -> u32 {
    metadata.permissions().mode() & 0o7777
}

fn is_opaque(folder: &Path) -> bool {
    let mut value = [0_u8; 1];
    rustix::fs::lgetxattr(folder, OPAQUE, &mut value).is_ok_and(|len| len == 1) && value == *b"y"
}

/// Whether two files of the same size hold the same bytes. One that nobody may read holds others.
fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    use std::io::Read;
    let mut one = match fs::File::open(one) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        other => other?,
    };
    let mut other = fs::File::open(other)?;
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let len = one.read(&mut left)?;
        if len == 0 {
            return Ok(other.read(&mut right)? == 0);
        }
        match other.read_exact(&mut right[..len]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        if left[..len] != right[..len] {
            return Ok(false);
        }
    }
}
