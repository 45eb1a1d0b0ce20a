//! Codex's rules files: `prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")`.

use super::AgentRuleVerdict;
use crate::shell::plain_commands;

/// The rules of all files together.
#[derive(Debug, Default)]
pub struct CodexRules {
    rules: Vec<PrefixRule>,
}

/// A rule for commands that begin with these words.
#[derive(Debug)]
struct PrefixRule {
    /// The alternatives for each word.
    pattern: Vec<Vec<String>>,
    verdict: AgentRuleVerdict,
}

/// A value of a rule's argument.
#[derive(Debug, PartialEq)]
enum RuleValue {
    Text(String),
    List(Vec<RuleValue>),
}

impl CodexRules {
    /// Adds the rules of a file. Anything but a call of `prefix_rule` with literal values is skipped.
    pub fn add_file(&mut self, text: &str) {
        for (at, name) in text.match_indices("prefix_rule") {
            let mut rest = RuleText(text.get(at + name.len()..).unwrap_or_default());
            self.rules.extend(rest.read_rule());
        }
    }

    /// Judges a command: the strictest rule of each of its commands counts. As for Codex, a script of more than plain commands
    /// is covered by none.
    pub fn judge_command(&self, script: &str) -> AgentRuleVerdict {
        let commands = plain_commands(script).unwrap_or_default();
        let covers = |rule: &&PrefixRule, words: &[String]| {
            rule.pattern.len() <= words.len()
                && rule.pattern.iter().zip(words).all(|(any, word)| any.contains(word))
        };
        let of_command = |words: &Vec<String>| {
            self.rules.iter().filter(|rule| covers(rule, words)).map(|rule| rule.verdict).max()
        };
        commands.iter().filter_map(of_command).max().unwrap_or_default()
    }
}

/// The unread rest of a file.
struct RuleText<'a>(&'a str);

impl RuleText<'_> {
    fn read_rule(&mut self) -> Option<PrefixRule> {
        self.take_sign('(')?;
        let (mut pattern, mut verdict) = (None, AgentRuleVerdict::Silent);
        while self.take_sign(')').is_none() {
            let name = self.read_name()?;
            self.take_sign('=')?;
            let value = self.read_value()?;
            match (name.as_str(), value) {
                ("pattern", RuleValue::List(items)) => {
                    pattern = items.into_iter().map(word_alternatives).collect()
                }
                ("decision", RuleValue::Text(word)) => {
                    verdict = match word.as_str() {
                        "forbidden" => AgentRuleVerdict::Deny,
                        "prompt" => AgentRuleVerdict::Ask,
                        _ => AgentRuleVerdict::Silent,
                    }
                }
                _ => {}
            }
            let _ = self.take_sign(',');
        }
        Some(PrefixRule { pattern: pattern?, verdict })
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) {
        loop {
            self.0 = self.0.trim_start();
            let Some(comment) = self.0.strip_prefix('#') else { break };
            self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn take_sign(&mut self, sign: char) -> Option<()> {
        self.skip_blanks();
        self.0 = self.0.strip_prefix(sign)?;
        Some(())
    }

    fn read_name(&mut self) -> Option<String> {
        self.skip_blanks();
        let end = self.0.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|end| *end > 0)?;
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(name.to_owned())
    }

    fn read_value(&mut self) -> Option<RuleValue> {
        if self.take_sign('[').is_some() {
            let mut items = Vec::new();
            while self.take_sign(']').is_none() {
                items.push(self.read_value()?);
                let _ = self.take_sign(',');
            }
            return Some(RuleValue::List(items));
        }
        let quote = self.0.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let (mut text, mut letters) = (String::new(), self.0.char_indices().skip(1));
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => text.push(letters.next()?.1),
                letter if letter == quote => {
                    self.0 = self.0.get(at + 1..).unwrap_or_default();
                    return Some(RuleValue::Text(text));
                }
                letter => text.push(letter),
            }
        }
        None
    }
}

/// The alternatives for one word of a pattern.
fn word_alternatives(value: RuleValue) -> Option<Vec<String>> {
    match value {
        RuleValue::Text(word) => Some(vec![word]),
        RuleValue::List(items) => {
            let word = |item| match item {
                RuleValue::Text(word) => Some(word),
                RuleValue::List(_) => None,
            };
            items.into_iter().map(word).collect()
        }
    }
}
