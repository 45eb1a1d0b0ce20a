//! A call as it arrives at a door, before any check.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fault, Policy};
use crate::base::CallId;

/// The way a call came in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// A language client, over `wherefore/call` or `workspace/executeCommand`.
    Lsp,
    /// An agent, over the Model Context Protocol.
    Mcp,
    /// A person or a script, over `wherefore call`.
    #[default]
    Cli,
    /// The built-in agent loop.
    Agent,
    /// An agent's own tool, over its hooks: `wherefore hook`. Logs of earlier versions say `ide` of a door that is gone.
    #[serde(alias = "ide")]
    Hook,
    /// An agent's own tool, over the Agent Client Protocol.
    Acp,
    /// An unknown program: the file changed on the disk.
    Outside,
}

impl Door {
    /// Returns its name in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lsp => "lsp",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Agent => "agent",
            Self::Hook => "hook",
            Self::Acp => "acp",
            Self::Outside => "outside",
        }
    }

    /// Returns whether callers of this door read the envelope of a call; otherwise all of it but the result is lost.
    pub fn reads_envelopes(self) -> bool {
        !matches!(self, Self::Hook | Self::Outside)
    }

    /// Returns whether calls of this door are acts of other programs, which need not state their reason.
    pub fn is_native(self) -> bool {
        matches!(self, Self::Hook | Self::Acp | Self::Outside)
    }
}

/// The caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Origin {
    /// The way in. A door sets it itself; what a client claims is not used.
    pub door: Door,
    /// The agent's name and version, as `claude-code/2.1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent's session at that door.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's own id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The agent's own tool that the call represents, such as `Edit`; none if the agent called a tool of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Further ids that the agent sent along, as of its turn or trace.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
}

impl Origin {
    /// An origin that knows only its door.
    pub fn from_door(door: Door) -> Self {
        Self { door, ..Self::default() }
    }

    /// The caller's name for people: the agent's name, or else the way in.
    pub fn display_name(&self) -> &str {
        self.agent.as_deref().unwrap_or(match self.door {
            Door::Lsp => "the editor",
            Door::Cli => "the command line",
            Door::Mcp | Door::Agent | Door::Hook | Door::Acp => "an agent",
            Door::Outside => "another program",
        })
    }

    /// The caller, without the ids of this call.
    pub fn without_call_ids(&self) -> Self {
        Self { call: None, tool: None, ids: BTreeMap::new(), ..self.clone() }
    }

    /// Returns whether an agent is known to have called.
    pub fn is_agent(&self) -> bool {
        let is_agents = matches!(self.door, Door::Mcp | Door::Agent | Door::Hook | Door::Acp);
        is_agents || self.agent.is_some()
    }

    /// The agent's name without its version.
    pub fn bare_name(&self) -> Option<&str> {
        self.agent.as_deref().and_then(|agent| agent.split('/').next())
    }

    /// Returns whether the agent has that name, with or without its version, in any case.
    pub fn is_named(&self, name: &str) -> bool {
        let [agent, bare] = [self.agent.as_deref(), self.bare_name()];
        [agent, bare].into_iter().flatten().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// The key under which later decisions are kept: the agent's name, or else the door's.
    pub fn delivery_key(&self) -> String {
        match (&self.agent, &self.session) {
            (Some(agent), Some(session)) => format!("{agent}#{session}"),
            (Some(agent), None) => agent.clone(),
            (None, Some(session)) => format!("{:?}#{session}", self.door).to_lowercase(),
            (None, None) => format!("{:?}", self.door).to_lowercase(),
        }
    }
}

impl RawCall {
    /// Returns whether a value is a call in the form of the Tool Protocol, not of this program: an object with
    /// `_tool` and no `tool`.
    pub fn is_filled(value: &Value) -> bool {
        value.get("_tool").is_some_and(Value::is_string) && value.get("tool").is_none()
    }

    /// A call in the form of the Tool Protocol.
    pub fn from_filled(arguments: Value) -> Self {
        Self { arguments, ..Self::default() }
    }
}

/// The context of a call that the server itself knows; no client supplies it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallContext {
    /// The call whose answer led to this one: the tool's expansion, or the search that found it.
    pub follows: Option<CallId>,
    /// A hint that the agent should do better next time.
    pub warning: Option<String>,
    /// The fault with which it is refused, whatever its arguments are.
    pub refusal: Option<Fault>,
}

/// A tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct RawCall {
    /// The tool's name or one of its aliases.
    pub tool: String,
    /// An object, or a JSON string that holds one.
    #[serde(default)]
    pub arguments: Value,
    /// The caller.
    #[serde(default)]
    pub origin: Origin,
    /// Comments of the model's on its own arguments, by path (`args.path`): kept in the log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub comments: BTreeMap<String, String>,
    /// The activity that runs the tool, as a composed schema states it; empty means latent. A call that states another
    /// one is refused.
    #[serde(default, rename = "_activity", skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// The environment whose activity runs the tool; the folder's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The review policy asked for; settings can only make it stricter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The context of the call.
    #[serde(skip)]
    pub lead: CallContext,
}
