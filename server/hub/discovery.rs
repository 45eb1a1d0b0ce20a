//! The operations that find tools, for every door.

use serde_json::json;

use super::Hub;
use crate::protocol::{
    ExpandToolAnswer, ExpandToolParams, Fault, ListToolsAnswer, ListToolsParams, SearchNodesAnswer,
    SearchNodesParams, SearchToolsAnswer, SearchToolsParams,
};

impl Hub {
    /// What stands at a node.
    ///
    /// # Errors
    /// UNKNOWN_PATH, STALE for an old cursor.
    pub fn list_tools(&self, params: &ListToolsParams) -> Result<ListToolsAnswer, Fault> {
        self.meant(params.root.as_deref())?.directory().list(params)
    }

    /// The tools under a node that answer a request.
    ///
    /// # Errors
    /// UNKNOWN_PATH, NO_MATCH_IN_CATEGORY, STALE for an old cursor.
    pub fn search_tools(&self, params: &SearchToolsParams) -> Result<SearchToolsAnswer, Fault> {
        self.meant(params.root.as_deref())?.directory().search(params)
    }

    /// The nodes that may hold what a request asks for.
    ///
    /// # Errors
    /// NOT_FOUND where no folder is open.
    pub fn search_nodes(&self, params: &SearchNodesParams) -> Result<SearchNodesAnswer, Fault> {
        Ok(self.meant(params.root.as_deref())?.directory().search_nodes(params))
    }

    /// All that a call of a tool needs.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, with the nearest names.
    pub fn expand_tool(&self, params: &ExpandToolParams) -> Result<ExpandToolAnswer, Fault> {
        let folder = self.meant(params.root.as_deref())?;
        let registry = folder.registry();
        let tool = registry.find(&params.tool_id).ok_or_else(|| registry.not_found(&params.tool_id))?;
        let def = tool.def();
        Ok(ExpandToolAnswer {
            tool_id: def.name.clone(),
            path: folder.directory().path_of(&def.name),
            summary: def.summary.clone(),
            args_schema: def.input_schema.clone(),
            result_schema: def.output_schema.clone(),
            version: def.version,
            examples: json!(def.examples),
            sandbox: json!(def.sandbox),
            risk: def.risk.word().to_owned(),
        })
    }
}
