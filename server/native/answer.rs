//! The answer to an agent's hook, in the agent's form.

use serde_json::{Map, Value, json};

use super::{HookMessage, HookMoment, NativeAgent};

/// What a hook answers.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Nothing: the agent goes on as if there were no hook.
    Pass,
    /// The call is made, and the agent does not ask about it.
    Allow,
    /// The agent goes on, and its model is told something.
    Tell(String),
    /// The call is not made, and the model is told why.
    Deny(String),
    /// The call is made with other arguments, and the agent does not ask about it.
    Rewrite(Value),
}

impl HookAnswer {
    /// The answer as the agent of the message reads it; nothing where it says nothing.
    pub fn of(&self, message: &HookMessage) -> Option<Value> {
        match message.agent {
            NativeAgent::Claude | NativeAgent::Codex | NativeAgent::Qwen => self.in_claudes_form(message),
            NativeAgent::Copilot if message.event.starts_with(char::is_uppercase) => {
                self.in_claudes_form(message)
            }
            NativeAgent::Gemini => self.in_geminis_form(message),
            NativeAgent::Copilot => self.in_copilots_form(message),
            NativeAgent::Opencode => self.in_our_plugins_form(),
        }
    }

    fn in_claudes_form(&self, message: &HookMessage) -> Option<Value> {
        let mut inner = Map::from_iter([("hookEventName".to_owned(), json!(message.event))]);
        match self {
            Self::Pass => return None,
            Self::Allow => inner.extend([("permissionDecision".to_owned(), json!("allow"))]),
            // Copilot does not read the words of a result inside the inner object.
            Self::Tell(words) if message.agent == NativeAgent::Copilot => {
                return Some(json!({ "additionalContext": words }));
            }
            Self::Tell(words) => inner.extend([("additionalContext".to_owned(), json!(words))]),
            Self::Deny(words) => inner.extend([
                ("permissionDecision".to_owned(), json!("deny")),
                ("permissionDecisionReason".to_owned(), json!(words)),
            ]),
            Self::Rewrite(arguments) => inner.extend([
                ("permissionDecision".to_owned(), json!("allow")),
                ("updatedInput".to_owned(), arguments.clone()),
            ]),
        }
        Some(json!({ "hookSpecificOutput": inner }))
    }

    fn in_geminis_form(&self, message: &HookMessage) -> Option<Value> {
        let inner = |name: &str, value: Value| {
            Map::from_iter([("hookEventName".to_owned(), json!(message.event)), (name.to_owned(), value)])
        };
        match self {
            Self::Pass => None,
            Self::Allow => Some(json!({ "decision": "allow" })),
            Self::Tell(words) => {
                Some(json!({ "hookSpecificOutput": inner("additionalContext", json!(words)) }))
            }
            Self::Deny(words) => Some(json!({ "decision": "deny", "reason": words })),
            Self::Rewrite(arguments) => Some(json!({
                "decision": "allow", "hookSpecificOutput": inner("tool_input", arguments.clone()),
            })),
        }
    }

    fn in_copilots_form(&self, message: &HookMessage) -> Option<Value> {
        match self {
            Self::Pass => None,
            Self::Allow => Some(json!({ "permissionDecision": "allow" })),
            Self::Tell(_) if message.moment == HookMoment::Before => None,
            Self::Tell(words) => Some(json!({ "additionalContext": words })),
            Self::Deny(words) => {
                Some(json!({ "permissionDecision": "deny", "permissionDecisionReason": words }))
            }
            // What came as a bare string goes back as one.
            Self::Rewrite(arguments) => {
                let bare = arguments.get("input").filter(|_| message.is_bare);
                Some(json!({ "permissionDecision": "allow", "modifiedArgs": bare.unwrap_or(arguments) }))
            }
        }
    }

    fn in_our_plugins_form(&self) -> Option<Value> {
        match self {
            Self::Pass => None,
            Self::Allow => Some(json!({ "verdict": "allow" })),
            Self::Tell(words) => Some(json!({ "verdict": "allow", "told": words })),
            Self::Deny(words) => Some(json!({ "verdict": "deny", "told": words })),
            Self::Rewrite(arguments) => Some(json!({ "verdict": "rewrite", "args": arguments })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(agent: NativeAgent, event: &str) -> HookMessage {
        HookMessage::read(Some(agent), Some(event), r#"{"tool_name":"Bash"}"#).unwrap()
    }

    #[test]
    fn each_agent_is_answered_in_its_own_form() {
        let deny = HookAnswer::Deny("no".into());
        let claude = json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no" } });
        for agent in [NativeAgent::Claude, NativeAgent::Codex, NativeAgent::Qwen, NativeAgent::Copilot] {
            assert_eq!(deny.of(&message(agent, "PreToolUse")).as_ref(), Some(&claude), "{agent:?}");
        }
        let gemini = json!({ "decision": "deny", "reason": "no" });
        assert_eq!(deny.of(&message(NativeAgent::Gemini, "BeforeTool")), Some(gemini));
        let copilot = json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" });
        assert_eq!(deny.of(&message(NativeAgent::Copilot, "preToolUse")), Some(copilot));
        let ours = json!({ "verdict": "deny", "told": "no" });
        assert_eq!(deny.of(&message(NativeAgent::Opencode, "PreToolUse")), Some(ours));
    }

    #[test]
    fn a_rewritten_call_keeps_the_agents_form() {
        let rewrite = HookAnswer::Rewrite(json!({ "command": "new" }));
        let answer = rewrite.of(&message(NativeAgent::Claude, "PreToolUse")).unwrap();
        assert_eq!(answer.pointer("/hookSpecificOutput/updatedInput/command"), Some(&json!("new")));
        let answer = rewrite.of(&message(NativeAgent::Gemini, "BeforeTool")).unwrap();
        assert_eq!(answer.pointer("/hookSpecificOutput/tool_input/command"), Some(&json!("new")));
        assert_eq!(HookAnswer::Pass.of(&message(NativeAgent::Claude, "PreToolUse")), None);
    }
}
