//! The programs of the person's own search path: a command finds those that they find in their shell, an active virtual
//! environment and the `node_modules/.bin` of the workspace among them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::base::person;

/// Variables that name the folder of an active environment.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];
/// The entries of an environment's folder.
const MARKS: [&str; 2] = ["pyvenv.cfg", "conda-meta"];
/// Folders of the system, whose programs every command finds.
const SYSTEM: [&str; 5] = ["/usr", "/bin", "/sbin", "/opt", "/nix"];
/// Folders that are shown as they are, or not at all.
const CLOSED: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev"];

/// Returns the folders outside of the workspace at `root` that the person's search path leads to: each with the
/// neighbouring files that its programs need.
pub(super) fn person_folders(root: &Path) -> Vec<PathBuf> {
    let environments = ENVIRONMENTS
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .filter(|folder| is_environment(folder));
    let path = own_path().into_iter().filter(|folder| is_shown(folder, root));
    let found = path.flat_map(with_neighbours).chain(environments);
    found.filter(|folder| is_shown(folder, root)).collect()
}

/// A folder of programs, and what they read: the environment that it belongs to, the versions of a version manager (pyenv,
/// rbenv, asdf, mise) whose `shims` it is, or the packages of Node.js.
fn with_neighbours(folder: PathBuf) -> Vec<PathBuf> {
    if folder.ends_with("shims") {
        let manager = folder.parent().map(Path::to_owned);
        return manager.into_iter().chain([folder]).collect();
    }
    let above = folder.parent().filter(|_| folder.ends_with("bin")).map(Path::to_owned);
    match above {
        Some(above) if is_environment(&above) => vec![above],
        Some(above) => {
            [folder, above.join("lib/node_modules")].into_iter().filter(|path| path.is_dir()).collect()
        }
        None => vec![folder],
    }
}

fn is_environment(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}

/// Returns whether a folder is shown as one of programs. One that holds the workspace or the home folder holds more
/// than programs.
fn is_shown(folder: &Path, root: &Path) -> bool {
    let Ok(real) = folder.canonicalize() else { return false };
    let is_closed = |folder: &Path| CLOSED.iter().any(|closed| folder.starts_with(closed));
    let holds = |inner: &Path| inner.starts_with(folder) || inner.starts_with(&real);
    folder.is_absolute()
        && real.is_dir()
        && ![folder, real.as_path()].iter().any(|folder| folder.starts_with(root) || is_closed(folder))
        && !holds(root)
        && !person::home_dir().is_some_and(|home| holds(&home))
}

fn own_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// The folders in which a command finds programs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PersonPath<'p> {
    /// The folders of toolchains that it is shown.
    pub(super) toolchains: &'p [PathBuf],
    /// The workspace, where it is shown.
    pub(super) root: Option<&'p Path>,
}

impl PersonPath<'_> {
    /// Returns the person's search path, limited to the folders that a command finds: those of the system, of
    /// toolchains and of the workspace.
    pub(super) fn search_path(self) -> OsString {
        let toolchains = self.toolchains.iter().map(PathBuf::as_path);
        let shown: Vec<&Path> = SYSTEM.iter().map(Path::new).chain(toolchains).chain(self.root).collect();
        let is_shown = |path: &PathBuf| shown.iter().any(|at| path.starts_with(at));
        let mut folders: Vec<PathBuf> = own_path().into_iter().filter(is_shown).collect();
        for system in ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from) {
            if !folders.contains(&system) {
                folders.push(system);
            }
        }
        std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shims_come_with_the_versions_that_they_run() {
        let shims = PathBuf::from("/people/ada/.pyenv/shims");
        assert_eq!(with_neighbours(shims.clone()), [PathBuf::from("/people/ada/.pyenv"), shims]);
        assert_eq!(with_neighbours("/people/ada/tools".into()), [PathBuf::from("/people/ada/tools")]);
    }
}
