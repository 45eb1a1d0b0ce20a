//! The formats of git notes that are written in addition to the own format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[notes]`: the notes that are written in addition to `refs/notes/wherefore`. Ignored in a project's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoteSettings {
    /// True if a commit's note is written under `refs/notes/ai` too, by the Git AI Standard 3.0.0.
    pub git_ai: bool,
    /// True if a commit's note is written under `refs/notes/agent-trace` too, as an Agent Trace record.
    pub agent_trace: bool,
}
