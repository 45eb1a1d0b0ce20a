//! The identity of a file apart from its bytes: mode, owner, extended attributes, ACL, names.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    Access, AtFlags, Gid, Mode, Stat, Uid, XattrFlags, accessat, fchmod, fchown, fgetxattr, fgetxattr_query,
    flistxattr, flistxattr_query, fremovexattr, fsetxattr, fstat,
};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use crate::base::WorkspacePath;

/// Refuses to replace what would not be the same file afterwards, or what the person wants kept.
///
/// A file with several names is refused: a rename would part them, and writing in place would leave half of
/// it after a crash.
pub(super) fn check_replaceable(
    folder: &OwnedFd,
    path: &WorkspacePath,
    stat: &Stat,
) -> Result<(), WorkspaceError> {
    if stat.st_nlink > 1 {
        let why = format!("it has {} names (hard links), and they would be parted", stat.st_nlink);
        return Err(kept_error(
            path,
            why,
            "write a new file instead, or ask the person to unlink the other names",
        ));
    }
    check_writable(folder, path, stat)
}

/// Refuses to change what is marked read-only, whatever this process may do.
pub(super) fn check_writable(
    folder: &OwnedFd,
    path: &WorkspacePath,
    stat: &Stat,
) -> Result<(), WorkspaceError> {
    if stat.st_mode & 0o222 == 0 {
        let why = format!("it is read-only (mode {:04o})", stat.st_mode & 0o7777);
        return Err(kept_error(path, why, "leave it, or ask the person to make it writable"));
    }
    accessat(folder, path.name(), Access::WRITE_OK, AtFlags::EACCESS)
        .map_err(|error| errno::system_error("write", path, error))
}

fn kept_error(path: &WorkspacePath, why: String, act: &'static str) -> WorkspaceError {
    WorkspaceError::Kept { path: path.clone(), why, act }
}

/// Gives `new` the identity of `old`. Its bytes must be written already: writing takes some of it away.
pub(super) fn take_over(
    old: &OwnedFd,
    stat: &Stat,
    new: impl AsFd,
    path: &WorkspacePath,
) -> Result<(), WorkspaceError> {
    let lost = |what: &str, error| match error {
        Errno::PERM | Errno::ACCESS => {
            let why = format!("its {what} could not be kept");
            kept_error(path, why, "ask the person to change it, or to take the file over first")
        }
        error => errno::system_error("keep the identity of", path, error),
    };
    let now = fstat(&new).map_err(|error| lost("owner", error))?;
    let owner = (now.st_uid != stat.st_uid).then(|| Uid::from_raw(stat.st_uid));
    let group = (now.st_gid != stat.st_gid).then(|| Gid::from_raw(stat.st_gid));
    if owner.is_some() || group.is_some() {
        fchown(&new, owner, group).map_err(|error| lost("owner", error))?;
    }
    copy_attributes(old, &new).map_err(|error| lost("extended attributes", error))?;
    // Last: changing the owner takes the setuid bits away, and an ACL changes the group's.
    fchmod(&new, Mode::from_raw_mode(stat.st_mode & 0o7777)).map_err(|error| lost("mode", error))
}

fn copy_attributes(old: &OwnedFd, new: impl AsFd) -> Result<(), Errno> {
    let wanted = attribute_names(old)?;
    for inherited in attribute_names(&new)?.iter().filter(|name| !wanted.contains(name)) {
        ignore_label_refusal(inherited, fremovexattr(&new, inherited.as_slice()))?;
    }
    for name in &wanted {
        let value = match attribute_value(old, name) {
            Err(Errno::NODATA) => continue,
            value => value?,
        };
        ignore_label_refusal(name, fsetxattr(&new, name.as_slice(), &value, XattrFlags::empty()))?;
    }
    Ok(())
}

/// Ignores the refusal of labels that the system keeps by itself; nothing is lost with them.
fn ignore_label_refusal(name: &[u8], result: Result<(), Errno>) -> Result<(), Errno> {
    let labels = name.starts_with(b"security.") || name.starts_with(b"trusted.");
    match result {
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP | Errno::NODATA | Errno::INVAL) if labels => {
            Ok(())
        }
        result => result,
    }
}

fn attribute_names(file: impl AsFd) -> Result<Vec<Vec<u8>>, Errno> {
    let size = match flistxattr_query(&file) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Vec::new()),
        size => size?,
    };
    let mut list = vec![0; size];
    let size = if size == 0 { 0 } else { flistxattr(&file, &mut list[..])? };
    list.truncate(size);
    Ok(list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
}

fn attribute_value(file: &OwnedFd, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let size = fgetxattr_query(file, name)?;
    let mut value = vec![0; size];
    let size = if size == 0 { 0 } else { fgetxattr(file, name, &mut value[..])? };
    value.truncate(size);
    Ok(value)
}
