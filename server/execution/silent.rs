//! Folders that no rule is about: the entries in them are judged by their own names alone.

use std::collections::HashMap;

use crate::base::WorkspacePath;
use crate::rules::WorkspaceRules;

/// Folders that were asked for, and whether no rule speaks of them or of one above.
#[derive(Debug, Default)]
pub(super) struct SilentFolders(HashMap<WorkspacePath, bool>);

impl SilentFolders {
    /// Returns whether no rule speaks of a path, nor of a folder above it: then each access is allowed.
    pub(super) fn is_silent(&mut self, rules: &WorkspaceRules, path: &WorkspacePath) -> bool {
        let (mut unknown, mut at, mut is_silent) = (Vec::new(), path.parent(), true);
        while let Some(folder) = at.filter(|folder| !folder.is_root()) {
            if let Some(known) = self.0.get(&folder) {
                is_silent = *known;
                break;
            }
            at = folder.parent();
            unknown.push(folder);
        }
        for folder in unknown.into_iter().rev() {
            is_silent = is_silent && rules.paths().is_silent_on(&folder);
            self.0.insert(folder, is_silent);
        }
        is_silent && rules.paths().is_silent_on(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{PathAccess, RuleSettings};

    #[test]
    fn what_is_silent_is_allowed_and_what_a_rule_speaks_of_is_not_silent() {
        let set = |deny: &str, allow: &str| RuleSettings {
            deny: vec![deny.to_owned()],
            allow: vec![allow.to_owned()],
            ..RuleSettings::default()
        };
        let (rules, _) = WorkspaceRules::new(&set("closed", "open"), &RuleSettings::default());
        let mut silent = SilentFolders::default();
        let deep = ["d"; 1_000].join("/");
        for (path, expected) in [
            ("src/main.rs", true),
            ("src/.env", false),
            (".ssh/a/b", false),
            ("closed/a/b", false),
            ("x/closed/a/b", false),
            ("open/.env", false),
            (".env.example/a", false),
            (&format!("{deep}/x"), true),
            (&format!("{deep}/.git/x"), false),
        ] {
            let path = WorkspacePath::from_relative(path).unwrap();
            assert_eq!(silent.is_silent(&rules, &path), expected, "{path}");
            assert!(!expected || rules.paths().permit_access(PathAccess::Write, &path).is_ok(), "{path}");
        }
    }
}
