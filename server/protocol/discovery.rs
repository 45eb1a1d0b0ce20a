//! The five operations that find tools, as the discovery specification names their members.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Risk;

/// The number of results if no limit is given.
const DEFAULT_LIMIT: usize = 10;
/// The highest number of results.
pub const MAX_LIMIT: usize = 50;

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

/// Params of `wherefore/list`: the nodes and tools at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListNodeParams {
    /// The node, from the root; the root when empty.
    #[serde(default)]
    pub path: Vec<String>,
    /// Only nodes and tools with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only nodes and tools that match this request, best first.
    #[serde(default)]
    pub query: Option<String>,
    /// Nodes and tools at most: 1 to 50.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The `next_cursor` to go on from.
    #[serde(default)]
    pub cursor: Option<String>,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default)]
    pub root: Option<String>,
}

/// Answer of `wherefore/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListNodeAnswer {
    /// The node.
    pub path: Vec<String>,
    /// The nodes directly below it.
    pub nodes: Vec<NodePointer>,
    /// The tools at it; with tags or a query those below it too.
    pub tools: Vec<ToolPointer>,
    /// The cursor of the next page, if there is more.
    pub next_cursor: Option<String>,
    /// The reason why there is nothing to list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The nearest nodes, else the root's, where there is nothing to list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The call to make next, where there is nothing to list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<Value>,
}

/// Params of `wherefore/searchToolByCategory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchToolsParams {
    /// The request, in plain words.
    pub query: String,
    /// The node to search under; everywhere when empty.
    #[serde(default)]
    pub category_path: Vec<String>,
    /// Results at most: 1 to 50.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The `next_cursor` to go on from.
    #[serde(default)]
    pub cursor: Option<String>,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default)]
    pub root: Option<String>,
}

/// Answer of `wherefore/searchToolByCategory`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchToolsAnswer {
    /// The node searched under.
    pub category_path: Vec<String>,
    /// The tools found, best first.
    pub results: Vec<ToolPointer>,
    /// The cursor of the next page, if there is more.
    pub next_cursor: Option<String>,
}

/// Params of `wherefore/searchNodes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchNodesParams {
    /// The request, in plain words.
    pub query: String,
    /// Results at most: 1 to 50.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default)]
    pub root: Option<String>,
}

/// Answer of `wherefore/searchNodes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchNodesAnswer {
    /// Nodes, likeliest first.
    pub results: Vec<NodeMatch>,
    /// The reason why none may hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The nearest nodes, else the root's, where none may hold it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The call to make next, where none may hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<Value>,
}

/// Params of `wherefore/expandTool`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpandToolParams {
    /// The tool, by name or alias.
    pub tool_id: String,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default)]
    pub root: Option<String>,
}

/// Answer of `wherefore/expandTool`: all that a call needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpandToolAnswer {
    /// Its dotted name.
    pub tool_id: String,
    /// The node that it belongs to.
    pub path: Vec<String>,
    /// A summary in one line.
    pub summary: String,
    /// The schema of its arguments, `why` among them.
    pub args_schema: Value,
    /// The schema of its output, if it is known.
    pub result_schema: Option<Value>,
    /// Counted up when the schemas change: what was kept of an earlier one is out of date.
    pub version: u64,
    /// Calls with what they give.
    pub examples: Value,
    /// The resources that it may access.
    pub sandbox: Value,
    /// `read`, `write`, `execute` or `network`.
    #[schemars(with = "String")]
    pub risk: Risk,
}

/// A tool with no more than it takes to decide whether to expand it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPointer {
    /// Its id.
    pub tool_id: String,
    /// The node that it belongs to.
    pub path: Vec<String>,
    /// A summary in one line.
    pub summary: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The chance that it is what was asked for, 0 to 1; 1 if nothing was asked.
    pub confidence: f64,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodePointer {
    /// Its name.
    pub name: String,
    /// From the root, its name last.
    pub path: Vec<String>,
    /// A summary in one line.
    pub summary: String,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// A node that may hold what was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeMatch {
    /// From the root.
    pub path: Vec<String>,
    /// A summary in one line.
    pub summary: String,
    /// The chance that it does, 0 to 1.
    pub confidence: f64,
}
