//! `wherefore/list`: every tool in a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, List, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, ToolSummary};

/// Params of `wherefore/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
}

/// Answer of `wherefore/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAnswer {
    /// Every tool, by name.
    pub tools: Vec<ToolSummary>,
}

impl Request for List {
    async fn answer_request(hub: &Hub, params: ListParams, _: Asker) -> Result<ListAnswer, Fault> {
        // A folder that is not open has no tools.
        let folder = hub.folder_at(params.root.as_deref());
        Ok(ListAnswer {
            tools: folder.map(|folder| folder.toolbox().registry().tool_summaries()).unwrap_or_default(),
        })
    }

    fn needs_servers(_: &Hub, _: &ListParams) -> bool {
        true
    }
}
