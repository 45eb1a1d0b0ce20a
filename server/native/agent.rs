//! The agents whose hooks are answered.

use std::time::Duration;

use serde_json::Value;

/// An agent whose hooks are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum NativeAgent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// GitHub Copilot CLI
    Copilot,
    /// OpenCode, by our plugin
    Opencode,
}

impl NativeAgent {
    /// Its name in the session log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini-cli",
            Self::Qwen => "qwen-code",
            Self::Copilot => "copilot-cli",
            Self::Opencode => "opencode",
        }
    }

    /// The agent that sent a message, by the members which only its messages have. Copilot runs hooks in Claude Code's form
    /// too, and marks them with a time.
    pub fn of(message: &Value) -> Self {
        let has = |name: &str| message.get(name).is_some();
        match message.get("hook_event_name").and_then(Value::as_str) {
            _ if has("toolName") || has("toolArgs") => Self::Copilot,
            Some("BeforeTool" | "AfterTool" | "BeforeAgent") => Self::Gemini,
            _ if has("turn_id") => Self::Codex,
            _ => match (has("transcript_path"), has("timestamp")) {
                (true, true) => Self::Qwen,
                (true, false) => Self::Claude,
                (false, true) => Self::Copilot,
                (false, false) => Self::Opencode,
            },
        }
    }

    /// How long its hooks may take where its settings say nothing, less a margin: it then goes on without the answer.
    pub fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Self::Claude | Self::Codex => 590,
            Self::Gemini | Self::Qwen => 55,
            Self::Copilot => 25,
            Self::Opencode => 3500,
        })
    }

    /// The exit code of a hook that failed at which the agent goes on. Copilot refuses the call at any other.
    pub fn goes_on_at(self) -> u8 {
        if self == Self::Copilot { 0 } else { 1 }
    }

    /// Whether a hook of it may rewrite the arguments of a call.
    pub fn rewrites(self) -> bool {
        self != Self::Qwen
    }
}

#[cfg(test)]
mod tests {
    use super::NativeAgent;
    use serde_json::json;

    #[test]
    fn an_agent_is_known_by_its_message() {
        for (message, agent) in [
            (json!({ "toolName": "edit", "toolArgs": "{}" }), NativeAgent::Copilot),
            (json!({ "hook_event_name": "BeforeTool", "transcript_path": "" }), NativeAgent::Gemini),
            (json!({ "hook_event_name": "PreToolUse", "turn_id": "1" }), NativeAgent::Codex),
            (json!({ "hook_event_name": "PreToolUse", "transcript_path": "/t" }), NativeAgent::Claude),
            (json!({ "transcript_path": "/t", "timestamp": "now" }), NativeAgent::Qwen),
            (json!({ "hook_event_name": "PreToolUse", "timestamp": "now" }), NativeAgent::Copilot),
            (json!({ "hook_event_name": "PreToolUse" }), NativeAgent::Opencode),
        ] {
            assert_eq!(NativeAgent::of(&message), agent, "{message}");
        }
    }
}
