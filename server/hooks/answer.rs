//! The answer to an agent's hook, in the agent's form.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{HookMessage, HookMoment};
use crate::agents::HookAnswerForm;

/// The answer of a hook.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Nothing: the agent goes on as if there were no hook.
    Pass,
    /// The call is made, and the agent does not ask about it.
    Allow,
    /// The agent goes on, and its model gets this text.
    Tell(String),
    /// The call is not made, and the model gets the reason.
    Deny(String),
    /// The agent asks its person about the call, with the reason. Only for an agent that [`HookAgent::can_ask`](crate::agents::HookAgent::can_ask).
    Ask(String),
    /// The call is made with other arguments, and the agent does not ask about it.
    Rewrite(Value),
    /// The agent asks its person about the call, with these words, and makes it with other arguments. Only for an agent that
    /// [`HookAgent::can_ask`](crate::agents::HookAgent::can_ask).
    AskRewrite(Value, String),
    /// The call is made as it is, by a shell with these variables. Only for an agent whose message names its shell.
    Shell(BTreeMap<&'static str, String>),
}

impl HookAnswer {
    /// The answer in the form of the message's agent; none for [`HookAnswer::Pass`].
    pub fn format_for(&self, message: &HookMessage) -> Option<Value> {
        match message.agent.answer {
            HookAnswerForm::HookSpecificOutput => self.as_specific_output(message),
            HookAnswerForm::Decision => self.as_decision(message),
            // A hook in Claude Code's form, by the spelling of its event.
            HookAnswerForm::PermissionDecision if message.event.starts_with(char::is_uppercase) => {
                self.as_specific_output(message)
            }
            HookAnswerForm::PermissionDecision => self.as_permission_decision(message),
            HookAnswerForm::Verdict => self.as_verdict(),
        }
    }

    fn as_specific_output(&self, message: &HookMessage) -> Option<Value> {
        let mut inner = Map::from_iter([("hookEventName".to_owned(), json!(message.event))]);
        match self {
            Self::Pass | Self::Shell(_) => return None,
            Self::Allow => inner.extend([("permissionDecision".to_owned(), json!("allow"))]),
            // An agent with a form of its own does not read the words of a result inside the inner object.
            Self::Tell(words) if message.agent.answer == HookAnswerForm::PermissionDecision => {
                return Some(json!({ "additionalContext": words }));
            }
            Self::Tell(words) => inner.extend([("additionalContext".to_owned(), json!(words))]),
            Self::Deny(words) => inner.extend([
                ("permissionDecision".to_owned(), json!("deny")),
                ("permissionDecisionReason".to_owned(), json!(words)),
            ]),
            Self::Ask(words) => inner.extend([
                ("permissionDecision".to_owned(), json!("ask")),
                ("permissionDecisionReason".to_owned(), json!(words)),
            ]),
            Self::Rewrite(arguments) => inner.extend([
                ("permissionDecision".to_owned(), json!("allow")),
                ("updatedInput".to_owned(), arguments.clone()),
            ]),
            Self::AskRewrite(arguments, words) => inner.extend([
                ("permissionDecision".to_owned(), json!("ask")),
                ("permissionDecisionReason".to_owned(), json!(words)),
                ("updatedInput".to_owned(), arguments.clone()),
            ]),
        }
        Some(json!({ "hookSpecificOutput": inner }))
    }

    fn as_decision(&self, message: &HookMessage) -> Option<Value> {
        let inner = |name: &str, value: Value| {
            Map::from_iter([("hookEventName".to_owned(), json!(message.event)), (name.to_owned(), value)])
        };
        match self {
            Self::Pass | Self::Shell(_) => None,
            Self::Allow => Some(json!({ "decision": "allow" })),
            Self::Tell(words) => {
                Some(json!({ "hookSpecificOutput": inner("additionalContext", json!(words)) }))
            }
            Self::Deny(words) | Self::Ask(words) | Self::AskRewrite(_, words) => {
                Some(json!({ "decision": "deny", "reason": words }))
            }
            Self::Rewrite(arguments) => Some(json!({
                "decision": "allow", "hookSpecificOutput": inner("tool_input", arguments.clone()),
            })),
        }
    }

    fn as_permission_decision(&self, message: &HookMessage) -> Option<Value> {
        match self {
            Self::Pass | Self::Shell(_) => None,
            Self::Allow => Some(json!({ "permissionDecision": "allow" })),
            Self::Tell(_) if message.moment == HookMoment::Before => None,
            Self::Tell(words) => Some(json!({ "additionalContext": words })),
            Self::Deny(words) | Self::Ask(words) | Self::AskRewrite(_, words) => {
                Some(json!({ "permissionDecision": "deny", "permissionDecisionReason": words }))
            }
            // Arguments that came as a bare string are returned as one.
            Self::Rewrite(arguments) => {
                let bare = arguments.get("input").filter(|_| message.is_bare);
                Some(json!({ "permissionDecision": "allow", "modifiedArgs": bare.unwrap_or(arguments) }))
            }
        }
    }

    fn as_verdict(&self) -> Option<Value> {
        match self {
            Self::Pass => None,
            Self::Allow => Some(json!({ "verdict": "allow" })),
            Self::Tell(words) => Some(json!({ "verdict": "allow", "told": words })),
            Self::Deny(words) | Self::Ask(words) | Self::AskRewrite(_, words) => {
                Some(json!({ "verdict": "deny", "told": words }))
            }
            Self::Rewrite(arguments) => Some(json!({ "verdict": "rewrite", "args": arguments })),
            Self::Shell(variables) => Some(json!({ "verdict": "shell", "env": variables })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{HookAgent, hook_agent};

    fn message(agent: HookAgent, event: &str) -> HookMessage {
        HookMessage::read(Some(agent), Some(event), r#"{"tool_name":"Bash"}"#).unwrap()
    }

    #[test]
    fn each_agent_is_answered_in_its_own_form() {
        let deny = HookAnswer::Deny("no".into());
        let claude = json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no" } });
        for agent in [hook_agent("claude"), hook_agent("codex"), hook_agent("qwen"), hook_agent("copilot")] {
            assert_eq!(deny.format_for(&message(agent, "PreToolUse")).as_ref(), Some(&claude), "{agent:?}");
        }
        let gemini = json!({ "decision": "deny", "reason": "no" });
        assert_eq!(deny.format_for(&message(hook_agent("gemini"), "BeforeTool")), Some(gemini));
        let copilot = json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" });
        assert_eq!(deny.format_for(&message(hook_agent("copilot"), "preToolUse")), Some(copilot));
        let ours = json!({ "verdict": "deny", "told": "no" });
        assert_eq!(deny.format_for(&message(hook_agent("opencode"), "PreToolUse")), Some(ours));
    }

    #[test]
    fn a_question_to_the_agents_person_refuses_the_call_where_the_agent_has_none() {
        let ask = HookAnswer::Ask("why".into());
        let answer = ask.format_for(&message(hook_agent("claude"), "PreToolUse")).unwrap();
        assert_eq!(answer.pointer("/hookSpecificOutput/permissionDecision"), Some(&json!("ask")));
        for agent in
            [hook_agent("codex"), hook_agent("gemini"), hook_agent("copilot"), hook_agent("opencode")]
        {
            assert!(!agent.can_ask(), "{agent:?}");
            let answer = ask.format_for(&message(agent, "preToolUse")).unwrap();
            assert!(answer.to_string().contains("deny") || answer.to_string().contains("why"), "{answer}");
        }
    }

    #[test]
    fn a_rewritten_call_keeps_the_agents_form() {
        let rewrite = HookAnswer::Rewrite(json!({ "command": "new" }));
        let answer = rewrite.format_for(&message(hook_agent("claude"), "PreToolUse")).unwrap();
        assert_eq!(answer.pointer("/hookSpecificOutput/updatedInput/command"), Some(&json!("new")));
        let answer = rewrite.format_for(&message(hook_agent("gemini"), "BeforeTool")).unwrap();
        assert_eq!(answer.pointer("/hookSpecificOutput/tool_input/command"), Some(&json!("new")));
        assert_eq!(HookAnswer::Pass.format_for(&message(hook_agent("claude"), "PreToolUse")), None);
    }
}
