//! Settings: the person's `config.toml`, tightened by the project's.

mod activities;
mod commands;
mod embeddings;
mod fetch;
mod git;
mod model;
mod native;
mod network;
mod notes;
mod sandbox;
mod servers;
mod storage;
mod telemetry;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::watch_status::WatchBackend;

pub use activities::{ActivitySettings, is_environment_name};
pub use commands::{AllowedCommand, CommandRuleSettings};
pub use embeddings::{EmbeddingSettings, VectorStoreSettings};
pub use fetch::FetchSettings;
pub use git::{CommitDecision, GitSettings};
pub use model::{ModelApi, ModelSettings, PromptSize};
pub use native::{NativeSettings, WhenAway};
pub use network::{AllowedHost, NetworkRuleSettings};
pub use notes::NoteSettings;
pub use sandbox::{CommandEffects, IgnoredEffects, PortForwarding, SandboxSettings, WithoutOverlay};
pub use servers::{ForwardWhy, Import, McpServer};
pub use storage::StorageSettings;
pub use telemetry::TelemetrySettings;

/// The policy for a proposed change. Ordered from the loosest to the strictest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Applied at once; reviewable and revertible afterwards.
    Auto,
    /// Shown in the editor and decided there; `hold` if no editor is attached.
    #[default]
    Ask,
    /// Kept pending until someone decides.
    Hold,
    /// Refused.
    Deny,
}

/// A policy for some tools and paths. The last matching rule counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyRule {
    /// A glob over tool names; every tool when absent.
    pub tool: Option<String>,
    /// A glob over paths relative to the root; every path when absent.
    pub path: Option<String>,
    /// The policy for matching changes.
    pub policy: Policy,
}

/// `[review]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// The policy for a change that no rule matches.
    pub policy: Policy,
    /// Rules by tool and path.
    pub rules: Vec<PolicyRule>,
    /// Seconds that a call waits for decisions before it answers `pending`. By default the time that the agent's
    /// entry states for its client, or else 45.
    pub wait_s: Option<u64>,
}

impl ReviewSettings {
    /// The default wait in seconds for a client with no known limit, below the shortest limit of a known client.
    const UNKNOWN_CLIENT_S: u64 = 45;

    /// The time that a call waits for decisions; `client_s` is the wait in seconds that the caller's client supports.
    pub fn decision_timeout(&self, client_s: Option<u64>) -> Duration {
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

/// The detail of the session log. Ordered from the least to the most.
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

/// The moment at which written log data is synced to the disk.
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
    /// The detail of the session log.
    pub verbosity: Verbosity,
    /// The moment at which it is synced to the disk.
    pub durability: Durability,
    /// Bytes after which a log is continued in a new part.
    pub rotate_bytes: u64,
    /// Bytes of one value above which it is stored in its own file and referenced by hash.
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

/// The calls that the editor shows as messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShowCalls {
    /// Every call.
    #[default]
    All,
    /// Calls that change something, and faults.
    Writes,
    /// None.
    None,
}

/// `[notify]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifySettings {
    /// The calls that are shown as messages.
    pub show: ShowCalls,
    /// Messages a second above which further ones are folded into one.
    pub per_second: u32,
    /// True if a desktop notification reports a pending change when no editor shows it. Ignored in a project's file.
    pub desktop: bool,
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self { show: ShowCalls::default(), per_second: 4, desktop: false }
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
    /// Read or written only after the person agreed.
    pub ask: Vec<String>,
    /// Exceptions from the built-in sensitive paths. Ignored in a project's file. `.git` and `.wherefore` stay closed
    /// in any case.
    pub allow: Vec<String>,
    /// Another name of `commands.deny`, for settings that come from elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden_patterns: Vec<String>,
    /// Rules for commands.
    pub commands: CommandRuleSettings,
    /// The hosts that are reached without a question.
    pub network: NetworkRuleSettings,
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

/// The way that tools are offered to agents.
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

/// The treatment of a call of a tool that its agent never expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequireExpand {
    /// It is made.
    Off,
    /// It is made, and its result warns about it; if its arguments are invalid, the fault includes the schema.
    #[default]
    Warn,
    /// It is refused, and the fault includes the schema.
    Refuse,
}

/// `[discovery]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverySettings {
    /// The way that tools are offered to agents.
    pub surface: Surface,
    /// The number of tools up to which `auto` lists each of them.
    pub direct_up_to: usize,
    /// The treatment of a call, made through `call_tool`, of a tool that its agent never expanded.
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
    /// Tokens that a context of the working set may hold, unless `.wherefore/working-set.yml` sets another budget.
    pub budget: u64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { half_life_min: 30, budget: 32_000 }
    }
}

/// `[watch]`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WatchSettings {
    /// The back end that detects changes of files. It counts when a server starts.
    pub backend: WatchBackend,
}

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Review of proposed changes.
    pub review: ReviewSettings,
    /// Checks of reasons.
    pub why: WhySettings,
    /// The session log.
    pub log: LogSettings,
    /// Notifications in the editor.
    pub notify: NotifySettings,
    /// Paths that are off limits.
    pub rules: RuleSettings,
    /// Sizes and counts.
    pub limits: LimitSettings,
    /// Discovery of tools by agents.
    pub discovery: DiscoverySettings,
    /// The working set.
    pub memory: MemorySettings,
    /// The watch on the workspace's files.
    pub watch: WatchSettings,
    /// The sandbox that commands run in.
    pub sandbox: SandboxSettings,
    /// Treatment of what commands do to the repository.
    pub git: GitSettings,
    /// Hosts that can be fetched beyond the public internet.
    pub fetch: FetchSettings,
    /// Treatment of the edits, commands and reads of an agent's own tools.
    pub native: NativeSettings,
    /// Retention of stored data.
    pub storage: StorageSettings,
    /// The model by which tools and files are also found, by meaning; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<EmbeddingSettings>,
    /// The language model that wherefore's own agent asks; a server on this machine is looked for when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSettings>,
    /// The collector that calls are exported to; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<TelemetrySettings>,
    /// Additional formats of git notes; only the own format when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<NoteSettings>,
    /// Servers whose tools are called like built-in ones, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// The environment that tools run in: dev, test, prod, or one of `activities`; prod when absent. `WHEREFORE_ENV` and
    /// `--env` come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The activities that replace those of the tools' definitions, by environment and tool.
    #[serde(deserialize_with = "activities::read_tables")]
    pub activities: BTreeMap<String, BTreeMap<String, ActivitySettings>>,
    /// True if the project chose the environment, and not the person.
    #[serde(skip)]
    pub is_environment_of_project: bool,
}
