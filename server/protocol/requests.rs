//! Params and answers of this protocol's requests that lower layers use too.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Door, Point, Risk, WatchStatus};
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

/// A person's action on hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Apply them.
    Accept,
    /// Drop them.
    Reject,
}

/// Params of `wherefore/decide`: the pending hunks to decide on, and the decision. With neither hunks nor path it
/// applies to every pending hunk of the proposal; with no proposal, to every pending hunk. An applied hunk is
/// included if it is named: accepted, it counts as reviewed; rejected, it is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct DecideParams {
    /// The proposal; all proposals if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// The hunks, by id: at least one if the member is present. They belong to `proposal`, which has to be named.
    #[serde(default, deserialize_with = "some_hunks", skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub hunks: Vec<HunkId>,
    /// The file, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WorkspacePath>,
    /// The action.
    pub act: Act,
    /// A reason for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if hunks that a policy applied, and no person has reviewed, are included like pending ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
    /// Only hunks of calls after this point in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Point>,
    /// The lines that hunks add instead of the proposed ones, by the hunk's id: a person changed them before
    /// accepting. It requires `proposal`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<HunkId, String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Reads the ids of hunks. An empty list is rejected: it must not select all hunks.
fn some_hunks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<HunkId>, D::Error> {
    let hunks = Vec::deserialize(deserializer)?;
    match hunks.is_empty() {
        true => Err(D::Error::custom("`hunks` names none; leave it out where every pending hunk is meant")),
        false => Ok(hunks),
    }
}

impl DecideParams {
    /// The action on every pending hunk.
    pub fn all(act: Act) -> Self {
        Self {
            proposal: None,
            hunks: Vec::new(),
            path: None,
            act,
            reason: None,
            applied: false,
            since: None,
            texts: BTreeMap::new(),
            root: None,
        }
    }
}

/// Params of `wherefore/proposals`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProposalsParams {
    /// Only proposals that touch this file, relative to the root.
    pub path: Option<WorkspacePath>,
    /// Also proposals that are wholly decided and still kept.
    pub all: bool,
    /// Also proposals with hunks that a policy applied and no person has reviewed.
    pub applied: bool,
    /// Only proposals of calls after this point in the log.
    pub since: Option<Point>,
    /// The workspace folder.
    pub root: Option<String>,
}

/// Answer of `wherefore/undo`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct UndoAnswer {
    /// The call undone.
    pub call: CallId,
    /// The id that undoes this undo; empty if no file had to be restored.
    pub undo_id: CallId,
    /// The files brought back, relative to the root.
    pub paths: Vec<WorkspacePath>,
    /// Hunks of the call that waited for a decision and were rejected.
    #[serde(default)]
    pub withdrawn: u32,
}

/// A workspace folder in the answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct WorkspaceStatus {
    /// Its absolute path.
    pub root: String,
    /// The open session's id, or else that of the last one; empty if there was none.
    pub session: String,
    /// The session log's absolute path.
    pub log: String,
    /// Calls made in this session.
    pub calls: u64,
    /// Calls of this session by the way that they came: a tool of wherefore's (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`,
    /// `acp`), or a change by another program (`outside`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ways: BTreeMap<Door, u64>,
    /// Agents seen in this session.
    pub agents: Vec<String>,
    /// Calls running now.
    pub running: u32,
    /// Calls of this session that no code ran: their callers filled the results.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub latent: u64,
    /// Hunks that wait for a decision.
    pub pending_hunks: u32,
    /// Files with such hunks.
    pub pending_files: u32,
    /// Hunks that a policy applied and no person has reviewed.
    pub unreviewed_hunks: u32,
    /// Problems: a definition refused, a setting ignored.
    pub problems: Vec<String>,
    /// The servers of the Model Context Protocol that its settings name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerStatus>,
    /// The state of the file watch; absent if no process stays to watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchStatus>,
    /// The environment that its tools run in.
    #[serde(default)]
    pub environment: String,
    /// The tools whose activities that environment replaces, each with what runs it, in words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replaced: BTreeMap<String, String>,
    /// The connected agents whose calls run in an environment of their own, each with its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_environments: BTreeMap<String, String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A server of the Model Context Protocol in the answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// Its name in the settings.
    pub name: String,
    /// True if the project names it, and not the person.
    pub of_project: bool,
    /// True if it runs, or is connected to.
    pub running: bool,
    /// True if it is reached at a URL, and no program is started.
    pub remote: bool,
    /// True if its program is run in a sandbox.
    pub confined: bool,
    /// The confinement, if it runs in a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// The forms that several tools are put into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComposeForm {
    /// A single schema whose `calls` a model fills: the Tool Protocol.
    #[default]
    Calls,
    /// The `tools` of OpenAI's interface.
    Openai,
    /// The `tools` of Ollama's interface.
    Ollama,
    /// The `tools` of Anthropic's interface.
    Anthropic,
    /// The answer of the Model Context Protocol's `tools/list`.
    Mcp,
}

/// A tool of `wherefore/listTools`, without its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct ToolSummary {
    /// Its dotted name.
    pub name: String,
    /// The node that it belongs to.
    pub category: String,
    /// A summary in one line.
    pub summary: String,
    /// `read`, `write`, `execute` or `network`.
    #[schemars(with = "String")]
    pub risk: Risk,
    /// The activity that runs it; empty means latent.
    pub activity: String,
    /// The environment with its activity in words, if that activity replaces the one of the tool's definition: `dev: a fixed
    /// answer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Other names it answers to.
    pub aliases: Vec<String>,
}
