//! The workspace that a path of an agent lies in.

use std::path::{Component, Path, PathBuf};

use crate::base::path::resolve_parent_links;

/// The place of a path that an agent names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathPlace {
    /// In a workspace: its root, and the path below it.
    Inside(String, String),
    /// Outside of all workspaces.
    Outside,
    /// Not known: the path is relative, or programs read it in different ways.
    Unclear,
}

/// The place of a path. Links are followed, since editors and agents may spell a folder differently, and since the
/// target of a link outside may lie inside. `..` is resolved only if that gives the same file with and without
/// following links first.
pub(super) fn find_place(path: &str, roots: &[String]) -> PathPlace {
    if !Path::new(path).is_absolute() || path.contains('\0') {
        return PathPlace::Unclear;
    }
    let path = Path::new(path);
    let spelled = without_parents(path);
    let has_parents = path.components().any(|part| part == Component::ParentDir);
    if has_parents
        && (path.canonicalize().ok() != spelled.canonicalize().ok() || !names_one_folder(path, &spelled))
    {
        return PathPlace::Unclear;
    }
    let under = |path: &Path| {
        let root = roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.len())?;
        let below = path.strip_prefix(root).ok()?.to_str().filter(|below| !below.is_empty())?;
        Some(PathPlace::Inside(root.clone(), below.to_owned()))
    };
    let real = || under(&spelled.canonicalize().ok()?);
    under(&spelled)
        .or_else(|| under(&resolve_parent_links(&spelled)?))
        .or_else(real)
        .unwrap_or(PathPlace::Outside)
}

/// The root that a path lies under, and the path below it; none if it is outside of all roots, or unclear.
pub(super) fn locate_in_roots(path: &str, roots: &[String]) -> Option<(String, String)> {
    match find_place(path, roots) {
        PathPlace::Inside(root, below) => Some((root, below)),
        PathPlace::Outside | PathPlace::Unclear => None,
    }
}

/// The path without `.` and `..`, by its spelling alone.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Returns whether the file's folder is the same with its `..` and without. A file that does not exist yet can only be
/// compared by its folder.
fn names_one_folder(path: &Path, spelled: &Path) -> bool {
    let folder = |path: &Path| path.parent()?.canonicalize().ok();
    matches!((folder(path), folder(spelled)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_under_their_innermost_root() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("ws/inner")).unwrap();
        std::fs::create_dir_all(real.join("other/deep")).unwrap();
        std::fs::write(real.join("ws/.env"), "S=1").unwrap();
        std::os::unix::fs::symlink(real.join("ws"), real.join("link")).unwrap();
        std::os::unix::fs::symlink(real.join("ws/.env"), real.join("leak")).unwrap();
        std::os::unix::fs::symlink(real.join("other/deep"), real.join("ws/away")).unwrap();
        let at = |below: &str| format!("{}/{below}", real.display());
        let roots = [at("ws"), at("ws/inner")];
        let found = |path: &str| find_place(path, &roots);
        let inside = |root: &str, below: &str| PathPlace::Inside(at(root), below.to_owned());
        assert_eq!(found(&at("ws/a.txt")), inside("ws", "a.txt"));
        assert_eq!(found(&at("ws/inner/b/a.txt")), inside("ws/inner", "b/a.txt"));
        assert_eq!(found(&at("link/new/a.txt")), inside("ws", "new/a.txt"));
        // By other ways to the same file.
        for path in ["ws/inner/../.env", "ws/./.env", "ws//.env", "other/../ws/.env", "leak"] {
            assert_eq!(found(&at(path)), inside("ws", ".env"), "{path}");
        }
        for outside in ["/etc/passwd", &at("ws"), &at("ws/../a.txt"), &at("ws2/a.txt")] {
            assert_eq!(found(outside), PathPlace::Outside, "{outside}");
        }
        // A program that follows links first reaches another file than one that does not, or none.
        let ways = [
            &at("ws/away/../.env"),
            &at("ws/none/../.env"),
            "a.txt",
            "",
            "~/a",
            "file:///etc/passwd",
            "/a\0b",
        ];
        for unclear in ways {
            assert_eq!(found(unclear), PathPlace::Unclear, "{unclear}");
        }
    }
}
