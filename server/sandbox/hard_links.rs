//! Masked files that have further names. A mask covers one name; a hard link under another would show the file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};

use crate::folder_scan::for_each_entry;

/// The highest number of files of masked folders that are checked.
const MOST: usize = 1 << 16;

/// The masked files with more than one name, by device and inode.
#[derive(Debug, Default)]
pub(crate) struct LinkedFiles {
    files: HashSet<(u64, u64)>,
    inodes: HashSet<u64>,
}

impl LinkedFiles {
    /// Finds the linked files at `masked` and below.
    pub(crate) fn find_in<'p>(masked: impl Iterator<Item = &'p PathBuf>) -> Self {
        let mut linked = Self::default();
        let mut folders = Vec::new();
        for path in masked {
            match rustix::fs::lstat(path) {
                Ok(found) if file_type(&found).is_dir() => folders.push(path.clone()),
                Ok(found) => linked.add_file(&found),
                Err(_) => {}
            }
        }
        linked.look_below(folders);
        linked
    }

    /// Returns whether there are no such files.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns whether `name` in `folder` is one of them. Only for a matching inode is the device checked.
    pub(crate) fn contains_entry(&self, folder: &OwnedFd, name: &OsStr, inode: u64) -> bool {
        self.inodes.contains(&inode)
            && stat_entry(folder, name)
                .is_some_and(|found| self.files.contains(&(found.st_dev, found.st_ino)))
    }

    fn look_below(&mut self, mut folders: Vec<PathBuf>) {
        let mut buffer = vec![MaybeUninit::uninit(); 1 << 15];
        let mut left = MOST;
        while let Some(folder) = folders.pop() {
            let Some(entries) = open_folder(&folder) else { continue };
            for_each_entry(&entries, &mut buffer, |name, kind, _| match kind {
                FileType::Directory => folders.push(folder.join(name)),
                FileType::RegularFile if left > 0 => {
                    left -= 1;
                    stat_entry(&entries, name).iter().for_each(|found| self.add_file(found));
                }
                _ => {}
            });
        }
    }

    fn add_file(&mut self, found: &Stat) {
        if file_type(found).is_file() && found.st_nlink > 1 {
            self.files.insert((found.st_dev, found.st_ino));
            self.inodes.insert(found.st_ino);
        }
    }
}

fn open_folder(folder: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, folder, flags, Mode::empty()).ok()
}

fn stat_entry(folder: &OwnedFd, name: &OsStr) -> Option<Stat> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}

fn file_type(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}
