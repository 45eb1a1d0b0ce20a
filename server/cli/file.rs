//! A file outside any workspace's rules, since a person named it or agreed to it: read whole, replaced whole.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::protocol::{Code, Fault};

/// The bytes of a regular file; none where nothing is there.
///
/// # Errors
/// NOT_FOUND for a link to nothing, UNSUPPORTED for what is no regular file; else what the system says.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match std::fs::metadata(path) {
        // Reading a pipe or a device may never end.
        Ok(found) if !found.is_file() => {
            Err(Fault::new(Code::Unsupported, format!("{} is not a regular file", path.display())))
        }
        Ok(_) => std::fs::read(path).map(Some).map_err(|error| fault("read", path, &error)),
        Err(error) if error.kind() == ErrorKind::NotFound => match path.is_symlink() {
            true => Err(Fault::new(
                Code::NotFound,
                format!("{} is a link whose target does not exist", path.display()),
            )
            .suggest("Name the file itself, or mend the link.")),
            false => Ok(None),
        },
        Err(error) => Err(fault("read", path, &error)),
    }
}

/// Puts bytes in the place of a file, or makes it: at every instant it holds the old bytes or the new ones. A link
/// stays one.
///
/// # Errors
/// UNSUPPORTED for a file with several hard links; else what the system says.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let target = target(path);
    if let Ok(found) = std::fs::metadata(&target)
        && found.nlink() > 1
    {
        let message = format!(
            "{} has {} names (hard links), which a new file would part",
            path.display(),
            found.nlink()
        );
        return Err(Fault::new(Code::Unsupported, message)
            .suggest("Give it a file of its own first: `cp FILE NEW && mv NEW FILE`."));
    }
    replace(&target, bytes).map_err(|error| fault("write", path, &error))
}

/// The file itself where a link leads to it.
fn target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn replace(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    std::fs::create_dir_all(&folder)?;
    let kept = std::fs::metadata(target).ok();
    let mut temporary = tempfile::Builder::new()
        .prefix(".wherefore-")
        .permissions(PermissionsExt::from_mode(0o666))
        .tempfile_in(&folder)?;
    temporary.write_all(bytes)?;
    if let Some(kept) = kept {
        let made = temporary.as_file().metadata()?;
        if (kept.uid(), kept.gid()) != (made.uid(), made.gid()) {
            std::os::unix::fs::fchown(temporary.as_file(), Some(kept.uid()), Some(kept.gid()))?;
        }
        temporary.as_file().set_permissions(kept.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(target)?;
    std::fs::File::open(&folder)?.sync_all()
}

/// Removes a file; where a link leads to it, the link stays.
///
/// # Errors
/// What the system says.
pub(super) fn remove(path: &Path) -> Result<(), Fault> {
    std::fs::remove_file(target(path)).map_err(|error| fault("remove", path, &error))
}

/// What the system said no to.
pub(super) fn fault(act: &str, path: &Path, error: &std::io::Error) -> Fault {
    let code = match error.kind() {
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::PermissionDenied,
        _ => Code::Internal,
    };
    // An error that names our temporary file would puzzle: only what happened is told.
    let said = match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    };
    Fault::new(code, format!("cannot {act} {}: {said}", path.display()))
}
