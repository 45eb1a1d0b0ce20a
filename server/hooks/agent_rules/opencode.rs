//! OpenCode's `permission` for `bash`, as its settings are merged.

use serde_json::Value;

use super::AgentRuleVerdict;
use super::pattern::matches_wildcard;
use crate::shell::command_texts;

/// The rules in their order: the last that covers a command decides.
#[derive(Debug, Default)]
pub struct OpencodeRules {
    rules: Vec<(String, AgentRuleVerdict)>,
}

impl OpencodeRules {
    /// Reads the merged `permission`.
    pub fn of_permission(permission: &Value) -> Self {
        let verdict = |action: &Value| match action.as_str() {
            Some("deny") => AgentRuleVerdict::Deny,
            Some("ask") => AgentRuleVerdict::Ask,
            _ => AgentRuleVerdict::Silent,
        };
        let mut rules = Vec::new();
        if permission.is_string() {
            rules.push(("*".to_owned(), verdict(permission)));
        }
        for (tool, of_tool) in permission.as_object().into_iter().flatten() {
            if !matches_wildcard(tool, "bash") {
                continue;
            }
            match of_tool.as_object() {
                Some(patterns) => {
                    rules.extend(patterns.iter().map(|(pattern, action)| (pattern.clone(), verdict(action))));
                }
                None => rules.push(("*".to_owned(), verdict(of_tool))),
            }
        }
        Self { rules }
    }

    /// Judges a command.
    pub fn judge_command(&self, script: &str) -> AgentRuleVerdict {
        let commands = command_texts(script).unwrap_or_else(|| vec![script.to_owned()]);
        commands.iter().map(|command| self.judge_one(command)).max().unwrap_or_default()
    }

    fn judge_one(&self, command: &str) -> AgentRuleVerdict {
        let covers = |pattern: &str| {
            matches_wildcard(pattern, command) || pattern.strip_suffix(" *").is_some_and(|all| command == all)
        };
        let last = self.rules.iter().rev().find(|(pattern, _)| covers(pattern));
        last.map(|(_, verdict)| *verdict).unwrap_or_default()
    }
}
