//! The contents of a folder, for tests that compare them with earlier ones.

use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder, with its text.
pub(in crate::cli::init) fn files_below(folder: &Path) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => walk(&path, found),
                path => found.push((path.clone(), fs::read_to_string(&path).unwrap())),
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, &mut found);
    found.sort();
    found
}
