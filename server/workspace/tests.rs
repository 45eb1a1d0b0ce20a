//! A workspace in a temporary folder, and next to it a file that must never be reached.

use std::path::PathBuf;
use std::sync::Arc;

use super::{WorkspaceFiles, WorkspaceRoot, WorkspaceState, WorkspaceStore};
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault, RuleSettings};
use crate::rules::{FileOpener, WorkspaceRules};

mod access;
mod attack;
mod copying;
mod keeping;
mod reading;
mod storing;
mod sweeping;
mod writing;

struct Lab {
    _folder: tempfile::TempDir,
    /// The workspace on the disk.
    at: PathBuf,
    /// The folder next to it that holds `secret`.
    outside: PathBuf,
    files: WorkspaceFiles,
    store: WorkspaceStore,
}

impl Lab {
    fn new() -> Self {
        Self::with(false)
    }

    /// Returns a workspace opened with openat2 and one without.
    fn both() -> [Self; 2] {
        [Self::with(false), Self::with(true)]
    }

    fn with(portable: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (at, outside) = (folder.path().join("work"), folder.path().join("outside"));
        std::fs::create_dir(&at).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "secret").unwrap();
        let root =
            if portable { WorkspaceRoot::open_portable(&at) } else { WorkspaceRoot::open(&at) }.unwrap();
        assert_eq!(root.confined_by(), if portable { "cap-std" } else { "openat2" });
        let (rules, _) = WorkspaceRules::new(&RuleSettings::default(), &RuleSettings::default());
        let state = Arc::new(WorkspaceState::new(Arc::new(root), Some(folder.path().join("state"))));
        let files = WorkspaceFiles::new(state.clone(), Arc::new(rules), FileOpener::NoConsent);
        Self { _folder: folder, at, outside, files, store: WorkspaceStore::new(state) }
    }

    /// The folder of the workspace's state on the disk.
    fn kept(&self) -> PathBuf {
        self.files.state().folder().state_path().unwrap()
    }

    /// Puts a link into the folder of intents.
    fn intend(&self, name: &str, target: &str) {
        std::fs::create_dir_all(self.kept().join("tmp")).unwrap();
        std::os::unix::fs::symlink(target, self.kept().join("tmp").join(name)).unwrap();
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let full = self.at.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, bytes).unwrap();
        full
    }

    fn link(&self, path: &str, target: &str) {
        let full = self.at.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, full).unwrap();
    }

    fn get(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.at.join(path)).unwrap()
    }

    /// Returns every name below the workspace except the store's fixed ones: none of our files may be left.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut todo = vec![self.at.clone()];
        while let Some(folder) = todo.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let entry = entry.unwrap();
                let path = entry.path();
                let name = path.strip_prefix(&self.at).unwrap().to_str().unwrap().to_owned();
                if entry.file_type().unwrap().is_dir() {
                    todo.push(path);
                }
                let fixed = [".wherefore", ".wherefore/.gitignore"];
                if !fixed.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names.sort();
        names
    }
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::from_relative(text).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, impl Into<Fault>>) -> Code {
    result.map_err(Into::<Fault>::into).unwrap_err().code
}
