//! A proposal that another server of the same folder holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::ProposalId;

/// A proposal whose hunks wait at another server of the folder, as that of a second window on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldProposal {
    /// The proposal.
    pub id: ProposalId,
    /// Its first file, relative to the folder.
    pub path: String,
    /// The reason of its call.
    pub why: String,
    /// The number of its hunks that wait.
    pub hunks: usize,
}
