//! The files that define tools: the person's own, then the folder's.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::OWN_DIR;
use crate::catalogue::DefinitionProblem;
use crate::session::WorkspaceSession;
use crate::workspace::config;

/// Definition files of one folder at most.
const FILES: usize = 20_000;

/// The person's own definition files, then the folder's. What cannot be read is left out.
pub(super) fn read_definitions(session: &WorkspaceSession) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if let Some(folder) = config::person_folder().map(|folder| folder.join("tools")) {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| is_definition(name));
        names.sort();
        for path in names.iter().take(FILES).map(|name| folder.join(name)).filter(|path| path.is_file()) {
            if let Ok(bytes) = std::fs::read(&path) {
                files.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    let store = session.workspace().store();
    let names = store.list_dir("tools").unwrap_or_default();
    let read = |name: &String| {
        let path = format!("tools/{name}");
        let text = String::from_utf8_lossy(&store.read_file(&path).ok()??).into_owned();
        Some((format!("{OWN_DIR}/{path}"), text))
    };
    files.extend(names.iter().filter(|name| is_definition(name)).take(FILES).filter_map(read));
    files
}

/// A state of the definition files: each file that was read, and the folders that contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DefinitionStamps(Vec<(PathBuf, Option<FileStamp>)>);

/// Inode, size and time of the last change of a file.
type FileStamp = (u64, u64, i64, i64);

impl DefinitionStamps {
    /// The state of `files`, as [`read_definitions`] returned them, and of their folders.
    pub(super) fn of(session: &WorkspaceSession, files: &[(String, String)]) -> Self {
        let root = PathBuf::from(session.workspace().root());
        let person = config::person_folder().map(|folder| folder.join("tools"));
        let folders = [Some(root.join(OWN_DIR).join("tools")), person].into_iter().flatten();
        // A relative path is taken from the root, an absolute one as it is.
        let paths = folders.chain(files.iter().map(|(path, _)| root.join(path)));
        Self(paths.map(|path| (path.clone(), stamp(&path))).collect())
    }

    /// Returns whether a file or a folder has changed since.
    pub(super) fn are_old(&self) -> bool {
        self.0.iter().any(|(path, before)| stamp(path) != *before)
    }
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// Returns whether a file of that name defines tools.
pub(super) fn is_definition(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
}

/// The problem with the absolute path of its file.
pub(super) fn with_absolute_path(
    session: &WorkspaceSession,
    problem: DefinitionProblem,
) -> DefinitionProblem {
    match problem.path.starts_with('/') {
        true => problem,
        false => DefinitionProblem {
            path: format!("{}/{}", session.workspace().root().trim_end_matches('/'), problem.path),
            ..problem
        },
    }
}
