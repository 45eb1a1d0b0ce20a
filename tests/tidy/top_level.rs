//! The entries at the repository's top.

use crate::tree::{Finding, Tree};

/// The six names, the guides, the lock file and the licence.
const NAMES: [&str; 13] = [
    "Cargo.toml",
    "server",
    "editors",
    "tests",
    "schemas",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "Cargo.lock",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Dot files that configure the tools and CI.
const DOT_NAMES: [&str; 7] =
    [".ci", ".rustfmt.toml", ".gitignore", ".gitattributes", ".editorconfig", ".cargo", ".github"];

/// No other entry exists.
pub(crate) fn names(tree: &Tree) -> Vec<Finding> {
    let known = |name: &str| NAMES.contains(&name) || DOT_NAMES.contains(&name);
    let mut tops: Vec<&str> = tree.paths.iter().filter_map(|path| path.split('/').next()).collect();
    tops.dedup();
    let stray = tops.into_iter().filter(|name| !known(name));
    let rule = "does not belong at the top level: put it under server, editors, tests or schemas";
    stray.map(|name| Finding { place: name.to_owned(), rule: rule.to_owned() }).collect()
}
