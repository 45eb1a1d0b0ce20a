//! A view of a repository as commands left it: the one on the disk, and the layer over it. A symlink in the layer is not
//! followed, and counts as nothing.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{CWD, Mode, OFlags};

use crate::sandbox::hides_lower;

/// The most bytes of a file that is read.
const LONGEST: u64 = 64 << 20;
/// The most entries that are read of a folder and those below it.
const MOST: usize = 200_000;

/// The two sides of a repository's folder.
#[derive(Clone, Debug)]
pub(super) struct RepositoryView {
    lower: PathBuf,
    upper: PathBuf,
}

/// The side that holds the entry that a command finds at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntrySide {
    Layer,
    Disk,
    Neither,
}

/// The state in which the view is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewTime {
    /// The state on the disk.
    Before,
    /// The state that commands left.
    After,
}

impl RepositoryView {
    /// Makes the view of the folder `lower` with the layer `upper` over it.
    pub(super) fn new(lower: impl Into<PathBuf>, upper: impl Into<PathBuf>) -> Self {
        Self { lower: lower.into(), upper: upper.into() }
    }

    /// Returns the view of a folder below this one.
    pub(super) fn below(&self, path: &Path) -> Self {
        Self::new(self.lower.join(path), self.upper.join(path))
    }

    /// Returns the folder on the disk.
    pub(super) fn lower(&self) -> &Path {
        &self.lower
    }

    /// Returns the folder of the layer.
    pub(super) fn upper(&self) -> &Path {
        &self.upper
    }

    /// Reads a regular file.
    pub(super) fn read(&self, path: &Path, at: ViewTime) -> Option<Vec<u8>> {
        match (at, at == ViewTime::After && self.side(path) == EntrySide::Layer) {
            (_, true) => read_file(&self.upper.join(path)),
            (ViewTime::Before, _) => read_file(&self.lower.join(path)),
            (ViewTime::After, _) if self.side(path) == EntrySide::Disk => read_file(&self.lower.join(path)),
            _ => None,
        }
    }

    /// Returns whether a file differs from the one on the disk, is new or is removed.
    pub(super) fn differs(&self, path: &Path) -> bool {
        self.side(path) != EntrySide::Disk
            && self.read(path, ViewTime::Before) != self.read(path, ViewTime::After)
    }

    /// Returns the regular files at and below a folder, by their paths in the view.
    pub(super) fn files(&self, folder: &Path, at: ViewTime) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        walk(&self.lower, folder, &mut |path| {
            if at == ViewTime::Before || self.side(path) == EntrySide::Disk {
                found.insert(path.to_owned());
            }
        });
        if at == ViewTime::After {
            walk(&self.upper, folder, &mut |path| {
                found.insert(path.to_owned());
            });
        }
        found.into_iter().collect()
    }

    /// Returns whether the layer has an entry at or below a path.
    pub(super) fn touches(&self, path: &Path) -> bool {
        self.upper.join(path).symlink_metadata().is_ok()
    }

    /// Returns whether the file on the disk changed since a time.
    pub(super) fn changed_since(&self, path: &Path, time: SystemTime) -> bool {
        let Ok(found) = fs::symlink_metadata(self.lower.join(path)) else { return false };
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let at = (found.ctime(), found.ctime_nsec());
        at > (i64::try_from(since.as_secs()).unwrap_or_default(), i64::from(since.subsec_nanos()))
    }

    /// Returns the side that holds the entry at a path.
    fn side(&self, path: &Path) -> EntrySide {
        let mut at = self.upper.clone();
        let mut is_hidden = false;
        for part in path.components() {
            at.push(part);
            let Ok(found) = fs::symlink_metadata(&at) else {
                return if is_hidden { EntrySide::Neither } else { EntrySide::Disk };
            };
            if !found.is_dir() {
                let is_file = found.is_file() && at == self.upper.join(path);
                return if is_file { EntrySide::Layer } else { EntrySide::Neither };
            }
            is_hidden = is_hidden || open_folder(&at).is_some_and(hides_lower);
        }
        EntrySide::Disk
    }
}

/// Returns whether a layer's entry marks a removed file.
pub(super) fn is_whiteout(found: &fs::Metadata) -> bool {
    found.file_type().is_char_device() && found.rdev() == 0
}

pub(super) fn open_folder(path: &Path) -> Option<rustix::fd::OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()
}

/// Reads a regular file, if it is no longer than the limit.
pub(super) fn read_file(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?);
    let is_regular = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    let mut bytes = Vec::new();
    (is_regular && file.take(LONGEST).read_to_end(&mut bytes).is_ok()).then_some(bytes)
}

/// Calls `take` with each regular file at and below `folder`, by its path below `root`.
fn walk(root: &Path, folder: &Path, take: &mut dyn FnMut(&Path)) {
    let (mut waiting, mut seen) = (vec![folder.to_owned()], 0);
    while let Some(path) = waiting.pop() {
        seen += 1;
        let at = root.join(&path);
        let Ok(found) = fs::symlink_metadata(&at) else { continue };
        if seen > MOST {
            return;
        }
        if found.is_file() {
            take(&path);
        } else if found.is_dir() {
            let entries = fs::read_dir(at).into_iter().flatten().flatten();
            waiting.extend(entries.map(|entry| path.join(entry.file_name())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_adds_and_hides_and_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let view = RepositoryView::new(folder.path().join("lower"), folder.path().join("upper"));
        for (path, text) in
            [("lower/refs/a", "1"), ("lower/refs/b", "2"), ("upper/refs/c", "3"), ("upper/refs/b", "4")]
        {
            let at = folder.path().join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, text).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("upper/refs/a")).unwrap();
        let files = |at| {
            view.files(Path::new("refs"), at)
                .into_iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(files(ViewTime::Before), ["refs/a", "refs/b"]);
        assert_eq!(files(ViewTime::After), ["refs/b", "refs/c"]);
        assert_eq!(
            view.read(Path::new("refs/a"), ViewTime::After),
            None,
            "a symlink of the layer is nothing"
        );
        assert_eq!(view.read(Path::new("refs/b"), ViewTime::After).as_deref(), Some(b"4".as_slice()));
        assert!(view.differs(Path::new("refs/c")) && !view.differs(Path::new("refs/d")));
    }
}
