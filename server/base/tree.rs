//! Removal of a folder with all its contents, however deep: no recursion, two descriptors, and no path longer than
//! one name.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::{Errno, Result};

/// A folder that is being emptied.
struct PendingDir {
    name: CString,
    /// Its device and inode, by which it is recognised on the way back up.
    place: (u64, u64),
    /// The folders in it that are still to be emptied.
    folders: Vec<CString>,
}

/// Removes the entry `name` in `parent`: a folder with all its contents, or anything else. Symlinks are not followed,
/// and folders that their owner closed are opened for it. A missing entry is no error.
///
/// # Errors
/// The first error of the system. Everything that can be removed is removed by then.
pub fn remove_tree(parent: impl AsFd, name: &CStr) -> Result<()> {
    let parent = parent.as_fd();
    match unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    let mut failed = None;
    let mut at = open_to_owner(parent, name)?;
    let mut above = vec![empty_dir(&at, name.to_owned(), &mut failed)?];
    while let Some(folder) = above.last_mut() {
        if let Some(next) = folder.folders.pop() {
            match open_to_owner(at.as_fd(), &next).and_then(|below| {
                let inner = empty_dir(&below, next, &mut failed)?;
                Ok((below, inner))
            }) {
                Ok((below, inner)) => {
                    at = below;
                    above.push(inner);
                }
                Err(Errno::NOENT) => {}
                Err(error) => drop(failed.get_or_insert(error)),
            }
            continue;
        }
        let Some(done) = above.pop() else { break };
        let removed = match above.last() {
            None => unlinkat(parent, &done.name, AtFlags::REMOVEDIR),
            Some(outer) => {
                let up =
                    openat(&at, "..", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
                // Another process moved it meanwhile: the folder above it now must not be emptied.
                if device_and_inode(&up)? != outer.place {
                    return Err(Errno::XDEV);
                }
                let removed = unlinkat(&up, &done.name, AtFlags::REMOVEDIR);
                at = up;
                removed
            }
        };
        if let Err(error) = removed
            && error != Errno::NOENT
        {
            failed.get_or_insert(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Removes everything but folders from `folder`, and lists the folders in it.
fn empty_dir(folder: &OwnedFd, name: CString, failed: &mut Option<Errno>) -> Result<PendingDir> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            entries.push((entry.file_name().to_owned(), entry.file_type() == FileType::Directory));
        }
    }
    let mut folders = Vec::new();
    for (name, is_folder) in entries {
        match if is_folder { Err(Errno::ISDIR) } else { unlinkat(folder, &name, AtFlags::empty()) } {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => folders.push(name),
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    Ok(PendingDir { name, place: device_and_inode(folder)?, folders })
}

/// Opens a folder, and gives its owner every right to it.
fn open_to_owner(parent: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd> {
    let strict = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, strict | OFlags::PATH, Mode::empty())?;
    let found = fstat(&folder)?;
    let mode = Mode::from_raw_mode(found.st_mode);
    if !mode.contains(Mode::RWXU) && found.st_uid == rustix::process::geteuid().as_raw() {
        rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode | Mode::RWXU)?;
    }
    openat(&folder, ".", OFlags::RDONLY | strict, Mode::empty())
}

fn device_and_inode(folder: &OwnedFd) -> Result<(u64, u64)> {
    let found = fstat(folder)?;
    Ok((found.st_dev, found.st_ino))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::{self, File, Permissions};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_tree_of_any_depth_and_width_is_removed_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir(at.join("kept")).unwrap();
        fs::write(at.join("kept/file"), "kept").unwrap();
        fs::create_dir_all(at.join("tree/closed/inner")).unwrap();
        fs::write(at.join("tree/closed/inner/file"), "").unwrap();
        fs::write(at.join("tree").join(OsStr::from_bytes(b"\xff\n")), "").unwrap();
        symlink("../kept", at.join("tree/link")).unwrap();
        for number in 0..300 {
            fs::create_dir(at.join(format!("tree/{number}"))).unwrap();
        }
        let mut deep = OwnedFd::from(File::open(at.join("tree")).unwrap());
        for _ in 0..5_000 {
            rustix::fs::mkdirat(&deep, "deep-folder", Mode::RWXU).unwrap();
            deep = openat(&deep, "deep-folder", OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        fs::set_permissions(at.join("tree/closed"), Permissions::from_mode(0o000)).unwrap();
        let parent = File::open(at).unwrap();
        remove_tree(&parent, c"tree").unwrap();
        remove_tree(&parent, c"missing").unwrap();
        assert_eq!(fs::read_dir(at).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(at.join("kept/file")).unwrap(), "kept");
    }
}
