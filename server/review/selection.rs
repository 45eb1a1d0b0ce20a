//! The hunks that a decision is about: resolved once, and again only where their proposal changed since.

use std::collections::BTreeSet;

use crate::base::{HunkId, ProposalId, WorkspacePath};
use crate::protocol::{Act, ChangeKind, Code, DecideParams, Fault, Hunk, HunkState, Proposal, ProposedFile};
use crate::queued_proposal::QueuedProposal;

/// The number of hunks that a fault names.
const NAMED_HUNKS: usize = 40;

/// The hunks of one proposal that a decision is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The proposal.
    pub proposal: ProposalId,
    /// The hunks, in the order of their files.
    pub hunks: BTreeSet<HunkId>,
    /// The version of the proposal in which they were selected.
    pub version: u64,
    /// The key of the proposal's call.
    pub call: String,
    /// The files that have them.
    pub files: Vec<WorkspacePath>,
    /// Those files, and the paths that they are renamed from.
    pub paths: BTreeSet<WorkspacePath>,
}

impl Selection {
    /// Selects the hunks that a person's decision is about, in the state that the proposal has.
    pub fn resolve(item: &QueuedProposal, params: &DecideParams) -> Self {
        let named = |hunk: &Hunk| params.hunks.contains(&hunk.id);
        let is_meant = |file: &ProposedFile, hunk: &Hunk| {
            let is_other = params.path.as_ref().is_some_and(|path| path != &file.path);
            !is_other
                && match hunk.state {
                    HunkState::Pending => params.hunks.is_empty() || named(hunk),
                    HunkState::Accepted if params.hunks.is_empty() => params.applied && hunk.is_unreviewed(),
                    HunkState::Accepted => named(hunk) && (params.act == Act::Reject || !hunk.reviewed),
                    HunkState::Rejected | HunkState::Stale => false,
                }
        };
        Self::select(item, is_meant)
    }

    /// Selects all hunks, as a policy does.
    pub fn whole(item: &QueuedProposal) -> Self {
        Self::select(item, |_, _| true)
    }

    fn select(item: &QueuedProposal, is_meant: impl Fn(&ProposedFile, &Hunk) -> bool) -> Self {
        let (proposal, version, call) = (item.proposal().id.clone(), item.version(), item.call_key());
        let mut selection = Self {
            proposal,
            version,
            call,
            hunks: BTreeSet::new(),
            files: Vec::new(),
            paths: BTreeSet::new(),
        };
        for file in &item.proposal().files {
            let hunks = file.hunks.iter().filter(|hunk| is_meant(file, hunk));
            let count = selection.hunks.len();
            selection.hunks.extend(hunks.map(|hunk| hunk.id.clone()));
            if selection.hunks.len() == count {
                continue;
            }
            if !selection.files.contains(&file.path) {
                selection.files.push(file.path.clone());
            }
            selection.paths.insert(file.path.clone());
            selection.paths.extend(file.from.clone().filter(|_| file.kind == ChangeKind::Rename));
        }
        selection
    }

    /// Returns whether it has no hunk.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }
}

/// Checks that a proposal has the hunks that are named.
///
/// # Errors
/// NOT_FOUND where it does not have one of them.
pub fn check_named_hunks(proposal: &Proposal, named: &[HunkId]) -> Result<(), Fault> {
    let is_missing = |id: &&HunkId| !proposal.hunks().any(|hunk| hunk.id == **id);
    let Some(missing) = named.iter().find(is_missing) else { return Ok(()) };
    let known: Vec<&str> = proposal.hunks().take(NAMED_HUNKS).map(|hunk| &*hunk.id).collect();
    Err(Fault::new(Code::NotFound, format!("{} has no hunk {missing:?}; nothing is decided", proposal.id))
        .with_suggestion(format!("name one of its hunks: {}", known.join(", "))))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::protocol::Policy;
    use crate::queued_proposal::{HunkBase, ReviewEvent, apply_event};

    /// A proposal that renames a file, edits it, and edits another one.
    fn item() -> QueuedProposal {
        let hunk = |id: &str, state: &str| json!({ "id": id, "start": 0, "old": [], "new": ["x\n"], "state": state });
        let proposal = json!({
            "id": "p-1", "call_id": "c-1", "session": "s", "tool": "fs.edit", "why": "", "created": "",
            "origin": { "door": "mcp" },
            "files": [
                { "path": "new", "from": "old", "uri": "", "kind": "rename", "hunks": [hunk("h1", "pending")] },
                { "path": "old", "uri": "", "kind": "edit", "hunks": [hunk("h2", "pending"), hunk("h3", "stale")] },
                { "path": "other", "uri": "", "kind": "edit", "hunks": [hunk("h4", "accepted")] },
            ],
        });
        let views = vec![HunkBase::default(); 3];
        QueuedProposal::new(serde_json::from_value(proposal).unwrap(), Policy::Ask, views, Map::new())
    }

    fn names<'a>(names: impl IntoIterator<Item = &'a HunkId>) -> Vec<&'a str> {
        names.into_iter().map(HunkId::as_str).collect()
    }

    #[test]
    fn a_decision_selects_what_waits_or_is_named() {
        let item = item();
        let select = |params: DecideParams| Selection::resolve(&item, &params);
        let all = select(DecideParams::all(Act::Accept));
        assert_eq!(names(&all.hunks), ["h1", "h2"]);
        assert_eq!(all.files.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(), ["new", "old"]);
        assert_eq!(all.paths.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(), ["new", "old"]);
        let applied = DecideParams { applied: true, ..DecideParams::all(Act::Accept) };
        assert_eq!(names(&select(applied).hunks), ["h1", "h2", "h4"]);
        let stale = DecideParams { hunks: vec!["h3".into()], ..DecideParams::all(Act::Accept) };
        assert!(select(stale).is_empty());
        let path = WorkspacePath::from_relative("old");
        assert_eq!(names(&select(DecideParams { path, ..DecideParams::all(Act::Reject) }).hunks), ["h2"]);
        assert_eq!(names(&Selection::whole(&item).hunks), ["h1", "h2", "h3", "h4"]);
    }

    #[test]
    fn a_selection_has_the_version_that_its_proposal_had() {
        let item = item();
        let before = Selection::whole(&item);
        let (item, _) = apply_event(item, ReviewEvent::Undone);
        assert_ne!(before.version, item.version());
    }
}
