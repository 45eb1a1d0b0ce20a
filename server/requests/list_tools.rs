//! `wherefore/listTools`: every tool in a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, ListTools, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, ToolSummary};

/// Params of `wherefore/listTools`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListToolsParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
}

/// Answer of `wherefore/listTools`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListToolsAnswer {
    /// Every tool, by name.
    pub tools: Vec<ToolSummary>,
}

impl Request for ListTools {
    async fn answer_request(hub: &Hub, params: ListToolsParams, _: Asker) -> Result<ListToolsAnswer, Fault> {
        // A folder that is not open has no tools.
        let folder = hub.folder_at(params.root.as_deref());
        Ok(ListToolsAnswer {
            tools: folder.map(|folder| folder.toolbox().registry().tool_summaries()).unwrap_or_default(),
        })
    }

    fn needs_servers(_: &Hub, _: &ListToolsParams) -> bool {
        true
    }
}
