//! Rules from outside of the root: ignore files of the folders above it, and the person's own git excludes.

use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::gitconfig_excludes_path;

use super::rules::{NAMES, Rules, Source, info, probe};

/// Those rules, and what they were read from.
#[derive(Debug)]
pub(super) struct Outer {
    pub(super) rules: Arc<Rules>,
    sources: Vec<Source>,
}

impl Outer {
    /// Reads them for a root, given without symlinks; none where they do not count.
    pub(super) fn read(root: &Path, counts: bool) -> Self {
        if !counts {
            return Self { rules: Rules::top(root, None), sources: Vec::new() };
        }
        let global = gitconfig_excludes_path();
        let mut sources = Vec::new();
        let mut note = |path: &Path| {
            let found = probe(path);
            sources.push((path.to_owned(), found));
            found.is_some()
        };
        if let Some(path) = &global {
            note(path);
        }
        let mut rules = Rules::top(root, global.as_deref());
        let mut above: Vec<&Path> = root.ancestors().skip(1).collect();
        above.reverse();
        for folder in above {
            let found: Vec<String> =
                NAMES.iter().filter(|name| note(&folder.join(name))).map(|name| (*name).to_owned()).collect();
            if found.iter().any(|name| name == ".git")
                && let Some(info) = info(folder)
            {
                note(&info.join("exclude"));
            }
            rules = Rules::beneath(&rules, folder, &found);
        }
        Self { rules, sources }
    }

    /// Whether any of them is another by now.
    pub(super) fn stale(&self) -> bool {
        self.sources.iter().any(|(path, was)| probe(path) != *was)
    }
}
