//! `wherefore/proposals`: the changes that wait for decisions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Proposals, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, Proposal, ProposalsParams};

/// Answer of `wherefore/proposals`: oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalsAnswer {
    /// The proposals.
    pub proposals: Vec<Proposal>,
}

impl Request for Proposals {
    async fn answer_request(hub: &Hub, params: ProposalsParams, _: Asker) -> Result<ProposalsAnswer, Fault> {
        // In a folder that is not open nothing waits.
        let folders = hub.folders_for(params.root.as_deref()).unwrap_or_default();
        let proposals =
            folders.iter().flat_map(|folder| folder.queue().store().list_proposals(&params)).collect();
        Ok(ProposalsAnswer { proposals })
    }
}
