//! A call as it arrives at a door, before anything was checked.

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
    /// An agent's own tool, over its hooks: `wherefore hook`.
    Hook,
    /// An agent's own tool, over its connection to an IDE.
    Ide,
    /// An agent's own tool, over the Agent Client Protocol.
    Acp,
    /// Nobody that we know: the file changed on the disk.
    Outside,
}

impl Door {
    /// Its name, as the log has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lsp => "lsp",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Agent => "agent",
            Self::Hook => "hook",
            Self::Ide => "ide",
            Self::Acp => "acp",
            Self::Outside => "outside",
        }
    }

    /// Whether whoever came by it reads the envelope of a call: what is told beside a result is lost in another.
    pub fn reads_envelopes(self) -> bool {
        !matches!(self, Self::Hook | Self::Ide | Self::Outside)
    }

    /// Whether what comes by it is no call of ours but an act of somebody else's, which need not state its reason.
    pub fn is_native(self) -> bool {
        matches!(self, Self::Hook | Self::Ide | Self::Acp | Self::Outside)
    }
}

/// Who called.
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
    /// The agent's own tool that the call stands for, as `Edit`; none where the agent called one of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Further ids that the agent sent along, as of its turn or trace.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
}

impl Origin {
    /// An origin that knows only its door.
    pub fn door(door: Door) -> Self {
        Self { door, ..Self::default() }
    }

    /// Who called, as a person says it: the agent's name, or the way in where it has none.
    pub fn who(&self) -> &str {
        self.agent.as_deref().unwrap_or(match self.door {
            Door::Lsp => "the editor",
            Door::Cli => "the command line",
            Door::Mcp | Door::Agent | Door::Hook | Door::Ide | Door::Acp => "an agent",
            Door::Outside => "another program",
        })
    }

    /// The one who called, without this call's own ids.
    pub fn caller(&self) -> Self {
        Self { call: None, tool: None, ids: BTreeMap::new(), ..self.clone() }
    }

    /// Whether an agent called, as far as is known.
    pub fn is_agent(&self) -> bool {
        let is_agents = matches!(self.door, Door::Mcp | Door::Agent | Door::Hook | Door::Ide | Door::Acp);
        is_agents || self.agent.is_some()
    }

    /// The agent's name without its version.
    pub fn bare_name(&self) -> Option<&str> {
        self.agent.as_deref().and_then(|agent| agent.split('/').next())
    }

    /// Whether the agent has that name, which may stand with its version or without; case does not count.
    pub fn is_named(&self, name: &str) -> bool {
        let [agent, bare] = [self.agent.as_deref(), self.bare_name()];
        [agent, bare].into_iter().flatten().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whom decisions made later are kept for: the agent's name, or the door's where it has none.
    pub fn addressee(&self) -> String {
        match (&self.agent, &self.session) {
            (Some(agent), Some(session)) => format!("{agent}#{session}"),
            (Some(agent), None) => agent.clone(),
            (None, Some(session)) => format!("{:?}#{session}", self.door).to_lowercase(),
            (None, None) => format!("{:?}", self.door).to_lowercase(),
        }
    }
}

impl RawCall {
    /// Reads a call, in our own form or filled by the Tool Protocol: an object with `_tool` and no `tool`.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn read(value: Value) -> Result<Self, String> {
        if value.get("_tool").is_some_and(Value::is_string) && value.get("tool").is_none() {
            return Ok(Self { arguments: value, ..Self::default() });
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}

/// How an agent came to a call: what the server knows of it, and no client says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lead {
    /// The call whose answer led to this one: the tool's expansion, or the search that found it.
    pub follows: Option<CallId>,
    /// What the agent should do better next time.
    pub warning: Option<String>,
    /// Why it is refused, whatever its arguments are.
    pub bar: Option<Fault>,
}

/// One tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]

pub struct RawCall {
    /// The tool's name or one of its aliases.
    pub tool: String,
    /// An object, or a JSON string that holds one.
    #[serde(default)]
    pub arguments: Value,
    /// Who called.
    #[serde(default)]
    pub origin: Origin,
    /// Comments of the model's on its own arguments, by path (`args.path`): kept in the log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub comments: BTreeMap<String, String>,
    /// The activity asked for instead of the tool's own; empty means latent.
    #[serde(default, rename = "_activity", skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// The review policy asked for; settings can only make it stricter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// How its caller came to it.
    #[serde(skip)]
    pub lead: Lead,
}
