//! The proposals of the folder that another server holds, as that of a second window on it: only that server decides on them.

use super::proposal_folder::FOLDER;
use super::store::ProposalStore;
use crate::protocol::{HeldProposal, HunkState};
use crate::review::QueuedProposal;

impl ProposalStore {
    /// Lists the stored proposals with waiting hunks that this server does not know, by id. One that cannot be read is left
    /// out: it may be about to be written or to go.
    pub fn held_elsewhere(&self) -> Vec<HeldProposal> {
        let names = self.session().workspace().state().list_folder(FOLDER).unwrap_or_default();
        let others =
            names.iter().filter(|name| name.strip_suffix(".json").is_some_and(|id| self.get(id).is_none()));
        let mut held: Vec<HeldProposal> = others.filter_map(|name| self.read_held(name)).collect();
        held.sort_by(|one, other| one.id.cmp(&other.id));
        held
    }

    fn read_held(&self, name: &str) -> Option<HeldProposal> {
        let bytes = self.session().workspace().state().read_file(&format!("{FOLDER}/{name}")).ok()??;
        let item: QueuedProposal = serde_json::from_slice(&bytes).ok()?;
        let proposal = item.proposal();
        let hunks = proposal.hunks().filter(|hunk| hunk.state == HunkState::Pending).count();
        let path = proposal.files.first()?.path.as_str().to_owned();
        (hunks > 0).then(|| HeldProposal { id: proposal.id.clone(), path, why: proposal.why.clone(), hunks })
    }
}
