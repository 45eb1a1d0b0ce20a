//! The answer of the rules to a command: a verdict, the rule's name, and the reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdicts on a command, ordered from the loosest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandVerdict {
    /// It runs.
    #[default]
    Allow,
    /// A person decides.
    Ask,
    /// Refused.
    Deny,
}

/// A rule that is against a command, or wants a person to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleObjection {
    /// The verdict of the rule.
    pub verdict: CommandVerdict,
    /// The rule's name.
    pub rule: String,
    /// Why, in a plain sentence.
    pub why: String,
    /// True if it holds in spite of a person's standing permissions.
    pub firm: bool,
    /// True if it holds only for a command that is not confined.
    pub unconfined: bool,
}

impl RuleObjection {
    /// A rule that wants a person to decide.
    pub fn ask(rule: &str, why: impl Into<String>) -> Self {
        let (rule, why) = (rule.to_owned(), why.into());
        Self { verdict: CommandVerdict::Ask, rule, why, firm: false, unconfined: false }
    }

    /// The same, whatever a person has allowed for always.
    pub fn as_firm(self) -> Self {
        Self { firm: true, ..self }
    }

    /// The same, only if nothing confines the command: the rules cannot see what it does, and the sandbox bounds that.
    pub fn as_unseen(self) -> Self {
        Self { unconfined: true, ..self }
    }

    /// The same, only if nothing confines the command, and then whatever a person has allowed for always: they allowed it
    /// confined.
    pub fn as_unconfined(self) -> Self {
        Self { firm: true, unconfined: true, ..self }
    }

    /// A rule that refuses.
    pub fn deny(rule: &str, why: impl Into<String>) -> Self {
        Self { verdict: CommandVerdict::Deny, ..Self::ask(rule, why) }
    }
}

/// The strictest of some objections; of equals the first.
pub(crate) fn strictest_objection<'a>(
    objections: impl IntoIterator<Item = &'a RuleObjection>,
) -> Option<&'a RuleObjection> {
    objections.into_iter().fold(None, |worst: Option<&RuleObjection>, next| match worst {
        Some(worst) if worst.verdict >= next.verdict => Some(worst),
        _ => Some(next),
    })
}
