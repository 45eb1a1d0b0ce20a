//! Resolves a path that an agent wrote to a path of the folder.

use std::path::{Path, PathBuf};

use crate::base::WorkspacePath;
use crate::base::path::resolve_parent_links;

/// The path in the folder `root` that an agent means by `asked` in the folder `cwd`; none where it lies outside. Symlinks
/// on the way to the folder are followed, those in it are not.
pub(super) fn path_inside(root: &str, cwd: Option<&str>, asked: &str) -> Option<WorkspacePath> {
    let absolute = match Path::new(asked).is_absolute() {
        true => PathBuf::from(asked),
        false => Path::new(cwd.unwrap_or(root)).join(asked),
    };
    let parsed = |path: &Path| WorkspacePath::parse(root, path.to_str()?).ok();
    parsed(&absolute).or_else(|| parsed(&resolve_parent_links(&absolute)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_the_folder_however_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws").display().to_string();
        std::fs::create_dir_all(folder.path().join("ws/sub")).unwrap();
        std::os::unix::fs::symlink(&root, folder.path().join("link")).unwrap();
        let linked = folder.path().join("link/sub/new.txt").display().to_string();
        let cwd = format!("{root}/sub");
        for (asked, expected) in [
            ("a.txt", Some("sub/a.txt")),
            ("../a.txt", Some("a.txt")),
            ("../../a.txt", None),
            (linked.as_str(), Some("sub/new.txt")),
            ("/etc/passwd", None),
        ] {
            let found = path_inside(&root, Some(&cwd), asked);
            assert_eq!(found.as_ref().map(WorkspacePath::as_str), expected, "{asked}");
        }
    }
}
