//! Hunks of one file that are to be put in place or taken back, and which of them are in the text that is there afterwards.

use std::sync::Arc;

use crate::base::HunkId;
use crate::hunk_moves::{PlannedHunks, text_with_hunks};
use crate::protocol::{Fault, HunkState, ProposedFile};

/// Hunks of one file of a proposal that are to be put in place, or taken back.
#[derive(Clone, Copy, Debug)]
pub struct HunkPlacement<'a> {
    /// The proposal.
    pub id: &'a str,
    /// The file, by its place in the proposal.
    pub file: usize,
    /// Its hunks.
    pub hunks: &'a [HunkId],
    /// True where they are taken back.
    pub back: bool,
}

impl HunkPlacement<'_> {
    /// Its hunks that are still to be done; none where all are done already.
    ///
    /// # Errors
    /// Fails where some were decided otherwise, or no longer fit.
    pub fn remaining_hunks(self, file: &ProposedFile) -> Result<Option<Vec<HunkId>>, UnfitHunks> {
        let (state, done) = match self.back {
            true => (HunkState::Accepted, HunkState::Rejected),
            false => (HunkState::Pending, HunkState::Accepted),
        };
        let of = |state: HunkState| -> Vec<HunkId> {
            let hunks = file.hunks.iter().filter(|hunk| hunk.state == state && self.hunks.contains(&hunk.id));
            hunks.map(|hunk| hunk.id.clone()).collect()
        };
        let wanted = of(state);
        match wanted.is_empty() {
            false => Ok(Some(wanted)),
            true if of(done).len() == self.hunks.len() => Ok(None),
            true => Err(UnfitHunks),
        }
    }
}

/// The error where none of the hunks that were to be placed fits the text any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfitHunks;

/// The hunks that are in a text after it was written, whatever was planned.
#[derive(Debug, PartialEq, Eq)]
pub struct SettledPlacement {
    /// The hunks that are there.
    pub there: Vec<HunkId>,
    /// The planned ones that are not.
    pub missed: Vec<HunkId>,
    /// The text with those that are there; none where no file is left.
    pub text: Option<Arc<str>>,
}

impl PlannedHunks<'_> {
    /// Finds the hunks in `now`, the text that is there after the write of the plan in `before`.
    ///
    /// # Errors
    /// STALE where one of them was not in the text before.
    pub fn settle(&self, before: Option<&str>, now: Option<&str>) -> Result<SettledPlacement, Fault> {
        let there = self.found_in(now);
        let missed: Vec<HunkId> = self.hunks.iter().filter(|hunk| !there.contains(hunk)).cloned().collect();
        let text = match missed.is_empty() {
            true => self.after.map(str::to_owned),
            false => text_with_hunks(self.file, &there, before, self.back)?,
        };
        Ok(SettledPlacement { there, missed, text: text.map(Into::into) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hunk_moves::plan_placement;

    /// A file with two lines to change, in these states.
    fn file(first: &str, second: &str) -> ProposedFile {
        let hunk = |id: &str, start: u32, old: &str, new: &str, state: &str| json!({ "id": id, "start": start, "old": [old], "new": [new], "state": state });
        let hunks = [hunk("h1", 0, "a\n", "A\n", first), hunk("h2", 2, "c\n", "C\n", second)];
        let file = json!({ "path": "f", "uri": "", "kind": "edit", "hunks": hunks });
        serde_json::from_value(file).unwrap()
    }

    fn remaining(file: &ProposedFile, back: bool) -> Result<Option<Vec<HunkId>>, UnfitHunks> {
        let hunks = ["h1".into(), "h2".into()];
        HunkPlacement { id: "p-1", file: 0, hunks: &hunks, back }.remaining_hunks(file)
    }

    #[test]
    fn only_hunks_that_are_not_done_remain() {
        let ids = |ids: &[&str]| ids.iter().map(|id| HunkId::from(*id)).collect::<Vec<_>>();
        assert_eq!(remaining(&file("pending", "pending"), false), Ok(Some(ids(&["h1", "h2"]))));
        assert_eq!(remaining(&file("accepted", "pending"), false), Ok(Some(ids(&["h2"]))));
        assert_eq!(remaining(&file("accepted", "accepted"), false), Ok(None));
        assert_eq!(remaining(&file("accepted", "stale"), false), Err(UnfitHunks));
        assert_eq!(remaining(&file("accepted", "rejected"), true), Ok(Some(ids(&["h1"]))));
    }

    #[test]
    fn hunks_that_an_editor_left_out_are_missed() {
        let (file, hunks) = (file("pending", "pending"), ["h1".into(), "h2".into()]);
        let before = Some("a\nb\nc\n");
        let plan = plan_placement(&file, &hunks, before, false).unwrap();
        let planned = PlannedHunks { file: &file, hunks: &hunks, back: false, after: plan.after.as_deref() };
        let whole = planned.settle(before, Some("A\nb\nC\n")).unwrap();
        assert_eq!((whole.missed.len(), whole.text.as_deref()), (0, Some("A\nb\nC\n")));
        let half = planned.settle(before, Some("x\nA\nb\nc\n")).unwrap();
        assert_eq!((half.there, half.missed), (vec!["h1".into()], vec!["h2".into()]));
        assert_eq!(half.text.as_deref(), Some("A\nb\nc\n"));
    }
}
