//! The request of a hook to the folder's server, and its answer.

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
    /// True if the tool has run already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    /// The action of the call.
    pub act: NativeAct,
    /// Further actions of the call: other places that are read or searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<NativeAct>,
    /// True if the agent's own tool must not run whatever the policy is: a shell was given an edit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_over: bool,
    /// The agent, its session, its id of the call and its tool. The door is the server's to say.
    pub origin: Origin,
    /// True if the reason was not looked for yet: finding it may take a while, and is not always needed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// The reason in the agent's own words; none where it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// True if the server runs the command and answers with its result: the agent's shell cannot.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub served: bool,
    /// True if the agent is in a mode in which it may change nothing by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// True if the agent accepts a yes that skips its own questions, but none of the person's own rules for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub takes_yes: bool,
    /// The way in which the agent's shell gets the command line that confines a command.
    #[serde(skip_serializing_if = "CommandStep::is_rewritten")]
    pub step: CommandStep,
    /// The token and the script of a command that an earlier answer let into the sandbox, where the agent runs that now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<CommandClaim>,
    /// Seconds that a person's decisions are waited for.
    pub wait_s: u64,
}

/// The way in which an agent's shell gets the command line that confines a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandStep {
    /// The hook writes it in the command's place.
    #[default]
    Rewritten,
    /// The hook leaves the command as it is: the agent's shell asks once more before it runs it.
    Announced,
    /// The agent's shell is about to run the command, and asks for it.
    Begun,
}

impl CommandStep {
    fn is_rewritten(&self) -> bool {
        *self == Self::Rewritten
    }
}

/// A command that the agent was given to run, by its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandClaim {
    /// The token in it.
    pub token: String,
    /// The script that it runs in the sandbox.
    pub script: String,
}

/// The decision on the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeAnswer {
    /// The instruction to the agent.
    pub verdict: NativeVerdict,
    /// The text for its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// The token by which the command runs in the sandbox, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The instruction to the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeVerdict {
    /// The agent continues as it would without a hook.
    #[default]
    Pass,
    /// Go on, with no question of the agent's. Rules of the person's that refuse or ask come before it.
    Allow,
    /// Ask again, with the reason.
    Reason,
    /// Leave the call: it is done, refused, or waits for a person.
    Leave,
    /// Run the command in the sandbox.
    Confine,
    /// Have the agent ask its own person first; leave the call where it cannot.
    Ask,
}

impl NativeAnswer {
    /// An answer with words.
    pub fn new(verdict: NativeVerdict, told: impl Into<String>) -> Self {
        let told = Some(told.into()).filter(|told: &String| !told.is_empty());
        Self { verdict, told, token: None }
    }

    /// The command runs in the sandbox, by this token.
    pub fn confine(token: String) -> Self {
        Self { verdict: NativeVerdict::Confine, told: None, token: Some(token) }
    }
}
