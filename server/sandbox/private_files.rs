//! Files that a command leaves in its private folders: they go with the sandbox, and a command that wrote them ended well.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bytes::OsBytes;
use crate::spec::{ConfinementWay, SandboxSpec};

/// Files that are named.
const NAMED: usize = 4;
/// Bytes of the longest path that is named: the message has to stay short.
const LONGEST: usize = 300;
/// Folders in folders that are looked into, and entries that are looked at.
const DEPTH: usize = 6;
const ENTRIES: usize = 4000;
/// The names of programs' own files below the home folder or a temporary one, which are of no value to the user.
const CACHES: [&str; 20] = [
    ".bun",
    ".bundle",
    ".cache",
    ".cargo",
    ".config",
    ".deno",
    ".dotnet",
    ".gem",
    ".gradle",
    ".ivy2",
    ".java",
    ".local",
    ".m2",
    ".npm",
    ".nuget",
    ".rustup",
    ".yarn",
    "go",
    "node-compile-cache",
    "v8-compile-cache",
];

/// Files that went with a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LostFiles {
    /// The number of files.
    pub(crate) count: u64,
    /// The first ones.
    pub(crate) first: Vec<OsBytes>,
}

/// The files that stand in the private folders of a sandbox.
pub(crate) struct PrivateFiles(BTreeSet<PathBuf>);

impl PrivateFiles {
    /// Lists the current files.
    pub(crate) fn list(spec: &SandboxSpec) -> Self {
        let home = spec.home.as_path();
        let temporary: &[&str] = match (spec.way, &spec.temporary) {
            (ConfinementWay::Landlock, _) => &[],
            (_, None) => &["/tmp", "/var/tmp"],
            (_, Some(_)) => &["/var/tmp"],
        };
        let folders = temporary.iter().map(Path::new).chain([home]);
        let mut listing = PrivateListing { found: BTreeSet::new(), left: ENTRIES };
        folders.for_each(|folder| listing.add_folder(folder));
        Self(listing.found)
    }

    /// Returns the files that were not there before.
    pub(crate) fn added_since(self, before: &Self) -> LostFiles {
        let new: Vec<&PathBuf> = self.0.difference(&before.0).collect();
        let short = new.iter().filter(|path| path.as_os_str().len() <= LONGEST);
        LostFiles {
            count: new.len() as u64,
            first: short.take(NAMED).map(|path| OsBytes::from(path.as_path())).collect(),
        }
    }
}

struct PrivateListing {
    found: BTreeSet<PathBuf>,
    left: usize,
}

impl PrivateListing {
    fn add_folder(&mut self, folder: &Path) {
        if let Ok(top) = folder.symlink_metadata() {
            self.add_below(folder, top.dev(), DEPTH);
        }
    }

    /// Files of other file systems are left out: those of the workspace, and those of the host that are shown.
    fn add_below(&mut self, folder: &Path, device: u64, depth: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let is_cache = entry.file_name().to_str().is_some_and(|name| CACHES.contains(&name));
            let Ok(found) = entry.path().symlink_metadata() else { continue };
            match found.dev() == device && !is_cache {
                true if found.is_dir() && depth > 0 => self.add_below(&entry.path(), device, depth - 1),
                true if found.is_file() || found.is_symlink() => drop(self.found.insert(entry.path())),
                _ => {}
            }
        }
    }
}
