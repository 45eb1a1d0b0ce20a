//! `[native]`: the treatment of the edits, commands and reads of an agent's own tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The treatment of an agent's own tool when no one is there to review its effects. Ordered from the loosest to the
/// strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenAway {
    /// It runs, and the agent does not ask about it.
    Allow,
    /// The agent's own permission rules decide, as if wherefore were not installed. In a mode of the agent's that asks
    /// nobody, the call is refused.
    #[default]
    Ask,
    /// It is refused.
    Deny,
}

/// `[native]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NativeSettings {
    /// The treatment of a call when no server can be reached.
    pub when_away: WhenAway,
    /// Refuse an edit with no reason, and tell the model how to give one.
    pub require_why: bool,
    /// Run commands in the sandbox.
    pub confine: bool,
    /// Offer changes on the disk by unknown programs for review afterwards.
    pub outside: bool,
}

impl Default for NativeSettings {
    fn default() -> Self {
        Self { when_away: WhenAway::default(), require_why: false, confine: true, outside: true }
    }
}
