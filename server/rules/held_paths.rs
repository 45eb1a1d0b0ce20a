//! Paths that are closed for as long as something holds them: the state folder in a workspace, what a consent binds.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use super::fold::fold_text;
use super::glob::PathSpellings;
use crate::base::WorkspacePath;
use crate::protocol::PathAccess;

/// The name of the rule that closes our own folders to reading too.
const PRIVATE: &str = "private-path";

/// The held paths by the rule that closes them, with everything below. Cheap to clone; every clone is the same list, so
/// that it holds even when the settings change.
#[derive(Clone, Debug, Default)]
pub struct HeldPaths(Arc<RwLock<BTreeMap<String, Vec<String>>>>);

impl HeldPaths {
    /// Closes these paths to writing, and no others, by the rule of that name.
    pub fn close_paths(&self, rule: &str, paths: Vec<WorkspacePath>) {
        let paths: Vec<String> = paths.iter().map(|path| fold_text(path.as_str())).collect();
        let mut held = self.0.write();
        match paths.is_empty() {
            true => drop(held.remove(rule)),
            false => drop(held.insert(rule.to_owned(), paths)),
        }
    }

    /// Closes one of our folders that lies in the workspace, to reading too.
    pub fn close_private(&self, path: WorkspacePath) {
        self.close_paths(PRIVATE, vec![path]);
    }

    /// The rule that refuses this access, with the path that it names.
    pub(super) fn refusing_rule(&self, access: PathAccess, path: &PathSpellings) -> Option<String> {
        let held = self.0.read();
        let mut hits = held.iter().filter(|(rule, _)| access == PathAccess::Write || *rule == PRIVATE);
        hits.find_map(|(rule, paths)| {
            let hit = paths.iter().find(|held| path.is_below(held))?;
            Some(format!("{rule} `{hit}`"))
        })
    }
}
