//! `wherefore/workingSet`: the files that matter now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Request, WorkingSet};
use crate::hub::Hub;
use crate::protocol::{Fault, WorkingSetAnswer};

/// Params of `wherefore/workingSet`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkingSetParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
}

impl Request for WorkingSet {
    async fn answer_request(
        hub: &Hub,
        params: WorkingSetParams,
        _: Asker,
    ) -> Result<WorkingSetAnswer, Fault> {
        // In a folder that is not open nothing matters.
        let folder = hub.folder_at(params.root.as_deref());
        Ok(folder.map(|folder| folder.session().working_files().working_set()).unwrap_or_default())
    }
}
