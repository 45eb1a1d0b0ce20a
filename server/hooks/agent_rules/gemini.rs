//! Gemini CLI's policies: the rules of its settings and of its files `policies/*.toml`, the highest priority first.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::AgentRuleVerdict;
use crate::shell::command_texts;

/// The tool that runs commands, by both of its names.
const SHELL: [&str; 2] = ["run_shell_command", "ShellTool"];
/// The modes in which the agent changes something.
const ACTING_MODES: [&str; 3] = ["default", "autoEdit", "yolo"];
/// Shells in shells that are followed.
const DEEPEST: usize = 16;
/// Commands that a rule about the whole tool does not ask about.
const SAFE: [&str; 20] = [
    "cat", "cut", "echo", "expr", "false", "grep", "head", "id", "ls", "nl", "paste", "pwd", "rev", "seq",
    "stat", "tail", "tr", "true", "uname", "wc",
];
/// Commands of git that a rule about the whole tool does not ask about.
const SAFE_GIT: [&str; 4] = ["status", "log", "diff", "show"];

static WRAPPER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:\S+/)?(?:sh|bash|zsh)\s+-c\s+").ok());

/// The owner of the rules in a file: those of a higher tier come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyTier {
    /// An extension's, which may allow nothing.
    Extension = 2,
    /// The project's.
    Workspace = 3,
    /// The person's.
    User = 4,
    /// The machine's.
    Admin = 5,
}

/// The policies of every tier but the built-in one.
#[derive(Debug, Default)]
pub struct GeminiRules {
    rules: Vec<ShellPolicyRule>,
}

/// A rule for the tool that runs commands.
#[derive(Debug)]
struct ShellPolicyRule {
    /// In thousandths.
    priority: u32,
    action: PolicyAction,
    pattern: CommandPattern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PolicyAction {
    Allow,
    AskUser,
    Deny,
}

/// The calls that a rule is about.
#[derive(Debug)]
enum CommandPattern {
    Any,
    Prefix(String),
    Arguments(Regex),
    /// A pattern that this program cannot read.
    Unread,
}

#[derive(Debug, Default, Deserialize)]
struct PolicyFile {
    #[serde(default)]
    rule: Vec<PolicyFileRule>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolicyFileRule {
    #[serde(default)]
    tool_name: OneOrMore,
    #[serde(default)]
    command_prefix: OneOrMore,
    command_regex: Option<String>,
    args_pattern: Option<String>,
    decision: PolicyAction,
    priority: u32,
    modes: Option<Vec<String>>,
    interactive: Option<bool>,
    subagent: Option<String>,
    mcp_name: Option<String>,
    tool_annotations: Option<toml::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    #[default]
    None,
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn items(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(item) => std::slice::from_ref(item),
            Self::More(items) => items,
        }
    }
}

impl GeminiRules {
    /// Adds the rules of the settings, where all files of them are merged.
    pub fn add_settings(&mut self, settings: &Value) {
        let items = |name: &str, older: &str| -> Vec<String> {
            let lists = [&settings["tools"][name], &settings[older]];
            let items = lists.into_iter().filter_map(Value::as_array).flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let is_shell = |tool: &String| SHELL.contains(&tool.as_str());
        if items("exclude", "excludeTools").iter().any(is_shell) {
            self.insert_rule(4400, PolicyAction::Deny, CommandPattern::Any);
        }
        if items("confirmationRequired", "").iter().any(is_shell) {
            self.insert_rule(4350, PolicyAction::AskUser, CommandPattern::Any);
        }
        let allowed = items("allowed", "allowedTools");
        if self.add_allowed_tools(&allowed, 4300) {
            self.insert_rule(4290, PolicyAction::Deny, CommandPattern::Any);
        }
        let core = items("core", "coreTools");
        self.add_allowed_tools(&core, 4250);
        if !core.is_empty() {
            self.insert_rule(4240, PolicyAction::Deny, CommandPattern::Any);
        }
    }

    /// Adds the rules of a file; none if it cannot be read, as the agent then has none.
    pub fn add_file(&mut self, tier: PolicyTier, text: &str) {
        let file: PolicyFile = toml::from_str(text).unwrap_or_default();
        for rule in file.rule {
            self.add_file_rule(tier, &rule);
        }
    }

    fn add_file_rule(&mut self, tier: PolicyTier, rule: &PolicyFileRule) {
        let is_of_shell = |tool: &String| tool == "*" || SHELL.contains(&tool.as_str());
        let is_of_others =
            rule.subagent.is_some() || rule.mcp_name.is_some() || rule.tool_annotations.is_some();
        if is_of_others || !rule.tool_name.items().iter().any(is_of_shell) {
            return;
        }
        let allows = rule.decision == PolicyAction::Allow;
        if allows && (tier == PolicyTier::Extension || rule.interactive.is_some()) {
            return;
        }
        // The mode of the session is not known: a rule that refuses counts if it is for any mode, one that allows only
        // if it is for all.
        if let Some(modes) = rule.modes.as_ref().filter(|modes| !modes.is_empty()) {
            let mut acting = ACTING_MODES.iter().map(|mode| modes.iter().any(|named| named == mode));
            if !(if allows { acting.all(|named| named) } else { acting.any(|named| named) }) {
                return;
            }
        }
        let priority = tier as u32 * 1000 + rule.priority.min(999);
        let patterns: Vec<CommandPattern> =
            match (rule.command_prefix.items(), &rule.command_regex, &rule.args_pattern) {
                ([], Some(regex), _) => vec![CommandPattern::of_regex(&format!("\"command\":\"{regex}"))],
                ([], None, Some(regex)) => vec![CommandPattern::of_regex(regex)],
                ([], None, None) => vec![CommandPattern::Any],
                (prefixes, ..) => prefixes.iter().cloned().map(CommandPattern::Prefix).collect(),
            };
        // An unread pattern might match anything, so it can refuse but not allow.
        for pattern in
            patterns.into_iter().filter(|pattern| !allows || !matches!(pattern, CommandPattern::Unread))
        {
            self.insert_rule(priority, rule.decision, pattern);
        }
    }

    /// Adds the tools that a list allows. Returns whether it restricts the commands.
    fn add_allowed_tools(&mut self, tools: &[String], priority: u32) -> bool {
        let mut is_narrowed = false;
        for tool in tools {
            match tool.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?))) {
                Some((name, prefix)) if SHELL.contains(&name) => {
                    is_narrowed = true;
                    // An empty prefix is no pattern.
                    if !prefix.is_empty() {
                        self.insert_rule(
                            priority,
                            PolicyAction::Allow,
                            CommandPattern::Prefix(prefix.to_owned()),
                        );
                    }
                }
                None if SHELL.contains(&tool.as_str()) => {
                    self.insert_rule(priority, PolicyAction::Allow, CommandPattern::Any);
                }
                _ => {}
            }
        }
        is_narrowed
    }

    fn insert_rule(&mut self, priority: u32, action: PolicyAction, pattern: CommandPattern) {
        // Of two with one priority the first stays first.
        let at = self.rules.partition_point(|rule| rule.priority >= priority);
        self.rules.insert(at, ShellPolicyRule { priority, action, pattern });
    }

    /// Judges a call of the shell by its arguments.
    pub fn judge_shell_call(&self, arguments: &Map<String, Value>) -> AgentRuleVerdict {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        self.judge_arguments(arguments, command, 0)
    }

    fn judge_arguments(
        &self,
        arguments: &Map<String, Value>,
        command: &str,
        depth: usize,
    ) -> AgentRuleVerdict {
        let call = CallText::of(arguments);
        let rule = self.rules.iter().find(|rule| rule.pattern.covers_call(&call));
        let mut verdict = match rule.map(|rule| rule.action) {
            Some(PolicyAction::Deny) => return AgentRuleVerdict::Deny,
            Some(PolicyAction::AskUser) => AgentRuleVerdict::Ask,
            _ => AgentRuleVerdict::Silent,
        };
        let is_plain = rule.is_some_and(|rule| matches!(rule.pattern, CommandPattern::Any));
        if depth == 0 && is_plain && is_safe(command) {
            return AgentRuleVerdict::Silent;
        }
        let parts = command_texts(command).unwrap_or_default();
        for part in parts.iter().filter(|_| depth < DEEPEST) {
            let mut inner = Vec::new();
            inner.extend(within_shell(part));
            inner.extend(Some(part.clone()).filter(|part| part != command));
            for inner in inner {
                let mut arguments = arguments.clone();
                arguments.retain(|name, _| name == "dir_path");
                arguments.insert("command".to_owned(), json!(inner));
                verdict = verdict.max(self.judge_arguments(&arguments, &inner, depth + 1));
            }
        }
        verdict
    }
}

/// A call as patterns see it.
struct CallText {
    /// Its arguments as JSON, sorted by their names, each between zero bytes.
    json: String,
}

impl CallText {
    fn of(arguments: &Map<String, Value>) -> Self {
        let mut members: Vec<String> =
            arguments.iter().map(|(name, value)| format!("\0{}:{value}\0", json!(name))).collect();
        members.sort();
        Self { json: format!("{{{}}}", members.join(",")) }
    }
}

impl CommandPattern {
    fn of_regex(text: &str) -> Self {
        Regex::new(text).map_or(Self::Unread, Self::Arguments)
    }

    fn covers_call(&self, call: &CallText) -> bool {
        match self {
            Self::Any | Self::Unread => true,
            Self::Arguments(regex) => regex.is_match(&call.json),
            Self::Prefix(prefix) => {
                let quoted = json!(prefix).to_string();
                let opened = format!("\"command\":{}", quoted.strip_suffix('"').unwrap_or(&quoted));
                call.json.match_indices(&opened).any(|(at, _)| {
                    let rest = call.json.get(at + opened.len()..).unwrap_or_default();
                    rest.starts_with(|c: char| c.is_whitespace() || c == '"') || rest.starts_with("\\\"")
                })
            }
        }
    }
}

/// The script of a command that starts a shell for it.
fn within_shell(command: &str) -> Option<String> {
    let wrapper = WRAPPER.as_ref()?.find(command)?;
    let script = command.get(wrapper.end()..)?.trim();
    let quoted = |quote: char| script.strip_prefix(quote)?.strip_suffix(quote);
    match (quoted('\''), quoted('"')) {
        (Some(inner), _) => Some(inner.to_owned()),
        (None, Some(inner)) => match shlex::split(script).as_deref() {
            Some([word]) => Some(word.clone()),
            _ => Some(inner.to_owned()),
        },
        _ => Some(script.to_owned()),
    }
}

/// Returns whether a rule about the whole tool allows a command without a question: it is a single one that only reads
/// the folder.
fn is_safe(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_known = match words[..] {
        ["git", command, ..] => SAFE_GIT.contains(&command),
        [program, ..] => SAFE.contains(&program),
        [] => false,
    };
    let is_one = command_texts(command).is_some_and(|parts| parts == [command.trim()]);
    let leads_out = |word: &&str| word.starts_with(['/', '~']) || word.contains("..");
    is_known && is_one && !words.iter().any(leads_out) && !command.contains(['<', '>', '$', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(rules: &GeminiRules, command: &str) -> AgentRuleVerdict {
        rules.judge_shell_call(json!({ "command": command, "description": "d" }).as_object().unwrap())
    }

    fn of_file(tier: PolicyTier, text: &str) -> GeminiRules {
        let mut rules = GeminiRules::default();
        rules.add_file(tier, text);
        rules
    }

    #[test]
    fn a_rule_counts_by_its_tier_its_priority_and_its_modes() {
        let rule = |decision: &str, priority: u32, more: &str| {
            format!(
                "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\ndecision = \"{decision}\"\npriority = {priority}\n{more}\n"
            )
        };
        let mut rules = of_file(PolicyTier::User, &rule("allow", 999, ""));
        assert_eq!(judge(&rules, "make"), AgentRuleVerdict::Silent);
        rules.add_file(PolicyTier::Workspace, &rule("deny", 999, ""));
        assert_eq!(judge(&rules, "make"), AgentRuleVerdict::Silent);
        rules.add_file(PolicyTier::Admin, &rule("deny", 0, ""));
        assert_eq!(judge(&rules, "make"), AgentRuleVerdict::Deny);
        for (decision, more, expected) in [
            ("deny", "modes = [\"plan\"]", AgentRuleVerdict::Silent),
            ("deny", "modes = [\"yolo\"]", AgentRuleVerdict::Deny),
            ("ask_user", "interactive = true", AgentRuleVerdict::Ask),
            ("deny", "mcpName = \"x\"", AgentRuleVerdict::Silent),
            ("deny", "subagent = \"x\"", AgentRuleVerdict::Silent),
        ] {
            let rules = of_file(PolicyTier::User, &rule(decision, 1, more));
            assert_eq!(judge(&rules, "make"), expected, "{decision} {more}");
        }
        let text = format!("{}{}", rule("allow", 9, "modes = [\"yolo\"]"), rule("deny", 1, ""));
        assert_eq!(judge(&of_file(PolicyTier::User, &text), "make"), AgentRuleVerdict::Deny);
    }

    #[test]
    fn what_cannot_be_read_of_a_rule_loosens_nothing() {
        let text = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"(?!x)make\"\ndecision = \"deny\"\npriority = 1\n";
        assert_eq!(judge(&of_file(PolicyTier::User, text), "make"), AgentRuleVerdict::Deny);
        assert_eq!(judge(&of_file(PolicyTier::User, "not a policy"), "make"), AgentRuleVerdict::Silent);
    }
}
