//! `wherefore/collect`: the working set is cleaned up, at a person's word.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Collect, Request};
use crate::hub::Hub;
use crate::memory::collect::CleanupOccasion;
use crate::protocol::{CollectAnswer, Fault};

/// Params of `wherefore/collect`: cleans the working set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CollectParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
}

impl Request for Collect {
    async fn answer_request(hub: &Hub, params: CollectParams, _: Asker) -> Result<CollectAnswer, Fault> {
        // It goes to the log, which is not written where requests are read.
        tokio::task::yield_now().await;
        let folder = hub.folder_at(params.root.as_deref())?;
        let files = folder.session().working_files();
        Ok(files.clean_up(CleanupOccasion::Request, "person", "Clean the working set up")?)
    }
}
