//! A file outside any workspace's rules, named or agreed to by a person: read whole, replaced whole.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::protocol::{Code, Fault};

/// The reason why a file was not read, written or removed.
#[derive(Debug, Error)]
pub(super) enum FileError {
    /// The path is a folder, a pipe or a device.
    #[error("{} is not a regular file", .0.display())]
    Irregular(PathBuf),
    /// A link leads to nothing.
    #[error("{} is a link whose target does not exist", .0.display())]
    Dangling(PathBuf),
    /// The file has several hard links, which a new file would part.
    #[error("{} has {names} names (hard links), which a new file would part", path.display())]
    HardLinks {
        /// The file.
        path: PathBuf,
        /// The count of its hard links.
        names: u64,
    },
    /// The system refused.
    #[error("cannot {act} {}: {}", path.display(), describe_error(source))]
    System {
        /// The operation that failed, as "write".
        act: &'static str,
        /// The path of the operation.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// An error without the name of our temporary file, which would puzzle.
fn describe_error(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    }
}

impl FileError {
    /// The act to take next, as a sentence.
    pub(super) fn suggestion(&self) -> Option<&'static str> {
        match self {
            Self::Dangling(_) => Some("Name the file itself, or mend the link."),
            Self::HardLinks { .. } => Some("Give it a file of its own first: `cp FILE NEW && mv NEW FILE`."),
            Self::Irregular(_) | Self::System { .. } => None,
        }
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        let code = match &error {
            FileError::Irregular(_) | FileError::HardLinks { .. } => Code::Unsupported,
            FileError::Dangling(_) => Code::NotFound,
            FileError::System { source, .. } => match source.kind() {
                ErrorKind::NotFound => Code::NotFound,
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::PermissionDenied,
                _ => Code::Internal,
            },
        };
        Self { suggestion: error.suggestion().map(str::to_owned), ..Self::new(code, error.to_string()) }
    }
}

/// Makes an error of the system's error; `act` is the operation that failed, as "write".
pub(super) fn system_error(act: &'static str, path: &Path) -> impl Fn(std::io::Error) -> FileError {
    move |source| FileError::System { act, path: path.to_owned(), source }
}

/// The bytes of a regular file; none if there is no file.
///
/// # Errors
/// NOT_FOUND for a dangling link, UNSUPPORTED for what is no regular file; else the system's error.
pub(super) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match std::fs::metadata(path) {
        // Reading a pipe or a device may never end.
        Ok(found) if !found.is_file() => Err(FileError::Irregular(path.to_owned())),
        Ok(_) => std::fs::read(path).map(Some).map_err(system_error("read", path)),
        Err(error) if error.kind() == ErrorKind::NotFound => match path.is_symlink() {
            true => Err(FileError::Dangling(path.to_owned())),
            false => Ok(None),
        },
        Err(error) => Err(system_error("read", path)(error)),
    }
}

/// Puts bytes in the place of a file, or makes it: at every instant it holds the old bytes or the new ones. A link
/// stays one.
///
/// # Errors
/// UNSUPPORTED for a file with several hard links; else the system's error.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let target = link_target(path);
    if let Ok(found) = std::fs::metadata(&target)
        && found.nlink() > 1
    {
        return Err(FileError::HardLinks { path: path.to_owned(), names: found.nlink() });
    }
    replace_file(&target, bytes).map_err(system_error("write", path))
}

/// The file itself where a link leads to it.
fn link_target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn replace_file(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
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
/// The error of the system.
pub(super) fn remove_file(path: &Path) -> Result<(), FileError> {
    std::fs::remove_file(link_target(path)).map_err(system_error("remove", path))
}
