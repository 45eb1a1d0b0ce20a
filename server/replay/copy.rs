//! A copy of a workspace in a temporary folder, and a hub of its own for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::base::OURS;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{Code, Fault};
use crate::sandbox::Launcher;

/// Files that a copy takes at the most.
const MOST_FILES: usize = 100_000;
/// Bytes that a copy takes at the most.
const MOST_BYTES: u64 = 4 << 30;
/// What is not copied of our own folder: the logs, and what servers listed.
const NOT_OURS: [&str; 3] = ["sessions", "upstream", ".gitignore"];

/// A copy of a workspace. It is removed with this, unless it is kept.
#[derive(Debug)]
pub struct WorkspaceCopy {
    folder: TempDir,
    root: PathBuf,
}

impl WorkspaceCopy {
    /// Copies what git would not ignore, `.git` itself, and the workspace's settings for wherefore.
    ///
    /// # Errors
    /// QUOTA_EXCEEDED where there is too much, and what the disk says.
    pub fn make(from: &Path) -> Result<Self, Fault> {
        let failed = |error: io::Error| {
            Fault::internal(format!("the workspace cannot be copied: {error}"))
                .suggest("look at the disk, or name another workspace with --root")
        };
        let paths = listed(from)?;
        let folder = tempfile::Builder::new().prefix("wherefore-replay-").tempdir().map_err(failed)?;
        let root = folder.path().join(from.file_name().unwrap_or("workspace".as_ref()));
        fs::create_dir_all(&root).map_err(failed)?;
        for path in paths {
            copied(&from.join(&path), &root.join(&path)).map_err(|error| {
                failed(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
            })?;
        }
        Ok(Self { folder, root })
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A hub for it, with no editor, and with a state folder of its own.
    ///
    /// # Errors
    /// What keeps it from being opened.
    pub fn hub(&self) -> Result<Hub, Fault> {
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: false,
            state: Some(self.folder.path().join("state")),
            launcher: Launcher::own(),
        });
        let root = self.root.to_str();
        hub.add_root(root.ok_or_else(|| Fault::new(Code::Unsupported, "the folder's path is not UTF-8"))?)?;
        Ok(hub)
    }

    /// Has it stay; its root.
    pub fn keep(self) -> PathBuf {
        let _ = self.folder.keep();
        self.root
    }
}

/// What is copied, relative to the folder.
fn listed(from: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed = |error: ignore::Error| Fault::internal(format!("the workspace cannot be listed: {error}"));
    let ours = from.join(OURS);
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
                .suggest("have git ignore what is built, or name a smaller folder with --root"));
        }
    }
    Ok(paths)
}

/// Copies one entry with its permissions and its time.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
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
