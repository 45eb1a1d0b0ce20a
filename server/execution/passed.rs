//! Moves what a command wrote in folders that git ignores from its layer into the workspace. No symlink is followed on the way.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat, renameat, statat,
    symlinkat, unlinkat,
};
use rustix::io::Errno;

use crate::base::WorkspacePath;

/// Puts the entry at `from` in the place of whatever stands at `path` below `root`.
///
/// # Errors
/// As the system says; what was moved before that stays.
pub(super) fn pass(root: &Path, path: &WorkspacePath, from: &Path) -> io::Result<()> {
    let (Some(parent), Some(above)) = (path.parent(), from.parent()) else { return Ok(()) };
    let (target, source) = (parent_in(root, &parent)?, folder(CWD, above)?);
    transfer(source.as_fd(), target.as_fd(), path.name())?;
    Ok(())
}

/// Removes what stands at `path` below `root`.
///
/// # Errors
/// As the system says.
pub(super) fn remove(root: &Path, path: &WorkspacePath) -> io::Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    Ok(clear(parent_in(root, &parent)?.as_fd(), path.name())?)
}

/// Makes a folder at `path` below `root`, in the place of whatever else stands there.
///
/// # Errors
/// As the system says.
pub(super) fn make(root: &Path, path: &WorkspacePath) -> io::Result<()> {
    if parent_in(root, path).is_err() {
        remove(root, path)?;
        parent_in(root, path)?;
    }
    Ok(())
}

/// A folder below `root`, made where it is missing.
fn parent_in(root: &Path, path: &WorkspacePath) -> io::Result<OwnedFd> {
    let mut at = folder(CWD, root)?;
    for name in path.parts() {
        match mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        at = folder(&at, name)?;
    }
    Ok(at)
}

fn folder(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    openat(at, name, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Moves one entry. Folders are merged: a layer holds only what is new in them.
fn transfer(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &str) -> rustix::io::Result<()> {
    let kind = FileType::from_raw_mode(statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
    let there = statat(to, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| FileType::from_raw_mode(stat.st_mode));
    match (kind, there) {
        (FileType::Directory, Ok(FileType::Directory)) => merge(from, to, name),
        (FileType::Directory | FileType::RegularFile | FileType::Symlink, there) => {
            if there.is_ok_and(|there| there == FileType::Directory || kind == FileType::Directory) {
                clear(to, name)?;
            }
            match renameat(from, name, to, name) {
                Err(Errno::XDEV) => copy(from, to, name, kind),
                done => done,
            }
        }
        // A whiteout stands for what was removed.
        (FileType::CharacterDevice, Ok(_)) => clear(to, name),
        _ => Ok(()),
    }
}

fn merge(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &str) -> rustix::io::Result<()> {
    let (from, to) = (folder(from, name)?, folder(to, name)?);
    for entry in names(&from)? {
        transfer(from.as_fd(), to.as_fd(), &entry)?;
    }
    Ok(())
}

/// Copies one entry to another file system.
fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &str, kind: FileType) -> rustix::io::Result<()> {
    match kind {
        FileType::Directory => {
            mkdirat(to, name, Mode::from_raw_mode(0o777))?;
            merge(from, to, name)
        }
        FileType::Symlink => {
            let target = readlinkat(from, name, Vec::new())?;
            // A link cannot be written over.
            let _ = unlinkat(to, name, AtFlags::empty());
            symlinkat(target.as_c_str(), to, name)
        }
        _ => {
            let source =
                openat(from, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
            let mode = Mode::from_raw_mode(fstat(&source)?.st_mode & 0o777);
            let _ = unlinkat(to, name, AtFlags::empty());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let target = openat(to, name, flags, mode)?;
            let copied = io::copy(&mut File::from(source), &mut File::from(target));
            copied.map(drop).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
        }
    }
}

/// Removes an entry with all that stands below it.
fn clear(at: BorrowedFd<'_>, name: &str) -> rustix::io::Result<()> {
    match unlinkat(at, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {
            let below = folder(at, name)?;
            for entry in names(&below)? {
                clear(below.as_fd(), &entry)?;
            }
            unlinkat(at, name, AtFlags::REMOVEDIR)
        }
        Err(Errno::NOENT) => Ok(()),
        done => done,
    }
}

/// The entries of a folder whose names are text.
fn names(folder: &OwnedFd) -> rustix::io::Result<Vec<String>> {
    let entries = Dir::read_from(folder)?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_str().ok()?.to_owned()));
    Ok(names.filter(|name| name != "." && name != "..").collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_ignored_is_moved_and_merged_and_no_symlink_is_followed() {
        let [root, layer, outside] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let (root, layer) = (root.path(), layer.path());
        fs::create_dir_all(root.join("target/debug")).unwrap();
        fs::write(root.join("target/debug/old"), "old").unwrap();
        fs::create_dir_all(layer.join("target/debug/deps")).unwrap();
        fs::write(layer.join("target/debug/old"), "new").unwrap();
        fs::write(layer.join("target/debug/deps/x"), "x").unwrap();
        symlink("x", layer.join("target/debug/deps/y")).unwrap();
        let path = |path: &str| WorkspacePath::clean(path).unwrap();
        pass(root, &path("target"), &layer.join("target")).unwrap();
        assert_eq!(fs::read(root.join("target/debug/old")).unwrap(), b"new");
        assert_eq!(fs::read(root.join("target/debug/deps/x")).unwrap(), b"x");
        assert_eq!(fs::read_link(root.join("target/debug/deps/y")).unwrap(), Path::new("x"));
        remove(root, &path("target")).unwrap();
        assert!(!root.join("target").exists());

        symlink(outside.path(), root.join("out")).unwrap();
        fs::write(layer.join("evil"), "evil").unwrap();
        assert!(pass(root, &path("out/evil"), &layer.join("evil")).is_err());
        assert!(remove(root, &path("out/evil")).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
