//! What a hook asks the folder's server, and what that answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NativeAct;
use crate::protocol::Origin;

/// A call of an agent's own tool, before it acts or after.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NativeParams {
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The folder that the agent works in, which its relative paths start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether the tool has acted already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    /// What the call does.
    pub act: NativeAct,
    /// The agent, its session, its id of the call and its tool. The door is the server's to say.
    pub origin: Origin,
    /// Whether the reason was not looked for yet: finding it may take a while, and is not always needed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// The reason in the agent's own words; none where it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Seconds that a person's decisions are waited for.
    pub wait_s: u64,
}

/// What becomes of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeAnswer {
    /// What the agent is to do.
    pub verdict: NativeVerdict,
    /// What its model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

/// What the agent is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeVerdict {
    /// Go on as if nobody had looked.
    #[default]
    Pass,
    /// Ask again, with the reason.
    Reason,
    /// Leave the call: it is done, refused, or waits for a person.
    Leave,
    /// Run the command in the sandbox.
    Confine,
}

impl NativeAnswer {
    /// An answer with words.
    pub fn new(verdict: NativeVerdict, told: impl Into<String>) -> Self {
        Self { verdict, told: Some(told.into()).filter(|told: &String| !told.is_empty()) }
    }
}
