//! The origin of a file's lines: the call that each comes from, its author and the decision on it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::hidden::shorten_to_line;
use crate::base::{CallId, HunkId, WorkspacePath};

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineBy {
    /// An agent, by a call.
    Agent,
    /// A person.
    Human,
    /// An agent and a person.
    Mixed,
    /// An author from before anything was logged of the line: git knows.
    Git,
    /// The author is unknown.
    Unknown,
}

impl LineBy {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
            Self::Mixed => "mixed",
            Self::Git => "git",
            Self::Unknown => "unknown",
        }
    }
}

/// A call that lines come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineCall {
    /// The session that holds it.
    pub session: String,
    /// The call.
    pub call: CallId,
    /// The hunk, if it is known which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<HunkId>,
    /// The tool; absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The agent, or the door if the agent did not say its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The reason for the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The decision on the hunk: `accepted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The one who decided: `person`, `policy`, `client`, `editor`, `recovery`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The person's reason for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was decided, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// A commit that lines were last changed in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineCommit {
    /// Its author's name.
    pub author: String,
    /// Its author's address.
    pub mail: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// The offset of its clock, as `+0100`.
    pub zone: String,
    /// The first line of its message.
    pub summary: String,
}

/// Consecutive lines with the same known origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineGroup {
    /// The first line, counted from 1.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// Their author.
    pub by: LineBy,
    /// The call that they come from, by its place in `calls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// The commit, by hash: a key of `commits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The first line as the commit has it, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_line: Option<u32>,
}

/// The reasons for the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineWhys {
    /// The file.
    pub path: WorkspacePath,
    /// The number of lines of the file.
    pub total: u32,
    /// The lines that were asked for.
    pub groups: Vec<LineGroup>,
    /// The calls that they come from.
    pub calls: Vec<LineCall>,
    /// The commits that they were last changed in, by hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commits: BTreeMap<String, LineCommit>,
    /// Sessions of these calls whose logs were altered or cut, by name, each with the state of its log. The data on
    /// their calls was recorded outside of the workspace, and is not from the log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub altered: BTreeMap<String, String>,
    /// Uncertainties of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl LineWhys {
    /// `altered`, if the session log that holds a call was.
    pub fn log_of(&self, call: &LineCall) -> Option<&'static str> {
        self.altered.contains_key(&call.session).then_some("altered")
    }

    /// Warnings that logs were altered, a sentence each.
    pub fn altered_warnings(&self) -> impl Iterator<Item = String> {
        self.altered.iter().map(|(session, said)| {
            let session = shorten_to_line(session, 80);
            format!(
                "the log of session {session} is {said}: nothing here is taken from it; `wherefore log verify {session}` says \
                 more"
            )
        })
    }
}
