//! Which workspace a path of an agent lies in.

use std::path::{Component, Path};

use crate::base::path::through_links;

/// The root that an absolute path lies under, and the path below it; none for a path outside of all roots. Links on the
/// way to the file are followed: editors and agents may spell a folder differently.
pub(super) fn locate(path: &str, roots: &[String]) -> Option<(String, String)> {
    let path = Path::new(path);
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let under = |path: &Path| {
        let root = roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.len())?;
        let below = path.strip_prefix(root).ok()?.to_str().filter(|below| !below.is_empty())?;
        Some((root.clone(), below.to_owned()))
    };
    under(path).or_else(|| under(&through_links(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_under_their_innermost_root() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("ws/inner")).unwrap();
        std::os::unix::fs::symlink(real.join("ws"), real.join("link")).unwrap();
        let at = |below: &str| format!("{}/{below}", real.display());
        let roots = [at("ws"), at("ws/inner")];
        let found = |path: &str| locate(path, &roots);
        assert_eq!(found(&at("ws/a.txt")), Some((at("ws"), "a.txt".to_owned())));
        assert_eq!(found(&at("ws/inner/b/a.txt")), Some((at("ws/inner"), "b/a.txt".to_owned())));
        assert_eq!(found(&at("link/new/a.txt")), Some((at("ws"), "new/a.txt".to_owned())));
        for outside in ["a.txt", "/etc/passwd", &at("ws"), &at("ws/../a.txt"), &at("ws2/a.txt"), ""] {
            assert_eq!(found(outside), None, "{outside}");
        }
    }
}
