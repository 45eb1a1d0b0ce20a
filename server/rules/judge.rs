//! The rules of one workspace: of paths, of commands and of hosts.

use super::commands::CommandBook;
use super::held_paths::HeldPaths;
use super::path_rule_lists::PathRuleLists;
use crate::protocol::{AllowedHost, CommandRuleSettings, RuleSettings};

/// The rules that hold in a workspace: the built-in ones, the person's, and the project's.
#[derive(Clone, Debug)]
pub struct WorkspaceRules {
    paths: PathRuleLists,
    commands: CommandBook,
    /// The hosts that the person allows for always.
    pub(super) hosts: Vec<AllowedHost>,
}

/// Returns the rules on commands of the person or of the project, under either name.
fn command_rules(lists: &PartyLists<'_>, problems: &mut Vec<String>) -> CommandRuleSettings {
    let Some(rules) = lists.rules else { return CommandRuleSettings::default() };
    let mut commands = rules.commands.clone();
    if !rules.forbidden_patterns.is_empty() {
        let patterns: Vec<String> =
            rules.forbidden_patterns.iter().map(|pattern| format!("{pattern:?}")).collect();
        problems.push(format!(
            "`rules.forbidden_patterns` counts as `deny = [{}]` under [rules.commands]; write it there",
            patterns.join(", ")
        ));
        commands.deny.extend(rules.forbidden_patterns.iter().cloned());
    }
    commands
}

/// The rules of one party as they were read.
#[derive(Clone, Debug, Default)]
pub struct PartyLists<'a> {
    /// The rules.
    pub rules: Option<&'a RuleSettings>,
    /// The name of the file whose rules could not all be read.
    pub unread: Option<String>,
}

impl WorkspaceRules {
    /// Returns the rules from the person's settings and the project's, and their problems: globs that cannot be
    /// compiled, and an `allow` of the project's, which is ignored.
    pub fn new(user: &RuleSettings, project: &RuleSettings) -> (Self, Vec<String>) {
        let lists = |rules| PartyLists { rules: Some(rules), unread: None };
        Self::from_lists(&lists(user), &lists(project))
    }

    /// The same, where settings may be unread.
    pub fn from_lists(user: &PartyLists<'_>, project: &PartyLists<'_>) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let paths = PathRuleLists::new(user, project, &mut problems);
        let commands = CommandBook::new(
            &command_rules(user, &mut problems),
            &command_rules(project, &mut problems),
            &mut problems,
        );
        let hosts = user.rules.map(|rules| rules.network.allow.clone()).unwrap_or_default();
        if project.rules.is_some_and(|rules| !rules.network.allow.is_empty()) {
            problems.push(
                "`rules.network.allow` of the project's settings is not heard: only the person's own settings can allow a host"
                    .to_owned(),
            );
        }
        (Self { paths, commands, hosts }, problems)
    }

    /// The rules of paths.
    pub fn paths(&self) -> &PathRuleLists {
        &self.paths
    }

    /// The same, and closed what is held.
    pub fn with_held(self, held: HeldPaths) -> Self {
        Self { paths: self.paths.with_held(held), ..self }
    }

    /// The same, for commands that run in the workspace at `root`.
    pub fn in_workspace(self, root: &str) -> Self {
        Self { commands: self.commands.in_workspace(root), ..self }
    }

    pub(super) fn command_book(&self) -> &CommandBook {
        &self.commands
    }
}
