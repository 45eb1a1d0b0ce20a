//! What an agent is offered: each tool with its schema, or only the operations that find, show and call tools.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::RESULT;
use crate::catalogue::ToolDef;
use crate::hub::Hub;
use crate::protocol::{
    ExpandToolParams, ListToolsParams, MOST, SearchNodesParams, SearchToolsParams, Surface,
};
use crate::registry::{Format, render};

/// The operation that calls what the others found.
pub(super) const CALL: &str = "call_tool";

/// The operations that find tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// What stands at a node.
    List,
    /// The nodes that may hold what is wanted.
    SearchNodes,
    /// The tools under a node that do what is wanted.
    SearchTools,
    /// All that a call of a tool needs.
    Expand,
}

/// Params of [`CALL`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CallToolParams {
    /// The tool, by name or alias.
    pub tool_id: String,
    /// Its arguments by its `args_schema`, `why` among them.
    pub arguments: Map<String, Value>,
}

impl Operation {
    /// All of them, in the order in which they are listed.
    pub(super) const ALL: [Self; 4] = [Self::SearchTools, Self::List, Self::SearchNodes, Self::Expand];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::SearchNodes => "search_nodes",
            Self::SearchTools => "search_tool_by_category",
            Self::Expand => "expand_tool",
        }
    }

    /// The operation of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    fn description(self) -> &'static str {
        match self {
            Self::List => "Browse the nodes below a node, and the tools at it or below.",
            Self::SearchNodes => "Find the nodes whose tools may do what is wanted.",
            Self::SearchTools => "Find tools that do what is wanted.",
            Self::Expand => "Show what a call of one tool needs: its schemas, examples, limits and risk.",
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::List => json!(schemars::schema_for!(ListToolsParams)),
            Self::SearchNodes => json!(schemars::schema_for!(SearchNodesParams)),
            Self::SearchTools => json!(schemars::schema_for!(SearchToolsParams)),
            Self::Expand => json!(schemars::schema_for!(ExpandToolParams)),
        }
    }

    fn tool(self) -> Tool {
        operation(self.name(), self.description(), self.schema(), true)
    }
}

fn call() -> Tool {
    let description = "Call a tool. Expand it first, to know its arguments.";
    operation(CALL, description, json!(schemars::schema_for!(CallToolParams)), false)
}

fn operation(name: &str, description: &str, schema: Value, looks: bool) -> Tool {
    let tool = json!({
        "name": name,
        "description": description,
        "inputSchema": slim(schema),
        "annotations": {
            "readOnlyHint": looks, "destructiveHint": !looks, "idempotentHint": looks, "openWorldHint": !looks,
        },
        "_meta": always_load(),
    });
    serde_json::from_value(tool).unwrap_or_default()
}

/// What Claude Code takes as a wish not to hide a tool behind a search of its own.
fn always_load() -> Value {
    json!({ "anthropic/alwaysLoad": true })
}

/// A generated schema without what a model needs no words for: titles, widths of numbers, and the folder, which an
/// agent's connection has settled.
fn slim(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else { return schema };
    members.retain(|name, _| !["$schema", "title", "description"].contains(&name.as_str()));
    let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) else {
        return schema;
    };
    properties.remove("root");
    for (name, property) in properties.iter_mut() {
        let Some(property) = property.as_object_mut() else { continue };
        if name == "limit" {
            property.insert("maximum".to_owned(), json!(MOST));
            property.remove("description");
        }
        let says_nothing = |name: &str, value: &Value| match name {
            "format" | "minimum" => true,
            "default" => value.is_null() || *value == json!([]),
            "additionalProperties" => *value == json!(true),
            _ => false,
        };
        property.retain(|name, value| !says_nothing(name, value));
        if let Some(first) = property.get("type").and_then(|types| types.get(0)).cloned() {
            property.insert("type".to_owned(), first);
        }
    }
    schema
}

/// Whether agents of that folder find tools instead of being shown all of them.
pub(super) fn is_discovery(hub: &Hub, root: &str) -> bool {
    // In a folder that is gone nothing is to be found.
    let Ok(folder) = hub.folder(Some(root)) else { return false };
    let discovery = &folder.session().workspace().settings().discovery;
    match discovery.surface {
        Surface::Auto => folder.tools().len() > discovery.direct_up_to,
        Surface::Direct => false,
        Surface::Discovery => true,
    }
}

/// The tools that an agent of that folder is offered.
pub(super) fn tools(hub: &Hub, root: &str) -> Vec<Tool> {
    let definitions = hub.folder(Some(root)).map(|folder| folder.definitions()).unwrap_or_default();
    if !is_discovery(hub, root) {
        return definitions.iter().map(|(tool, latent)| listed(tool.def(), *latent)).collect();
    }
    let is_task = |def: &ToolDef| def.source.is_none() && matches!(def.category.as_str(), "task" | "review");
    let tasks = definitions.iter().filter(|(tool, _)| is_task(tool.def()));
    let tasks = tasks.map(|(tool, latent)| brief(tool.def(), listed(tool.def(), *latent)));
    Operation::ALL.into_iter().map(Operation::tool).chain([call()]).chain(tasks).collect()
}

/// A tool as it is listed, under its name without dots.
pub(super) fn listed(def: &ToolDef, latent: bool) -> Tool {
    let mut tool = render(def, Format::Mcp, "");
    if let Some(members) = tool.as_object_mut() {
        members.remove("outputSchema");
        // A latent call answers with the schema to fill, not by it.
        if let Some(schema) = def.output_schema.as_ref().filter(|_| !latent) {
            members.insert("outputSchema".to_owned(), Value::Object(output(schema)));
        }
        if def.source.is_none() {
            // A model needs no word for it: what is not declared is refused, with the nearest name.
            if let Some(input) = members.get_mut("inputSchema").and_then(Value::as_object_mut) {
                input.remove("additionalProperties");
            }
            members.insert("_meta".to_owned(), always_load());
        }
    }
    serde_json::from_value(tool).unwrap_or_default()
}

/// A tool in as few words as will do, for a surface that is to be small: `expand_tool` has the rest.
fn brief(def: &ToolDef, tool: Tool) -> Tool {
    let mut schema = (*tool.input_schema).clone();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        property.retain(|name, _| matches!(name.as_str(), "type" | "description" | "items" | "enum"));
        if name == "why" {
            property
                .insert("description".to_owned(), json!("What the call is to accomplish, in one sentence"));
        }
    }
    let mut tool = tool;
    tool.description = Some(def.summary.clone().into());
    tool.input_schema = Arc::new(schema);
    tool
}

/// The schema of `structuredContent`: warnings and decisions may stand beside the result, and one that is no object
/// stands under a name.
fn output(schema: &Value) -> JsonObject {
    match schema {
        Value::Object(members) if members.get("type") == Some(&json!("object")) => {
            let mut members = members.clone();
            members.remove("additionalProperties");
            members.remove("unevaluatedProperties");
            members
        }
        other => {
            let mut inner = other.clone();
            let defs = inner.as_object_mut().and_then(|inner| inner.remove("$defs"));
            let mut members = Map::new();
            members.insert("type".to_owned(), json!("object"));
            members.insert("properties".to_owned(), json!({ RESULT: inner }));
            members.insert("required".to_owned(), json!([RESULT]));
            members.extend(defs.map(|defs| ("$defs".to_owned(), defs)));
            members
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_says_no_more_than_it_must() {
        let tool = json!(Operation::List.tool());
        assert_eq!(
            tool["inputSchema"],
            json!({
                "type": "object",
                "properties": {
                    "path": { "description": "The node, from the root; the root when empty.", "type": "array", "items": { "type": "string" } },
                    "tags": { "description": "Only tools with all of these tags.", "type": "array", "items": { "type": "string" } },
                    "query": { "description": "Only what answers this request, best first.", "type": "string" },
                    "limit": { "type": "integer", "default": 10, "maximum": 50 },
                    "cursor": { "description": "The `next_cursor` to go on from.", "type": "string" },
                },
            })
        );
        assert_eq!(json!(call())["inputSchema"]["required"], json!(["tool_id", "arguments"]));
    }

    #[test]
    fn what_is_no_object_stands_under_a_name() {
        let schema = json!({ "type": "array", "items": { "$ref": "#/$defs/a" }, "$defs": { "a": {} } });
        let wrapped = json!({
            "type": "object",
            "properties": { "result": { "type": "array", "items": { "$ref": "#/$defs/a" } } },
            "required": ["result"],
            "$defs": { "a": {} },
        });
        assert_eq!(Value::Object(output(&schema)), wrapped);
    }
}
