//! Sample messages of agents' hooks, to try the hooks with.

use std::path::Path;

use serde_json::{Value, json};

use crate::agents::{HookAgent, MessageMembers, SampleCall};

impl HookAgent {
    /// The message of a call in `dir`; none if the agent has no such tool. `turn` is the file in which an agent records the
    /// sandbox of a turn.
    pub(in crate::cli) fn sample_message(
        self,
        dir: &Path,
        turn: &Path,
        call: SampleCall<'_>,
    ) -> Option<Value> {
        let (tool, input) = (self.sample)(call)?;
        let members = self.message.members;
        if members == MessageMembers::CamelCase {
            let message = json!({ "sessionId": "doctor", "timestamp": 0, "cwd": dir, "toolName": tool, "toolArgs": input });
            return Some(message);
        }
        let event = self.hook_events().first().copied().unwrap_or("PreToolUse");
        let mut message = json!({
            "session_id": "doctor",
            "transcript_path": turn,
            "cwd": dir,
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "doctor",
        });
        if members == MessageMembers::SnakeCaseWithTurn {
            message["turn_id"] = json!("doctor");
        }
        Some(message)
    }
}
