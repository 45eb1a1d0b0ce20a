//! The forms beside our own in which git notes are written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[notes]`: what is written beside `refs/notes/wherefore`. Not heard in a project's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoteSettings {
    /// Whether a commit's note is written under `refs/notes/ai` too, by the Git AI Standard 3.0.0.
    pub git_ai: bool,
    /// Whether a commit's note is written under `refs/notes/agent-trace` too, as an Agent Trace record.
    pub agent_trace: bool,
}
