//! Hunks with what a person typed into their lines, which are the agent's again once that is taken back.

use std::collections::BTreeMap;

use crate::base::HunkId;
use crate::patch::ChangedLines;
use crate::protocol::Hunk;

/// The lines of hunks before a person typed into them: those that they replace, and those that they add. This process alone
/// knows them.
#[derive(Clone, Debug, Default)]
pub(super) struct TypedHunks(BTreeMap<HunkId, (Vec<String>, Vec<String>)>);

impl TypedHunks {
    /// Gives a hunk lines that somebody typed into, and says so at the hunk, unless they are the agent's again.
    pub(super) fn retype_hunk(&mut self, hunk: &mut Hunk, lines: ChangedLines) {
        if !hunk.edited {
            self.0.insert(hunk.id.clone(), (hunk.old.clone(), hunk.new.clone()));
        }
        hunk.start = u32::try_from(lines.old_start).unwrap_or(u32::MAX);
        (hunk.old, hunk.new) = (lines.old, lines.new);
        let is_agents = self.0.get(&hunk.id).is_some_and(|(old, new)| (old, new) == (&hunk.old, &hunk.new));
        hunk.edited = !is_agents;
        if is_agents {
            self.0.remove(&hunk.id);
        }
    }
}
