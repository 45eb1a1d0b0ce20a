//! Paths that are closed for as long as something holds them: the state folder in a workspace, what a consent binds.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use super::fold::fold;
use super::glob::Candidates;
use crate::base::WorkspacePath;
use crate::protocol::Access;

/// The name of the rule that closes our own folders to reading too.
const PRIVATE: &str = "private-path";

/// Paths by the rule that closes them, with all below. Cheap to clone; every clone is the same list, so that it holds
/// whatever becomes of the settings.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<RwLock<BTreeMap<String, Vec<String>>>>);

impl Held {
    /// Closes these paths to writing, and no others, by the rule of that name.
    pub fn close(&self, rule: &str, paths: Vec<WorkspacePath>) {
        let paths: Vec<String> = paths.iter().map(|path| fold(path.as_str())).collect();
        let mut held = self.0.write();
        match paths.is_empty() {
            true => drop(held.remove(rule)),
            false => drop(held.insert(rule.to_owned(), paths)),
        }
    }

    /// Closes a folder of ours that lies in the workspace, to reading too.
    pub fn close_private(&self, path: WorkspacePath) {
        self.close(PRIVATE, vec![path]);
    }

    /// The rule that refuses this access, with the path that it names.
    pub(super) fn refuses(&self, access: Access, path: &Candidates) -> Option<String> {
        let held = self.0.read();
        let mut hits = held.iter().filter(|(rule, _)| access == Access::Write || *rule == PRIVATE);
        hits.find_map(|(rule, paths)| {
            let hit = paths.iter().find(|held| path.is_below(held))?;
            Some(format!("{rule} `{hit}`"))
        })
    }
}
