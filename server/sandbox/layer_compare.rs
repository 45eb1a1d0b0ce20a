//! Files of a layer compared with those of the folder below it, within bounds: beyond them every file counts as changed, and
//! none as renamed.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{FileType, OFlags};

use crate::layer_reader::{file_type, list_names, stat_entry};
use crate::overlay::{OverlayChange, OverlayChangeKind, open_below};

/// The smallest cost of a comparison in bytes, for files of any content.
const LEAST: u64 = 4096;
/// Entries of removed folders that are looked at for what was renamed.
const MOST: usize = 100_000;

/// The bounds of all comparisons of one layer.
#[derive(Debug)]
pub(crate) struct LayerComparison {
    bytes_left: u64,
    until: Instant,
}

impl LayerComparison {
    pub(crate) fn new(bytes: u64, until: Instant) -> Self {
        Self { bytes_left: bytes, until }
    }

    /// Returns whether two files, each below its folder, hold equal bytes, or `false` if that cannot be found out.
    pub(crate) fn is_same(&mut self, one: (&OwnedFd, &Path), other: (&OwnedFd, &Path)) -> bool {
        let open = |(folder, path)| {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            open_below(folder, path, flags).ok().map(File::from)
        };
        match (open(one), open(other)) {
            (Some(one), Some(other)) => {
                self.spend_bytes(LEAST);
                same_bytes(one, other, |bytes| self.spend_bytes(bytes)).unwrap_or(false)
            }
            _ => false,
        }
    }

    fn spend_bytes(&mut self, bytes: u64) -> bool {
        let has_left = self.bytes_left >= bytes && Instant::now() < self.until;
        self.bytes_left = if has_left { self.bytes_left - bytes } else { 0 };
        has_left
    }

    /// Pairs new files with removed ones of the same content.
    pub(crate) fn find_renames(&mut self, (upper, lower): (&OwnedFd, &OwnedFd), found: &mut [OverlayChange]) {
        let removed = found.iter().filter(|change| change.kind == OverlayChangeKind::Removed);
        let mut gone = self.files_below(lower, removed.map(|change| change.path.clone()).collect());
        for OverlayChange { path, kind } in found {
            let OverlayChangeKind::File { size, existed: false, renamed_from, .. } = kind else { continue };
            let Some(paths) = gone.get_mut(size) else { continue };
            let same = paths
                .iter()
                .position(|before| self.bytes_left > 0 && self.is_same((upper, path), (lower, before)));
            *renamed_from = same.map(|at| paths.remove(at));
        }
    }

    /// The files of the lower folder at or below `waiting` that are not empty, by their size.
    fn files_below(&self, lower: &OwnedFd, mut waiting: VecDeque<PathBuf>) -> BTreeMap<u64, Vec<PathBuf>> {
        let (mut by_size, mut left) = (BTreeMap::<u64, Vec<PathBuf>>::new(), MOST);
        while let Some(path) = waiting.pop_front() {
            if left == 0 || Instant::now() > self.until {
                break;
            }
            left -= 1;
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Some(name) = path.file_name() else { continue };
            let above = path.parent().unwrap_or(Path::new(""));
            let Ok(folder) = open_below(lower, above, flags) else { continue };
            let Ok(found) = stat_entry(&folder, name) else { continue };
            match file_type(&found) {
                FileType::Directory => {
                    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    let inner = open_below(lower, &path, flags).and_then(|folder| list_names(&folder, left));
                    waiting
                        .extend(inner.unwrap_or_default().iter().map(|name: &_| path.join(OsStr::new(name))));
                }
                FileType::RegularFile if found.st_size > 0 => {
                    by_size.entry(found.st_size.cast_unsigned()).or_default().push(path);
                }
                _ => {}
            }
        }
        by_size
    }
}

/// Returns whether two files hold equal bytes from their current positions on. Each block is charged to the budget;
/// `false` if the budget is used up.
pub fn same_bytes(mut one: File, mut other: File, mut pay: impl FnMut(u64) -> bool) -> std::io::Result<bool> {
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let length = one.read(&mut left)?;
        if length == 0 {
            return Ok(other.read(&mut right)? == 0);
        }
        if !pay(length as u64) {
            return Ok(false);
        }
        let (Some(left), Some(right)) = (left.get(..length), right.get_mut(..length)) else {
            return Ok(false);
        };
        match other.read_exact(right) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        if left != right {
            return Ok(false);
        }
    }
}
