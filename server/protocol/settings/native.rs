//! `[native]`: what becomes of the edits, commands and reads of an agent's own tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of an agent's own tool where nobody is there to review what it does. Ordered from the loosest to the
/// strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenAway {
    /// It runs, and the agent does not ask about it.
    Allow,
    /// The agent's own permission rules decide, as if wherefore were not installed.
    #[default]
    Ask,
    /// It is refused.
    Deny,
}

/// The agent whose connection to its editor's official extension wherefore takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdeSlot {
    /// None.
    #[default]
    Off,
    /// Claude Code.
    ClaudeCode,
    /// Gemini CLI.
    GeminiCli,
}

impl IdeSlot {
    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ClaudeCode => "claude-code",
            Self::GeminiCli => "gemini-cli",
        }
    }
}

/// `[native]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NativeSettings {
    /// What becomes of a call where no server can be had.
    pub when_away: WhenAway,
    /// Refuse an edit with no reason, and tell the model how to give one.
    pub require_why: bool,
    /// Run commands in the sandbox.
    pub confine: bool,
    /// Offer what changes on the disk by nobody that we know for review afterwards.
    pub outside: bool,
    /// Stand where the official extension of this agent stands, while an editor has the folder open. A project may only turn
    /// it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ide: Option<IdeSlot>,
}

impl NativeSettings {
    /// The slot that is taken.
    pub fn slot(&self) -> IdeSlot {
        self.ide.unwrap_or_default()
    }
}

impl Default for NativeSettings {
    fn default() -> Self {
        Self { when_away: WhenAway::default(), require_why: false, confine: true, outside: true, ide: None }
    }
}
