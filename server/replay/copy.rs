//! A copy of a workspace in a temporary folder, and a hub of its own for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::base::OWN_DIR;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{Code, Fault};
use crate::sandbox::SandboxLauncher;

/// Files that a copy takes at the most.
const MOST_FILES: usize = 100_000;
/// Bytes that a copy takes at the most.
const MOST_BYTES: u64 = 4 << 30;
/// The entries of our own folder that are not copied: the logs, and the listings of servers.
const NOT_OURS: [&str; 3] = ["sessions", "upstream", ".gitignore"];

/// A copy of a workspace. It is removed with this, unless it is kept.
#[derive(Debug)]
pub struct WorkspaceCopy {
    folder: TempDir,
    root: PathBuf,
}

impl WorkspaceCopy {
    /// Copies the files that git does not ignore, `.git` itself, and the workspace's settings for wherefore.
    ///
    /// # Errors
    /// QUOTA_EXCEEDED where there is too much, and the error of the disk.
    pub fn make_copy(from: &Path) -> Result<Self, Fault> {
        let failed = |error: io::Error| {
            Fault::internal(format!("the workspace cannot be copied: {error}"))
                .with_suggestion("look at the disk, or name another workspace with --root")
        };
        let paths = list_copied(from)?;
        let folder = tempfile::Builder::new().prefix("wherefore-replay-").tempdir().map_err(failed)?;
        let root = folder.path().join(from.file_name().unwrap_or("workspace".as_ref()));
        fs::create_dir_all(&root).map_err(failed)?;
        for path in paths {
            copy_entry(&from.join(&path), &root.join(&path)).map_err(|error| {
                failed(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
            })?;
        }
        Ok(Self { folder, root })
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a hub for it, with no editor, and with a state folder of its own.
    ///
    /// # Errors
    /// The error that keeps it from being opened.
    pub fn open_hub(&self) -> Result<Hub, Fault> {
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: false,
            state: Some(self.folder.path().join("state")),
            launcher: SandboxLauncher::own(),
            environment: None,
        });
        let root = self.root.to_str();
        hub.add_root(root.ok_or_else(|| Fault::new(Code::Unsupported, "the folder's path is not UTF-8"))?)?;
        Ok(hub)
    }

    /// Keeps the copy; returns its root.
    pub fn keep_folder(self) -> PathBuf {
        let _ = self.folder.keep();
        self.root
    }
}

/// Returns the paths to copy, relative to the folder.
fn list_copied(from: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed = |error: ignore::Error| Fault::internal(format!("the workspace cannot be listed: {error}"));
    let ours = from.join(OWN_DIR);
    let is_ours = ours.clone();
    let project = ignore::WalkBuilder::new(from)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| entry.path() != is_ours)
        .build();
    let settings = ignore::WalkBuilder::new(&ours)
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() != 1 || NOT_OURS.iter().all(|name| entry.file_name() != *name))
        .build();
    let settings = settings.filter(|_| ours.is_dir());
    let (mut paths, mut bytes) = (Vec::new(), 0);
    for entry in project.chain(settings) {
        let entry = entry.map_err(failed)?;
        // A `.git` file names the repository of another folder, which a copy has nothing to do with.
        let is_foreign = entry.depth() == 1 && entry.file_name() == ".git" && !entry.path().is_dir();
        let Some(kind) = entry.file_type().filter(|_| !is_foreign) else { continue };
        if kind.is_file() {
            bytes += entry.metadata().map_err(failed)?.len();
        }
        if kind.is_file() || kind.is_dir() || kind.is_symlink() {
            paths.extend(entry.path().strip_prefix(from).map(Path::to_path_buf));
        }
        if paths.len() > MOST_FILES || bytes > MOST_BYTES {
            let most = MOST_BYTES >> 30;
            let message =
                format!("the workspace holds more than the {MOST_FILES} files or {most} GiB of a copy");
            return Err(Fault::new(Code::QuotaExceeded, message)
                .with_suggestion("have git ignore what is built, or name a smaller folder with --root"));
        }
    }
    Ok(paths)
}

/// Copies one entry with its permissions and its time.
fn copy_entry(from: &Path, to: &Path) -> io::Result<()> {
    let data = fs::symlink_metadata(from)?;
    if data.is_dir() {
        return fs::create_dir_all(to);
    }
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    if data.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    fs::copy(from, to)?;
    // Only a program that compares times misses it.
    if let (Ok(file), Ok(time)) = (fs::File::open(to), data.modified()) {
        let _ = file.set_modified(time);
    }
    Ok(())
}
