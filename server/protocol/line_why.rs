//! Why lines of a file are as they are: which call each comes from, by whom and how it was decided.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::hidden::short;
use crate::base::{CallId, HunkId, WorkspacePath};

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineBy {
    /// An agent, by a call.
    Agent,
    /// A person.
    Human,
    /// An agent and a person.
    Mixed,
    /// Whoever wrote it before anything was logged of it: git knows.
    Git,
    /// Nobody knows.
    Unknown,
}

impl LineBy {
    /// The word for it.
    pub fn word(self) -> &'static str {
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
    /// The hunk, where it is known which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<HunkId>,
    /// The tool; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The agent, or the door where the agent did not say its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Why it was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What was decided on the hunk: `accepted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Who decided: `person`, `policy`, `client`, `editor`, `recovery`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The person's word on the decision.
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

/// Lines that follow on each other and have all in common that is known of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineGroup {
    /// The first line, counted from 1.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// Who wrote them.
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

/// Why lines of a file are as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineWhys {
    /// The file.
    pub path: WorkspacePath,
    /// How many lines it has.
    pub total: u32,
    /// The lines that were asked for.
    pub groups: Vec<LineGroup>,
    /// The calls that they come from.
    pub calls: Vec<LineCall>,
    /// The commits that they were last changed in, by hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commits: BTreeMap<String, LineCommit>,
    /// Sessions of these calls whose logs were altered or cut, by name, each with how its log stands. What is said here of
    /// their calls was recorded outside of the workspace, and is not from the log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub altered: BTreeMap<String, String>,
    /// What is not certain of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl LineWhys {
    /// `altered`, where the session log that holds a call was.
    pub fn log_of(&self, call: &LineCall) -> Option<&'static str> {
        self.altered.contains_key(&call.session).then_some("altered")
    }

    /// That logs were altered, a sentence each.
    pub fn altered_warnings(&self) -> impl Iterator<Item = String> {
        self.altered.iter().map(|(session, said)| {
            let session = short(session, 80);
            format!(
                "the log of session {session} is {said}: nothing here is taken from it; `wherefore log verify {session}` says \
                 more"
            )
        })
    }
}
