//! Params and answers of our requests, those that lower layers speak of too.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Door, Point, Risk, WatchStatus};
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

/// What a person does with hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Apply them.
    Accept,
    /// Drop them.
    Reject,
}

/// Params of `wherefore/decide`: which pending hunks, and what becomes of them. With neither hunks nor
/// path every pending hunk of the proposal is meant; with no proposal, every pending hunk there is. A hunk that was
/// applied is meant too where it is named: accepted, it counts as looked at; rejected, it is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct DecideParams {
    /// The proposal meant; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// The hunks meant, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkId>,
    /// The file meant, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WorkspacePath>,
    /// What becomes of them.
    pub act: Act,
    /// A word for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether hunks that a policy applied, and no person has looked at, are meant as pending ones are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
    /// Only hunks of calls after this point in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Point>,
    /// What hunks add instead of what was proposed, by the hunk's id: a person changed it before they accept. Names the
    /// proposal too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<HunkId, String>,
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl DecideParams {
    /// That act, on every pending hunk there is.
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
    /// Only those that touch this file, relative to the root.
    pub path: Option<WorkspacePath>,
    /// Also those that are wholly decided and still kept.
    pub all: bool,
    /// Also those with hunks that a policy applied and no person has looked at.
    pub applied: bool,
    /// Only those of calls after this point in the log.
    pub since: Option<Point>,
    /// The workspace folder meant.
    pub root: Option<String>,
}

/// Answer of `wherefore/undo`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct UndoAnswer {
    /// The call undone.
    pub call: CallId,
    /// The id that undoes this undo; empty where no file had to be brought back.
    pub undo_id: CallId,
    /// The files brought back, relative to the root.
    pub paths: Vec<WorkspacePath>,
    /// Hunks of the call that waited for a decision and were rejected.
    #[serde(default)]
    pub withdrawn: u32,
}

/// One workspace folder in the answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct WorkspaceStatus {
    /// Its absolute path.
    pub root: String,
    /// The open session's id, or else that of the last one; empty where there was none.
    pub session: String,
    /// The session log's absolute path.
    pub log: String,
    /// Calls made in this session.
    pub calls: u64,
    /// Calls of this session by the way that they came: a tool of ours (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`,
    /// `ide`, `acp`), or a change by another program (`outside`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ways: BTreeMap<Door, u64>,
    /// Agents seen in this session.
    pub agents: Vec<String>,
    /// Calls running now.
    pub running: u32,
    /// Hunks that wait for a decision.
    pub pending_hunks: u32,
    /// Files with such hunks.
    pub pending_files: u32,
    /// Hunks that a policy applied and no person has looked at.
    pub unreviewed_hunks: u32,
    /// What is not as it should be: a definition refused, a setting ignored.
    pub problems: Vec<String>,
    /// The servers of the Model Context Protocol that its settings name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerStatus>,
    /// How its files are watched; absent where no process stays to watch them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchStatus>,
}

/// One server of the Model Context Protocol in the answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// Its name in the settings.
    pub name: String,
    /// Whether the project names it, and not the person.
    pub of_project: bool,
    /// Whether it runs, or is connected to.
    pub running: bool,
    /// Whether it is reached at a URL, and no program is started.
    pub remote: bool,
    /// Whether its program is run in a sandbox.
    pub confined: bool,
    /// What confines it, where it runs in a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// The forms that several tools are put into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComposeForm {
    /// One schema whose `calls` a model fills: the Tool Protocol.
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

/// One tool of `wherefore/list`, with no schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct ToolSummary {
    /// Its dotted name.
    pub name: String,
    /// The node it stands under.
    pub category: String,
    /// One line.
    pub summary: String,
    /// `read`, `write`, `execute` or `network`.
    #[schemars(with = "String")]
    pub risk: Risk,
    /// The activity that runs it; empty means latent.
    pub activity: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
}
