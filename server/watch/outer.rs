//! Rules from outside of the root: ignore files of the folders above it, and the person's own git excludes.

use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::gitconfig_excludes_path;

use super::rules::{FolderRules, NAMES, RuleFile, info_folder, probe_stamp};

/// The rules from outside of the root, and the files that they were read from.
#[derive(Debug)]
pub(super) struct OuterRules {
    pub(super) rules: Arc<FolderRules>,
    sources: Vec<RuleFile>,
}

impl OuterRules {
    /// Reads them for a root, given without symlinks; none if they do not count.
    pub(super) fn read_outer(root: &Path, counts: bool) -> Self {
        if !counts {
            return Self { rules: FolderRules::top_rules(root, None), sources: Vec::new() };
        }
        let global = gitconfig_excludes_path();
        let mut sources = Vec::new();
        let mut note = |path: &Path| {
            let found = probe_stamp(path);
            sources.push((path.to_owned(), found));
            found.is_some()
        };
        if let Some(path) = &global {
            note(path);
        }
        let mut rules = FolderRules::top_rules(root, global.as_deref());
        let mut above: Vec<&Path> = root.ancestors().skip(1).collect();
        above.reverse();
        for folder in above {
            let found: Vec<String> =
                NAMES.iter().filter(|name| note(&folder.join(name))).map(|name| (*name).to_owned()).collect();
            if found.iter().any(|name| name == ".git")
                && let Some(info) = info_folder(folder)
            {
                note(&info.join("exclude"));
            }
            rules = FolderRules::rules_beneath(&rules, (folder, folder), &found);
        }
        Self { rules, sources }
    }

    /// Returns whether any of the files has changed.
    pub(super) fn is_stale(&self) -> bool {
        self.sources.iter().any(|(path, was)| probe_stamp(path) != *was)
    }
}
