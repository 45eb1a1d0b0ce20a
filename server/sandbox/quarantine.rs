//! What a command planted is moved away.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD};

use crate::opened::{self, Opened};
use crate::survey::{Planted, PlantedKind};

/// Moves what was planted into `quarantine`, and says where each went.
pub(crate) fn quarantine(planted: &mut [Planted], quarantine: &Path) {
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

/// Moves `name` in `folder` to `target`, or, where that is another file system, aside in its own folder.
fn move_away((folder, name): (&Path, &OsStr), target: &Path) -> io::Result<PathBuf> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    // Its folder has to be writable, and a folder that is moved to another one has to be so itself.
    let mut opened = Opened::default();
    opened.open(folder);
    opened.open(&folder.join(name));
    let (from, _) = opened::folder(folder)?;
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
