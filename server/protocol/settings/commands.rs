//! `[rules.commands]`: rules for the commands that tools run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[rules.commands]`: patterns of commands, as in the built-in table, and the commands that are allowed for always.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommandRuleSettings {
    /// Never run.
    pub deny: Vec<String>,
    /// Run only after the person agreed.
    pub ask: Vec<String>,
    /// Run without asking. Ignored in a project's file. A command that a rule denies does not run in any case.
    pub allow: Vec<AllowedCommand>,
}

/// A command that a person has allowed for always, in one of three scopes: `argv`, `program` with `flags`, or `program`
/// with `path`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AllowedCommand {
    /// This argument vector, and no other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The program, with its subcommand if it has one: `npm install`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The options that may stand in the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// The path that all other arguments lie at or below, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The reason why it is allowed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}
