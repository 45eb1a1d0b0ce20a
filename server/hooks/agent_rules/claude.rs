//! Claude Code's rules `permissions.deny` and `permissions.ask` for `Bash`.

use serde_json::Value;

use super::AgentRuleVerdict;
use super::pattern::matches_wildcard;
use crate::shell::command_texts;

/// Programs that run another command, which Claude Code's rules are about.
const WRAPPERS: [&str; 6] = ["env", "nice", "nohup", "stdbuf", "time", "timeout"];

/// The rules of all settings files together.
#[derive(Debug, Default)]
pub struct ClaudeRules {
    deny: Vec<String>,
    ask: Vec<String>,
}

impl ClaudeRules {
    /// Adds those of a settings file.
    pub fn add_settings(&mut self, settings: &Value) {
        let items = |name: &str| -> Vec<String> {
            let list = settings["permissions"][name].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).filter_map(rule_text).collect()
        };
        self.deny.extend(items("deny"));
        self.ask.extend(items("ask"));
    }

    /// Adds a rule that refuses, as `--disallowedTools` names it.
    pub fn add_denied(&mut self, rule: &str) {
        self.deny.extend(rule_text(rule));
    }

    /// Judges a command.
    pub fn judge_command(&self, script: &str) -> AgentRuleVerdict {
        let parts = command_texts(script).unwrap_or_default();
        let mut texts: Vec<String> =
            parts.iter().flat_map(|part| [part.clone(), plain_words(part)]).collect();
        texts.extend([script.trim().to_owned(), plain_words(script)]);
        if self.deny.iter().any(|rule| texts.iter().any(|text| rule_covers(rule, text))) {
            return AgentRuleVerdict::Deny;
        }
        let is_one = parts.len() <= 1;
        // A rule with a wildcard asks about one whole command alone.
        let is_asked = |rule: &String| match rule.contains('*') && !rule.ends_with(":*") {
            true => is_one && rule_covers(rule, script.trim()),
            false => texts.iter().any(|text| rule_covers(rule, text)),
        };
        match self.ask.iter().any(is_asked) {
            true => AgentRuleVerdict::Ask,
            false => AgentRuleVerdict::Silent,
        }
    }
}

/// The command pattern of a rule for `Bash`; none if the rule is for another tool.
fn rule_text(rule: &str) -> Option<String> {
    match rule.trim() {
        "Bash" | "*" => Some("*".to_owned()),
        rule => rule.strip_prefix("Bash(")?.strip_suffix(')').map(str::to_owned),
    }
}

fn rule_covers(rule: &str, text: &str) -> bool {
    let begins = |prefix: &str| {
        let rest = text.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    match rule.strip_suffix(":*") {
        Some(prefix) => begins(prefix),
        None => matches_wildcard(rule, text) || rule.strip_suffix(" *").is_some_and(|all| text == all),
    }
}

/// The words of a command without quotes, leading variables and wrappers.
fn plain_words(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let mut words = words.iter().map(String::as_str).peekable();
    let is_set =
        |word: &str| word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains('-'));
    loop {
        while words.next_if(|word| is_set(word)).is_some() {}
        let Some(wrapper) = words.next_if(|word| WRAPPERS.contains(word)) else { break };
        while words.next_if(|word| word.starts_with('-')).is_some() {}
        if wrapper == "timeout" {
            words.next();
        }
    }
    words.collect::<Vec<_>>().join(" ")
}
