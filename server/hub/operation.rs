//! The operations by which a model finds tools where there are too many to list, and their descriptions.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::catalogue::compile_schema;
use crate::catalogue::exact_params::read_exactly;
use crate::protocol::{
    Code, ExpandToolParams, Fault, ListNodeParams, MAX_LIMIT, SearchNodesParams, SearchToolsParams,
};

/// The description of [`CALL`] for a model.
pub const CALL_DESCRIPTION: &str = "Call a tool. Expand it first, to know its arguments.";

/// The operation that calls what the others found.
pub const CALL: &str = "call_tool";

/// The operation that makes several calls.
pub const CALL_ALL: &str = "call_tools";

/// The description of [`CALL_ALL`] for a model.
pub const CALL_ALL_DESCRIPTION: &str =
    "Make several calls in order, an answer each; calls in a row that only look run side by side.";

/// The operations that find tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindOperation {
    /// The nodes and tools at a node.
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
    /// Its arguments by its `args_schema`, `why` among them: an object, or JSON text that holds one.
    #[schemars(with = "Map<String, Value>")]
    pub arguments: Value,
    /// The reason, where it stands beside the arguments instead of among them.
    #[serde(default)]
    #[schemars(skip)]
    why: Option<String>,
}

impl CallToolParams {
    /// The name of the tool, and its arguments, `why` among them.
    pub fn into_call(mut self) -> (String, Value) {
        if let (Some(members), Some(why)) = (self.arguments.as_object_mut(), self.why) {
            members.entry("why").or_insert_with(|| why.into());
        }
        (self.tool_id, self.arguments)
    }
}

impl FindOperation {
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
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The description of the operation for a model.
    pub fn description(self) -> &'static str {
        match self {
            Self::List => "Browse the nodes below a node, and the tools at it.",
            Self::SearchNodes => "Find the nodes whose tools may do what is wanted.",
            Self::SearchTools => "Find tools that do what is wanted.",
            Self::Expand => "Show what a call of one tool needs: its schemas, examples, limits and risk.",
        }
    }

    /// The schema of its arguments.
    pub fn schema(self) -> Value {
        slim_schema(match self {
            Self::List => json!(schemars::schema_for!(ListNodeParams)),
            Self::SearchNodes => json!(schemars::schema_for!(SearchNodesParams)),
            Self::SearchTools => json!(schemars::schema_for!(SearchToolsParams)),
            Self::Expand => json!(schemars::schema_for!(ExpandToolParams)),
        })
    }
}

/// Reads the arguments of an operation to the letter. Meta fields, which models give every call, are no slips, and a path may be
/// one text, as `Storage/Buckets`.
///
/// # Errors
/// INVALID_ARGS for what does not fit, and for a member that the operation does not know; its next action is the operation with
/// what was right of them.
pub fn read_operation<T: DeserializeOwned + JsonSchema>(
    operation: &str,
    mut arguments: Value,
) -> Result<T, Fault> {
    if let Some(members) = arguments.as_object_mut() {
        members.retain(|name, _| !name.starts_with('_'));
        for path in PATHS {
            let Some(value) = members.get_mut(path) else { continue };
            if let Value::String(text) = value {
                let names = text.split('/').map(str::trim).filter(|name| !name.is_empty());
                *value = names.map(str::to_owned).collect();
            }
        }
    }
    read_exactly(arguments.clone()).map_err(|wrong| {
        let right = fitting_members(&arguments, &slim_schema(json!(schemars::schema_for!(T))));
        let is_wrong = |path: &&str| arguments.get(path).is_some() && !right.contains_key(*path);
        let advice = match PATHS.into_iter().find(is_wrong) {
            Some(path) => {
                format!("`{path}` is a list of names from the root, as [\"Files\"], or one text, as \"Storage/Buckets\"")
            }
            None => "send arguments that fit the input schema of the operation".to_owned(),
        };
        Fault::new(Code::InvalidArgs, format!("the arguments do not fit the input schema: {wrong}"))
            .with_suggestion(advice)
            .with_next_action(mended_operation::<T>(operation, right))
    })
}

/// The members that are paths of nodes.
const PATHS: [&str; 2] = ["path", "category_path"];

/// The members of arguments that fit the schema, each by itself.
fn fitting_members(arguments: &Value, schema: &Value) -> Map<String, Value> {
    let fits = |name: &str, value: &Value| {
        let member = schema.get("properties").and_then(|all| all.get(name));
        member.is_some_and(|member| compile_schema(member).is_ok_and(|valid| valid.is_valid(value)))
    };
    let members = arguments.as_object().into_iter().flatten();
    members
        .filter(|(name, value)| fits(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The operation with the members that were right; where one is missing, the one that leads there.
fn mended_operation<T: DeserializeOwned>(operation: &str, right: Map<String, Value>) -> Value {
    let tool_id = right.get("tool_id").cloned();
    let arguments = Value::Object(right);
    if serde_json::from_value::<T>(arguments.clone()).is_ok() {
        return json!({ "tool": operation, "arguments": arguments });
    }
    match tool_id {
        Some(tool_id) => json!({ "tool": FindOperation::Expand.name(), "arguments": { "tool_id": tool_id } }),
        None => json!({ "tool": FindOperation::List.name(), "arguments": { "path": [] } }),
    }
}

/// The schema of the arguments of [`CALL`].
pub fn call_schema() -> Value {
    slim_schema(json!(schemars::schema_for!(CallToolParams)))
}

/// The schema of the arguments of [`CALL_ALL`].
pub fn call_all_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "calls": { "type": "array", "items": {
            "type": "object",
            "properties": { "tool": { "type": "string" }, "arguments": { "type": "object" } },
        } } },
        "required": ["calls"],
    })
}

/// A generated schema without what a model needs no words for: titles, widths of numbers, and the folder, which an
/// agent's connection has settled.
fn slim_schema(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else { return schema };
    members.retain(|name, _| !["$schema", "title", "description"].contains(&name.as_str()));
    let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) else {
        return schema;
    };
    // Models give a `why` unasked: it is taken, and costs no words here.
    properties.remove("root");
    properties.remove("why");
    for (name, property) in properties.iter_mut() {
        let Some(property) = property.as_object_mut() else { continue };
        let says_nothing = |name: &str, value: &Value| match name {
            "format" | "minimum" => true,
            "default" => value.is_null() || *value == json!([]),
            "additionalProperties" => *value == json!(true),
            _ => false,
        };
        property.retain(|name, value| !says_nothing(name, value));
        if name == "limit" {
            property.insert("minimum".to_owned(), json!(1));
            property.insert("maximum".to_owned(), json!(MAX_LIMIT));
            property.remove("description");
        }
        if let Some(first) = property.get("type").and_then(|types| types.get(0)).cloned() {
            property.insert("type".to_owned(), first);
        }
    }
    schema
}
