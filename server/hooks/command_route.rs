//! The place where a command of an agent's own shell runs: in the agent's shell, by a command line of wherefore, or at
//! the server, while the agent's hook waits for its result.

use serde_json::Value;

use super::HookMessage;
use super::codex_sandbox::{CodexSandbox, read_sandbox};
use crate::agents::ShellPlace;

/// The place where a command of an agent's own shell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRoute {
    /// In the agent's shell: the hook writes the command line that confines it.
    Rewritten,
    /// In the agent's shell, by a command line that its model gets to run: the hook cannot change the command.
    GivenToModel,
    /// At the server. The hook answers with the result.
    AtServer,
}

impl HookMessage {
    /// The place where the call's command runs. A sandbox of the agent's keeps its commands from the server's socket. A
    /// background command has no result yet, which a hook could answer with.
    pub fn command_route(&self) -> CommandRoute {
        match self.agent.shell.place {
            ShellPlace::BySandbox if read_sandbox(self) == CodexSandbox::Off => CommandRoute::Rewritten,
            ShellPlace::BySandbox => CommandRoute::AtServer,
            ShellPlace::AtServer if self.runs_in_background() => CommandRoute::GivenToModel,
            ShellPlace::AtServer => CommandRoute::AtServer,
            ShellPlace::Rewritten => CommandRoute::Rewritten,
        }
    }

    /// Returns whether the agent is in a mode in which it may change nothing by itself; true if the mode cannot be read.
    pub fn is_read_only(&self) -> bool {
        let plans = self.mode.as_deref() == Some("plan");
        match self.agent.shell.place {
            ShellPlace::BySandbox => plans || read_sandbox(self) == CodexSandbox::ReadOnly,
            ShellPlace::AtServer => plans,
            ShellPlace::Rewritten => false,
        }
    }

    /// Returns whether the call's command runs in the background of the model's turn.
    pub fn runs_in_background(&self) -> bool {
        let flag = ["is_background", "run_in_background"].iter().find_map(|name| self.arguments.get(*name));
        let is_set = flag.is_some_and(|flag| match flag {
            Value::Bool(set) => *set,
            Value::String(text) => text.eq_ignore_ascii_case("true"),
            _ => false,
        });
        is_set || self.tool.eq_ignore_ascii_case("monitor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{HookAgent, hook_agent};

    fn message(agent: HookAgent, text: &str) -> HookMessage {
        HookMessage::read(Some(agent), Some("PreToolUse"), text).unwrap()
    }

    #[test]
    fn a_command_that_goes_on_is_left_to_the_agents_shell() {
        for (arguments, route) in [
            (r#"{"command":"ls"}"#, CommandRoute::AtServer),
            (r#"{"command":"ls","is_background":false}"#, CommandRoute::AtServer),
            (r#"{"command":"ls","is_background":true}"#, CommandRoute::GivenToModel),
            (r#"{"command":"ls","is_background":"true"}"#, CommandRoute::GivenToModel),
        ] {
            let text = format!(r#"{{"tool_name":"run_shell_command","tool_input":{arguments}}}"#);
            assert_eq!(message(hook_agent("qwen"), &text).command_route(), route, "{arguments}");
        }
        let monitor = r#"{"tool_name":"monitor","tool_input":{"command":"ls"}}"#;
        assert_eq!(message(hook_agent("qwen"), monitor).command_route(), CommandRoute::GivenToModel);
    }

    #[test]
    fn an_agent_that_plans_changes_nothing() {
        let read_only = |mode: &str| {
            let text = format!(r#"{{"tool_name":"run_shell_command","permission_mode":"{mode}"}}"#);
            message(hook_agent("qwen"), &text).is_read_only()
        };
        assert!(read_only("plan"));
        assert!(!read_only("default"));
    }
}
