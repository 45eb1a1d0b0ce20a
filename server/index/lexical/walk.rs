//! The list of files, walked for as ripgrep walks: what ignore files name and what is hidden is left out.

mod odd;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};
use parking_lot::Mutex;
use thiserror::Error;

use self::odd::OddFile;
use super::entry::{FileEntry, FileList, StatStamp};

/// Names of ignore files that count besides those of git, the later ones more.
const IGNORE_FILES: [&str; 2] = [".rgignore", ".whereforeignore"];

/// The reason why no list was made.
#[derive(Debug, Error)]
pub enum WalkError {
    /// The glob does not parse.
    #[error("the glob {glob:?} is wrong: {reason}")]
    Glob {
        /// The glob.
        glob: String,
        /// The error in it.
        reason: String,
    },
    /// The folder cannot be walked.
    #[error("the folder cannot be searched: {0}")]
    Io(#[from] io::Error),
    /// An ignore file is a pipe or a device.
    #[error("`{}` is a pipe or a device: what it ignores cannot be read", .0.display())]
    Odd(PathBuf),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}

/// The options of a walk.
#[derive(Clone, Debug, Default)]
pub struct FileWalk<'a> {
    /// A folder below the root, `/`-separated; empty for the root.
    pub scope: &'a str,
    /// Only files that match, such as `*.md` or `src/**/*.rs`; with a `!` before it, only others. It overrides ignore
    /// files, and matches hidden files too, as ripgrep's `-g` does. Empty for all.
    pub glob: &'a str,
    /// True if each file's state is read. Without that nothing in an index counts for it.
    pub stamps: bool,
}

/// The paths that a glob lets through.
#[derive(Debug)]
pub struct GlobFilter(Override);

impl GlobFilter {
    /// Reads a glob; paths are relative to `root`.
    ///
    /// # Errors
    /// Fails if it does not parse.
    pub fn new(root: &Path, glob: &str) -> Result<Self, WalkError> {
        let wrong =
            |error: ignore::Error| WalkError::Glob { glob: glob.to_owned(), reason: error.to_string() };
        let mut builder = OverrideBuilder::new(root);
        if !glob.is_empty() {
            builder.add(glob).map_err(wrong)?;
        }
        builder.build().map(Self).map_err(wrong)
    }

    /// Returns whether the file at a path relative to the root, which no ignore file leaves out, is let through.
    pub fn admits(&self, path: &str) -> bool {
        let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        !self.0.matched(path, false).is_ignore()
            && !folders.into_iter().any(|folder| self.0.matched(folder, true).is_ignore())
    }
}

/// Walks a folder on all cores while `go_on` returns true. Symlinks are not followed. Unreadable folders are left
/// out. A file whose path is not UTF-8 is left out too: no caller could name it.
///
/// # Errors
/// For a glob that does not parse, and if it is stopped.
pub fn walk_files(
    root: &Path,
    walk: &FileWalk<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<FileList, WalkError> {
    let top = if walk.scope.is_empty() { root.to_owned() } else { root.join(walk.scope) };
    let mut builder = WalkBuilder::new(&top);
    builder.follow_links(false).overrides(GlobFilter::new(root, walk.glob)?.0);
    IGNORE_FILES.iter().for_each(|name| {
        builder.add_custom_ignore_filename(name);
    });
    let odd = OddFile::guard_walk(&mut builder, &top)?;
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8));
    let all = Mutex::new(Vec::new());
    builder.threads(threads).build_parallel().run(|| {
        let mut found = ThreadShare { all: &all, own: Vec::new() };
        Box::new(move |entry| {
            if !go_on() {
                return WalkState::Quit;
            }
            found.own.extend(entry.ok().and_then(|entry| file_entry(root, &entry, walk.stamps)));
            WalkState::Continue
        })
    });
    if !go_on() {
        return Err(WalkError::Stopped);
    }
    odd.check_found(root)?;
    let mut list = all.into_inner();
    list.sort_unstable_by(|one: &FileEntry, other| one.path.cmp(&other.path));
    Ok(list.into())
}

/// The results of one thread, handed over when it ends.
struct ThreadShare<'a> {
    all: &'a Mutex<Vec<FileEntry>>,
    own: Vec<FileEntry>,
}

impl Drop for ThreadShare<'_> {
    fn drop(&mut self) {
        self.all.lock().append(&mut self.own);
    }
}

fn file_entry(root: &Path, entry: &DirEntry, stamps: bool) -> Option<FileEntry> {
    entry.file_type().filter(|kind| kind.is_file())?;
    let bytes = entry.path().as_os_str().as_bytes().strip_prefix(root.as_os_str().as_bytes())?;
    let path = std::str::from_utf8(bytes.strip_prefix(b"/").unwrap_or(bytes)).ok()?;
    let stamp = if stamps { StatStamp::from_metadata(&entry.metadata().ok()?) } else { StatStamp::default() };
    Some(FileEntry { path: Arc::from(path), stamp, changed: 0 })
}
