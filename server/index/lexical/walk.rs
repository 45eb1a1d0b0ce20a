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

use self::odd::Odd;
use super::entry::{FileEntry, FileList, Stamp};

/// Names of ignore files that count besides those of git, the later ones more.
const IGNORE_FILES: [&str; 2] = [".rgignore", ".whereforeignore"];

/// Why no list was made.
#[derive(Debug, Error)]
pub enum WalkError {
    /// The glob does not parse.
    #[error("the glob {glob:?} is wrong: {reason}")]
    Glob {
        /// As it was given.
        glob: String,
        /// What is wrong.
        reason: String,
    },
    /// The folder cannot be walked.
    #[error("the folder cannot be searched: {0}")]
    Io(#[from] io::Error),
    /// A pipe or a device stands where an ignore file should.
    #[error("`{}` is a pipe or a device: what it ignores cannot be read", .0.display())]
    Odd(PathBuf),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}

/// What is walked for.
#[derive(Clone, Debug, Default)]
pub struct Walk<'a> {
    /// A folder below the root, `/`-separated; empty for the root.
    pub scope: &'a str,
    /// Only files that match, as `*.md` or `src/**/*.rs`; with a `!` before it, only others. They count more than what
    /// ignore files say, and name hidden files too, as ripgrep's `-g` does. Empty for all.
    pub glob: &'a str,
    /// Whether each file's state is looked at. Without that nothing in an index counts for it.
    pub stamps: bool,
}

/// Which paths a glob lets through.
#[derive(Debug)]
pub struct Globs(Override);

impl Globs {
    /// Reads a glob; paths are relative to `root`.
    ///
    /// # Errors
    /// Where it does not parse.
    pub fn new(root: &Path, glob: &str) -> Result<Self, WalkError> {
        let wrong =
            |error: ignore::Error| WalkError::Glob { glob: glob.to_owned(), reason: error.to_string() };
        let mut builder = OverrideBuilder::new(root);
        if !glob.is_empty() {
            builder.add(glob).map_err(wrong)?;
        }
        builder.build().map(Self).map_err(wrong)
    }

    /// Whether the file at a path relative to the root, which no ignore file leaves out, is let through.
    pub fn admits(&self, path: &str) -> bool {
        let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        !self.0.matched(path, false).is_ignore()
            && !folders.into_iter().any(|folder| self.0.matched(folder, true).is_ignore())
    }
}

/// Walks a folder on all cores until `go_on` says no. Symlinks are not followed. What cannot be read is left out. A file
/// whose path is not UTF-8 is left out too: no caller could name it.
///
/// # Errors
/// For a glob that does not parse, and where it is stopped.
pub fn walk(root: &Path, walk: &Walk<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Result<FileList, WalkError> {
    let top = if walk.scope.is_empty() { root.to_owned() } else { root.join(walk.scope) };
    let mut builder = WalkBuilder::new(&top);
    builder.follow_links(false).overrides(Globs::new(root, walk.glob)?.0);
    IGNORE_FILES.iter().for_each(|name| {
        builder.add_custom_ignore_filename(name);
    });
    let odd = Odd::guard(&mut builder, &top)?;
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8));
    let all = Mutex::new(Vec::new());
    builder.threads(threads).build_parallel().run(|| {
        let mut found = Share { all: &all, own: Vec::new() };
        Box::new(move |entry| {
            if !go_on() {
                return WalkState::Quit;
            }
            found.own.extend(entry.ok().and_then(|entry| listed(root, &entry, walk.stamps)));
            WalkState::Continue
        })
    });
    if !go_on() {
        return Err(WalkError::Stopped);
    }
    odd.check(root)?;
    let mut list = all.into_inner();
    list.sort_unstable_by(|one: &FileEntry, other| one.path.cmp(&other.path));
    Ok(list.into())
}

/// What one thread found, handed over when it ends.
struct Share<'a> {
    all: &'a Mutex<Vec<FileEntry>>,
    own: Vec<FileEntry>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.all.lock().append(&mut self.own);
    }
}

fn listed(root: &Path, entry: &DirEntry, stamps: bool) -> Option<FileEntry> {
    entry.file_type().filter(|kind| kind.is_file())?;
    let bytes = entry.path().as_os_str().as_bytes().strip_prefix(root.as_os_str().as_bytes())?;
    let path = std::str::from_utf8(bytes.strip_prefix(b"/").unwrap_or(bytes)).ok()?;
    let stamp = if stamps { Stamp::of_metadata(&entry.metadata().ok()?) } else { Stamp::default() };
    Some(FileEntry { path: Arc::from(path), stamp, changed: 0 })
}
