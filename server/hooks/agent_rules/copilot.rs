//! Copilot CLI's rules of its command line: `--deny-tool 'shell(make:*)'`.

use super::AgentRuleVerdict;
use super::pattern::without_assignments;
use crate::shell::command_texts;

/// The rules that refuse.
#[derive(Debug, Default)]
pub struct CopilotRules {
    denied: Vec<String>,
}

impl CopilotRules {
    /// Reads the rules of a command line.
    pub fn of_arguments(arguments: &[String]) -> Self {
        let mut denied = Vec::new();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("--deny-tool") {
                Some("") => denied.extend(arguments.next().cloned()),
                Some(value) => denied.extend(value.strip_prefix('=').map(str::to_owned)),
                None => {}
            }
        }
        let denied = denied.iter().flat_map(|list| split_rules(list)).collect();
        Self { denied }
    }

    /// Judges a command.
    pub fn judge_command(&self, script: &str) -> AgentRuleVerdict {
        let commands = command_texts(script).unwrap_or_else(|| vec![script.to_owned()]);
        let covers = |rule: &String| match rule.strip_prefix("shell") {
            Some("") => true,
            Some(of) => {
                let words = of.trim_start_matches('(').trim_end_matches(')').trim_end_matches(":*");
                commands.iter().any(|command| begins_with(without_assignments(command), words))
            }
            None => false,
        };
        match self.denied.iter().any(covers) {
            true => AgentRuleVerdict::Deny,
            false => AgentRuleVerdict::Silent,
        }
    }

    /// Returns whether the rules refuse a tool of a server.
    pub fn denies_tool(&self, server: &str, tool: &str) -> bool {
        self.denied.iter().any(|rule| rule == server || *rule == format!("{server}({tool})"))
    }
}

/// The rules of one argument, which may hold several with commas.
fn split_rules(list: &str) -> Vec<String> {
    let (mut rules, mut depth) = (vec![String::new()], 0_usize);
    for letter in list.chars() {
        depth = match letter {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        match (letter, rules.last_mut()) {
            (',', _) if depth == 0 => rules.push(String::new()),
            (letter, Some(rule)) => rule.push(letter),
            (_, None) => {}
        }
    }
    rules.into_iter().map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()).collect()
}

/// Returns whether the words of a command begin with those of a rule. Quotes count, as they do for Copilot.
fn begins_with(command: &str, words: &str) -> bool {
    let mut command = command.split_whitespace();
    words.split_whitespace().all(|word| command.next() == Some(word))
}
