//! The approval mode that an agent reports with a call: the calls that it makes without a question to its person.

use super::{HookMessage, NativeAct};

/// Modes in which every call is made.
const ALL: [&str; 2] = ["bypassPermissions", "yolo"];
/// Modes in which edits are made.
const EDITS: [&str; 5] = ["acceptEdits", "auto", "auto-edit", "auto_edit", "autoEdit"];

impl HookMessage {
    /// Returns whether the agent says that it makes such a call without asking anybody. Gemini CLI and Copilot CLI do
    /// not say their mode.
    pub fn asks_nobody_about(&self, act: &NativeAct) -> bool {
        self.mode.as_deref().is_some_and(|mode| ALL.contains(&mode) || act.is_edit() && EDITS.contains(&mode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::hook_agent;

    #[test]
    fn a_mode_that_makes_each_call_asks_nobody() {
        let command = NativeAct::Command { script: "make".to_owned() };
        let edit = NativeAct::Write { path: "a.txt".to_owned(), content: String::new() };
        for (mode, of_command, of_edit) in [
            ("bypassPermissions", true, true),
            ("yolo", true, true),
            ("acceptEdits", false, true),
            ("auto-edit", false, true),
            ("default", false, false),
            ("plan", false, false),
        ] {
            let text = format!(r#"{{"tool_name":"Bash","tool_input":{{}},"permission_mode":"{mode}"}}"#);
            let message = HookMessage::read(Some(hook_agent("claude")), Some("PreToolUse"), &text).unwrap();
            assert_eq!(message.asks_nobody_about(&command), of_command, "{mode}");
            assert_eq!(message.asks_nobody_about(&edit), of_edit, "{mode}");
        }
    }
}
