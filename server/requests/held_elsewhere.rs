//! `wherefore/heldElsewhere`: the changes that wait at another server of the folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, HeldElsewhere, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, HeldProposal};

/// Params of `wherefore/heldElsewhere`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HeldElsewhereParams {
    /// The workspace folder, where a server has several: an absolute path inside it. All folders where it is left out.
    pub root: Option<String>,
}

/// Answer of `wherefore/heldElsewhere`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldElsewhereAnswer {
    /// The proposals, by id. Those that were stored in the last moment may be missing.
    pub proposals: Vec<HeldProposal>,
}

impl Request for HeldElsewhere {
    async fn answer_request(
        hub: &Hub,
        params: HeldElsewhereParams,
        _: Asker,
    ) -> Result<HeldElsewhereAnswer, Fault> {
        // In a folder that is not open nothing is said of others.
        let folders = hub.folders_for(params.root.as_deref()).unwrap_or_default();
        // Files are read.
        let listed = tokio::task::spawn_blocking(move || {
            folders.iter().flat_map(|folder| folder.queue().store().held_elsewhere()).collect()
        });
        let proposals = listed.await.map_err(|error| Fault::internal(error.to_string()))?;
        Ok(HeldElsewhereAnswer { proposals })
    }
}
