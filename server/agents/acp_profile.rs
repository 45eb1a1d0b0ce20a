//! The manner of an agent that speaks the Agent Client Protocol: how it writes, and where it shows feedback to its model.
//!
//! Seen with gemini-cli 0.61, qwen-code 0.24, OpenCode 1.18, claude-agent-acp 0.101 and codex-acp 2.6.

/// The behaviour of an agent with an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcpProfile {
    /// The name that it gives to its client.
    pub name: &'static str,
    /// The answer to a permission whose whole change is in place already.
    pub permission_reply: PermissionReply,
    /// The channel for the outcome of a change that it asked permission for.
    pub feedback: FeedbackChannel,
    /// True if it shows the error of a write to its model.
    pub shows_errors: bool,
    /// True if it treats any error of a read as a failure, so that a missing file has to read as empty.
    pub reads_missing_as_empty: bool,
    /// The id of the mode in which it asks permission for every edit; none if it has no other modes.
    pub ask_mode: Option<&'static str>,
}

/// The answer to a permission whose whole change was accepted, and written by wherefore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionReply {
    /// Nothing is decided at the permission: the agent writes through the editor, and the change is decided there.
    DecideAtWrite,
    /// Yes: the agent writes the same text again.
    AllowWrite,
    /// Yes: the agent reads the text again, changes it, and writes it through the editor.
    AllowAfterRead,
    /// No, with the reason: the agent would apply its change a second time.
    RefuseWithWords,
}

/// The channel for a text to the model with a refused permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackChannel {
    /// The agent shows its model the id of an option that it does not know, in the tool's result.
    OptionId,
    /// No channel: the texts follow as a prompt of their own when its turn ends.
    NextPrompt,
}

impl AcpProfile {
    /// An unknown agent is assumed to write by itself as soon as it is allowed to, without further checks.
    pub const UNKNOWN: Self = Self {
        name: "",
        permission_reply: PermissionReply::RefuseWithWords,
        feedback: FeedbackChannel::NextPrompt,
        shows_errors: true,
        reads_missing_as_empty: false,
        ask_mode: None,
    };

    /// The profile of the agent of that name.
    pub fn of(name: &str) -> Self {
        super::ALL.iter().filter_map(|agent| agent.acp).find(|acp| acp.name == name).unwrap_or(Self::UNKNOWN)
    }
}
