//! Messages of a person to an agent, apart from decisions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::{HunkId, ProposalId, WorkspacePath};

/// Characters of a message at most, and of the text that it quotes.
pub const LONGEST_MESSAGE: usize = 4000;

/// Messages that wait for their agents at most; the newest are kept.
pub const WAITING_MESSAGES: usize = 20;

/// Lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineSpan {
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line, which belongs to it.
    pub last: u32,
}

/// Params of `wherefore/send`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SendParams {
    /// The person's message; it may be empty if lines or diagnostics are sent.
    pub text: String,
    /// The file: relative to the root, absolute, or a `file:` URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The lines of the file that are quoted, as the editor shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSpan>,
    /// Diagnostics of language servers for the file, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// The proposal that the message comments on. It decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// The hunk of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk: Option<HunkId>,
    /// The agent, by its name with or without its version. A comment goes to the agent that made the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/send`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendAnswer {
    /// The agent whose next result brings the message; none if no agent is known: the first agent that calls gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Messages that wait for their agents, this one among them.
    pub waiting: u32,
    /// Parts that were left out, with the reason, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Words of the person for an agent, brought with the agent's next result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonMessage {
    /// When they were sent, RFC 3339.
    pub sent: String,
    /// The person's words.
    pub text: String,
    /// The file, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WorkspacePath>,
    /// The lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSpan>,
    /// The lines as the editor showed them, or the hunk's lines with `-` and `+` before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    /// Diagnostics of language servers there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// The proposal that the message comments on; it decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// The hunk of the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<HunkId>,
}
