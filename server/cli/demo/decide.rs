//! Who decides on the hunks: the person at the terminal, or a rule given beforehand.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

use crate::cli::print::{TerminalPage, TextLook};
use crate::protocol::Act;

/// How hunks are decided when nobody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecisionRule {
    /// Accept every hunk.
    All,
    /// Reject every hunk.
    None,
    /// Accept the first, reject the second, and so on.
    Alternate,
}

/// What becomes of one hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// Accepted or rejected.
    pub act: Act,
    /// The word for the agent.
    pub reason: Option<String>,
}

/// Decides hunk after hunk by a rule.
#[derive(Debug)]
pub(super) struct Decider {
    /// The rule; the person is asked when there is none.
    rule: Option<DecisionRule>,
    decided: usize,
}

impl Decider {
    /// Asks where someone can answer, unless told a rule. Without either every other hunk is accepted, which
    /// shows both ways.
    pub(super) fn new(rule: Option<DecisionRule>) -> Self {
        let someone = io::stdin().is_terminal() && io::stdout().is_terminal();
        let otherwise = if someone { None } else { Some(DecisionRule::Alternate) };
        Self { rule: rule.or(otherwise), decided: 0 }
    }

    /// Whether the person decides.
    pub(super) fn asks(&self) -> bool {
        self.rule.is_none()
    }

    /// Decides on the hunk that was just shown, and says so.
    ///
    /// # Errors
    /// What the terminal says.
    pub(super) fn next(&mut self, page: TerminalPage) -> io::Result<Decision> {
        self.decided += 1;
        let decision = by_rule(self.rule.unwrap_or(DecisionRule::Alternate), self.decided);
        let (word, look) = match decision.act {
            Act::Accept => ("accepted", TextLook::Green),
            Act::Reject => ("rejected", TextLook::Red),
        };
        let reason = decision.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        page.line(format!("{}{}", page.paint(look, word), page.paint(TextLook::Dim, &reason)))?;
        Ok(decision)
    }
}

/// The decision on the hunk of that number, counted from 1.
fn by_rule(rule: DecisionRule, number: usize) -> Decision {
    let accept = match rule {
        DecisionRule::All => true,
        DecisionRule::None => false,
        DecisionRule::Alternate => number % 2 == 1,
    };
    match accept {
        true => Decision { act: Act::Accept, reason: None },
        false => Decision { act: Act::Reject, reason: Some(format!("--decide {}", name(rule))) },
    }
}

/// The rule as it is written on the command line.
fn name(rule: DecisionRule) -> &'static str {
    match rule {
        DecisionRule::All => "all",
        DecisionRule::None => "none",
        DecisionRule::Alternate => "alternate",
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, DecisionRule, by_rule};
    use crate::protocol::Act;

    #[test]
    fn rules_decide_by_number() {
        let acts = |rule| (1..=4).map(|number| by_rule(rule, number).act).collect::<Vec<_>>();
        use Act::{Accept, Reject};
        assert_eq!(acts(DecisionRule::All), [Accept; 4]);
        assert_eq!(acts(DecisionRule::None), [Reject; 4]);
        assert_eq!(acts(DecisionRule::Alternate), [Accept, Reject, Accept, Reject]);
        let rejected = Decision { act: Reject, reason: Some("--decide alternate".to_owned()) };
        assert_eq!(by_rule(DecisionRule::Alternate, 2), rejected);
    }
}
