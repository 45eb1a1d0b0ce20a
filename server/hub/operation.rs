//! The operations by which a model finds tools where there are too many to list, and how it is told of them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::protocol::{ExpandToolParams, ListToolsParams, MOST, SearchNodesParams, SearchToolsParams};

/// What a model is told of [`CALL`].
pub const CALL_DESCRIPTION: &str = "Call a tool. Expand it first, to know its arguments.";

/// The operation that calls what the others found.
pub const CALL: &str = "call_tool";

/// The operations that find tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
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
pub struct CallToolParams {
    /// The tool, by name or alias.
    pub tool_id: String,
    /// Its arguments by its `args_schema`, `why` among them.
    pub arguments: Map<String, Value>,
}

impl Operation {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::SearchTools, Self::List, Self::SearchNodes, Self::Expand];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::SearchNodes => "search_nodes",
            Self::SearchTools => "search_tool_by_category",
            Self::Expand => "expand_tool",
        }
    }

    /// The operation of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// What a model is told of it.
    pub fn description(self) -> &'static str {
        match self {
            Self::List => "Browse the nodes below a node, and the tools at it or below.",
            Self::SearchNodes => "Find the nodes whose tools may do what is wanted.",
            Self::SearchTools => "Find tools that do what is wanted.",
            Self::Expand => "Show what a call of one tool needs: its schemas, examples, limits and risk.",
        }
    }

    /// The schema of its arguments.
    pub fn schema(self) -> Value {
        slim(match self {
            Self::List => json!(schemars::schema_for!(ListToolsParams)),
            Self::SearchNodes => json!(schemars::schema_for!(SearchNodesParams)),
            Self::SearchTools => json!(schemars::schema_for!(SearchToolsParams)),
            Self::Expand => json!(schemars::schema_for!(ExpandToolParams)),
        })
    }
}

/// The schema of the arguments of [`CALL`].
pub fn call_schema() -> Value {
    slim(json!(schemars::schema_for!(CallToolParams)))
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
