//! What the rules say of a command: a verdict, the rule's name, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of a command. Ordered from the loosest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandVerdict {
    /// It runs, confined.
    #[default]
    Allow,
    /// A person decides.
    Ask,
    /// Refused.
    Deny,
}

/// A rule that is against a command, or wants a person to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What the rule wants.
    pub verdict: CommandVerdict,
    /// The rule's name.
    pub rule: String,
    /// Why, in a plain sentence.
    pub why: String,
    /// Whether it holds whatever a person has allowed for always.
    pub firm: bool,
}

impl Objection {
    /// A rule that wants a person to decide.
    pub fn ask(rule: &str, why: impl Into<String>) -> Self {
        Self { verdict: CommandVerdict::Ask, rule: rule.to_owned(), why: why.into(), firm: false }
    }

    /// The same, whatever a person has allowed for always.
    pub fn firm(self) -> Self {
        Self { firm: true, ..self }
    }

    /// A rule that refuses.
    pub fn deny(rule: &str, why: impl Into<String>) -> Self {
        Self { verdict: CommandVerdict::Deny, rule: rule.to_owned(), why: why.into(), firm: false }
    }
}

/// The strictest of some objections; of equals the first.
pub(crate) fn strictest<'a>(objections: impl IntoIterator<Item = &'a Objection>) -> Option<&'a Objection> {
    objections.into_iter().fold(None, |worst: Option<&Objection>, next| match worst {
        Some(worst) if worst.verdict >= next.verdict => Some(worst),
        _ => Some(next),
    })
}
