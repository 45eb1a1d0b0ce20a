//! Planted entries are moved away.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD};

use crate::opened_folders::{self, OpenedFolders};
use crate::survey::{PlantedEntry, PlantedKind};

/// Moves planted entries into `quarantine_entries`, and records the new path of each.
pub(crate) fn quarantine_entries(planted: &mut [PlantedEntry], quarantine: &Path) {
    for (number, one) in planted.iter_mut().enumerate() {
        if one.kind == PlantedKind::Moved {
            continue;
        }
        let (Some(folder), Some(name)) = (one.path.parent(), one.path.file_name()) else { continue };
        let mut target = OsString::from(format!("{number}-"));
        target.push(name);
        one.quarantined = move_away((folder, name), &quarantine.join(target)).ok();
    }
}

/// Moves `name` in `folder` to `target`, or, if that is another file system, aside in its own folder.
fn move_away((folder, name): (&Path, &OsStr), target: &Path) -> io::Result<PathBuf> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    // Its folder has to be writable, and a folder that is moved to another one has to be so itself.
    let mut opened = OpenedFolders::default();
    opened.open_to_owner(folder);
    opened.open_to_owner(&folder.join(name));
    let (from, _) = opened_folders::open_folder(folder)?;
    if !fs::exists(target)? && rustix::fs::renameat(&from, name, CWD, target).is_ok() {
        return Ok(target.to_owned());
    }
    let mut aside = name.to_owned();
    aside.push(".quarantined");
    if rustix::fs::statat(&from, &aside, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    rustix::fs::renameat(&from, name, &from, &aside)?;
    Ok(folder.join(aside))
}
