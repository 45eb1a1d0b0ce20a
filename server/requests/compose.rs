//! `wherefore/compose`: several tools in a form that a model fills or a model's API takes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Asker, Compose, Request};
use crate::hub::Hub;
use crate::protocol::{ComposeForm, Fault};
use crate::registry::compose_tools;

/// Params of `wherefore/compose`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ComposeParams {
    /// The tools, by name or alias; all of them when empty.
    pub tools: Vec<String>,
    /// The form.
    pub form: ComposeForm,
    /// The workspace folder, where a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/compose`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComposeAnswer {
    /// The tools in the form asked for: JSON Schema 2020-12 for `calls`, else what that interface takes.
    pub composed: Value,
}

impl Request for Compose {
    /// TOOL_NOT_FOUND, with the nearest names.
    async fn answer_request(hub: &Hub, params: ComposeParams, _: Asker) -> Result<ComposeAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let registry = folder.toolbox().registry();
        let mut tools = Vec::new();
        for name in &params.tools {
            let tool = registry.find_tool(name).ok_or_else(|| registry.not_found(name))?;
            if !tools.iter().any(|known| Arc::ptr_eq(known, &tool)) {
                tools.push(tool);
            }
        }
        if params.tools.is_empty() {
            tools = registry.tools();
        }
        let tools: Vec<_> = tools.iter().map(|tool| (tool.def(), registry.activity_of(tool, None))).collect();
        Ok(ComposeAnswer { composed: compose_tools(&tools, params.form) })
    }

    fn needs_servers(_: &Hub, _: &ComposeParams) -> bool {
        true
    }
}
