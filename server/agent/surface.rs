//! The tools offered to the model: each with its schema, or the operations that find tools, by the settings.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::catalogue::ToolDef;
use crate::hub::{CALL, CALL_DESCRIPTION, FindOperation, ServedFolder, call_schema};
use crate::model::ToolSpec;

/// The tools that a model may call.
#[derive(Clone, Debug)]
pub(super) struct OfferedTools {
    pub(super) tools: Vec<ToolSpec>,
    pub(super) is_discovery: bool,
    pub(super) has_latent: bool,
    /// True if they are shortened, for a model that gets the short prompt.
    pub(super) is_short: bool,
}

/// The tools that a model may call in a folder.
pub(super) fn offered_tools(folder: &ServedFolder) -> OfferedTools {
    let is_discovery = folder.toolbox().is_discovery();
    let definitions = folder.toolbox().full_definitions(None);
    let is_listed = |def: &ToolDef| {
        let is_task = def.source.is_none() && matches!(def.category.as_str(), "task" | "review");
        !is_discovery || is_task
    };
    let listed = definitions.iter().filter(|(tool, _)| is_listed(tool.def()));
    let own = listed.map(|(tool, latent)| make_tool_spec(tool.def(), *latent));
    let operations = is_discovery.then(|| {
        let each = FindOperation::ALL.into_iter().map(|operation| ToolSpec {
            name: operation.name().to_owned(),
            description: operation.description().to_owned(),
            schema: operation.schema(),
        });
        let call = ToolSpec {
            name: CALL.to_owned(),
            description: CALL_DESCRIPTION.to_owned(),
            schema: call_schema(),
        };
        each.chain([call]).collect::<Vec<_>>()
    });
    let mut seen = HashSet::new();
    let mut tools: Vec<ToolSpec> = operations.into_iter().flatten().chain(own).collect();
    // Servers refuse a list in which a name occurs twice.
    tools.retain(|tool| seen.insert(tool.name.clone()));
    let has_latent = definitions.iter().any(|(_, latent)| *latent);
    OfferedTools { tools, is_discovery, has_latent, is_short: false }
}

/// Makes the definition of a tool that a model gets. The schema of a latent tool also requires the result, as `_output`.
pub(super) fn make_tool_spec(def: &ToolDef, is_latent: bool) -> ToolSpec {
    let mut schema = def.input_schema.clone();
    if is_latent {
        crate::registry::ask_for_output(&mut schema, def.output_schema.as_ref());
    }
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
        if !members.contains_key("properties") {
            members.insert("properties".to_owned(), Value::Object(Map::new()));
        }
        members.entry("type").or_insert(json!("object"));
    }
    ToolSpec { name: def.flat_name(), description: def.description.clone(), schema }
}
