//! Settings: the person's `config.toml`, tightened by the project's.

mod commands;
mod embeddings;
mod fetch;
mod model;
mod native;
mod notes;
mod sandbox;
mod servers;
mod storage;
mod telemetry;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use commands::{AllowedCommand, CommandRuleSettings};
pub use embeddings::{EmbeddingSettings, VectorStoreSettings};
pub use fetch::FetchSettings;
pub use model::{ModelApi, ModelSettings, PromptSize};
pub use native::{IdeSlot, NativeSettings, WhenAway};
pub use notes::NoteSettings;
pub use sandbox::{CommandEffects, SandboxSettings};
pub use servers::{ForwardWhy, Import, McpServer};
pub use storage::StorageSettings;
pub use telemetry::TelemetrySettings;

/// What becomes of a proposed change. Ordered from the loosest to the strictest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Applied at once; reviewable and revertible afterwards.
    Auto,
    /// Shown in the editor and decided there; `hold` where no editor is attached.
    #[default]
    Ask,
    /// Kept pending until someone decides.
    Hold,
    /// Refused.
    Deny,
}

/// A policy for some tools and paths. The last one that matches counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyRule {
    /// A glob over tool names; every tool when absent.
    pub tool: Option<String>,
    /// A glob over paths relative to the root; every path when absent.
    pub path: Option<String>,
    /// What becomes of what matches.
    pub policy: Policy,
}

/// `[review]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// What becomes of a change that no rule names.
    pub policy: Policy,
    /// Rules by tool and path.
    pub rules: Vec<PolicyRule>,
    /// Seconds that a call waits for decisions before it answers `pending`. Where none are set: as long as the agent's entry
    /// says that its client waits, else 45.
    pub wait_s: Option<u64>,
}

impl ReviewSettings {
    /// Seconds that a call waits whose client says nothing, below the shortest limit of a known client.
    const UNKNOWN_CLIENT_S: u64 = 45;

    /// How long a call waits for decisions; `client_s` are the seconds that the caller's client is said to wait.
    pub fn patience(&self, client_s: Option<u64>) -> Duration {
        Duration::from_secs(self.wait_s.or(client_s).unwrap_or(Self::UNKNOWN_CLIENT_S))
    }
}

/// `[why]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WhySettings {
    /// Refuse a mechanical or circular reason instead of warning.
    pub strict: bool,
}

/// How much the session log says. The order is from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// Calls, decisions and faults; results as their size and hash.
    Minimal,
    /// Results too, large ones by reference.
    #[default]
    Standard,
    /// Everything, with larger values inline.
    Verbose,
}

/// When what was written to the log is on the disk for sure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Before any call is answered.
    Always,
    /// Before a write begins and before it is answered; reads within a second.
    #[default]
    Batched,
}

/// `[log]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// How much the session log says.
    pub verbosity: Verbosity,
    /// When it is on the disk for sure.
    pub durability: Durability,
    /// Bytes after which a log is continued in a new part.
    pub rotate_bytes: u64,
    /// Bytes of one value above which it is stored beside the log and referenced by hash.
    pub inline_bytes: usize,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            verbosity: Verbosity::default(),
            durability: Durability::default(),
            rotate_bytes: 64 << 20,
            inline_bytes: 2048,
        }
    }
}

/// Which calls the editor shows as messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShowCalls {
    /// Every call.
    #[default]
    All,
    /// Those that change something, and faults.
    Writes,
    /// None.
    None,
}

/// `[notify]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifySettings {
    /// Which calls are shown as messages.
    pub show: ShowCalls,
    /// Messages a second above which further ones are folded into one.
    pub per_second: u32,
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self { show: ShowCalls::default(), per_second: 4 }
    }
}

/// `[rules]`: globs over paths relative to the root, matched without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSettings {
    /// Neither read nor written.
    pub deny: Vec<String>,
    /// Read, never written.
    pub read_only: Vec<String>,
    /// Read or written only after the person said so.
    pub ask: Vec<String>,
    /// Taken out of the built-in sensitive paths. Not heard in a project's file. `.git` and
    /// `.wherefore` stay closed whatever it says.
    pub allow: Vec<String>,
    /// What holds for commands.
    pub commands: CommandRuleSettings,
}

/// `[limits]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Bytes of file content that one result holds.
    pub output_bytes: usize,
    /// Entries of a listing, or matches of a search, that one result holds.
    pub output_items: usize,
    /// Bytes of the largest file that is edited.
    pub edit_bytes: u64,
    /// Calls that run at one time; further ones wait.
    pub running: usize,
    /// Calls that wait; further ones are refused.
    pub waiting: usize,
    /// Proposals that wait for a decision; further ones are refused.
    pub held: usize,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            output_bytes: 256 << 10,
            output_items: 1000,
            edit_bytes: 64 << 20,
            running: 64,
            waiting: 16_384,
            held: 1000,
        }
    }
}

/// How tools are offered to agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Directly, unless there are more than `direct_up_to`.
    #[default]
    Auto,
    /// Each tool is listed with its schema.
    Direct,
    /// Only the operations that find, show and call tools are listed.
    Discovery,
}

/// What becomes of a call of a tool that its agent never expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequireExpand {
    /// It is made.
    Off,
    /// It is made, and its result says so; where it fails for its arguments, the fault brings the schema.
    #[default]
    Warn,
    /// It is refused, and the fault brings the schema.
    Refuse,
}

/// `[discovery]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverySettings {
    /// How tools are offered to agents.
    pub surface: Surface,
    /// Tools up to which `auto` lists each of them.
    pub direct_up_to: usize,
    /// What becomes of a call, made through `call_tool`, of a tool that its agent never expanded.
    pub require_expand: RequireExpand,
}

impl Default for DiscoverySettings {
    fn default() -> Self {
        Self { surface: Surface::default(), direct_up_to: 40, require_expand: RequireExpand::default() }
    }
}

/// `[memory]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// Minutes of activity after which a touch counts half.
    pub half_life_min: u32,
    /// Tokens that a context of the working set may hold, where `.wherefore/working-set.yml` says nothing.
    pub budget: u64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { half_life_min: 30, budget: 32_000 }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What becomes of proposed changes.
    pub review: ReviewSettings,
    /// How reasons are judged.
    pub why: WhySettings,
    /// The session log.
    pub log: LogSettings,
    /// What the editor shows.
    pub notify: NotifySettings,
    /// Paths that are off limits.
    pub rules: RuleSettings,
    /// Sizes and counts.
    pub limits: LimitSettings,
    /// How agents find tools.
    pub discovery: DiscoverySettings,
    /// The working set.
    pub memory: MemorySettings,
    /// The sandbox that commands run in.
    pub sandbox: SandboxSettings,
    /// What is fetched beside the public internet.
    pub fetch: FetchSettings,
    /// What becomes of the edits, commands and reads of an agent's own tools.
    pub native: NativeSettings,
    /// How long what is kept stays.
    pub storage: StorageSettings,
    /// The model that tools and files are found with too, by what they mean; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<EmbeddingSettings>,
    /// The language model that wherefore's own agent asks; a server on this machine is looked for when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSettings>,
    /// The collector that calls are exported to; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<TelemetrySettings>,
    /// What git notes are written in, beside our own form; nothing else when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<NoteSettings>,
    /// Servers whose tools are called like our own, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
}
