//! The source of the decisions on hunks: the person at the terminal, or a rule.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

use crate::cli::print::{TerminalPage, TextLook};
use crate::protocol::Act;

/// The rule that decides on hunks when the person is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecisionRule {
    /// Accept every hunk.
    All,
    /// Reject every hunk.
    None,
    /// Accept the first, reject the second, and so on.
    Alternate,
}

/// The decision on a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DemoDecision {
    /// Accepted or rejected.
    pub act: Act,
    /// The reason that the agent gets.
    pub reason: Option<String>,
}

/// Decides hunk after hunk by a rule.
#[derive(Debug)]
pub(super) struct HunkDecider {
    /// The rule; the person is asked when there is none.
    rule: Option<DecisionRule>,
    decision_count: usize,
}

impl HunkDecider {
    /// Asks the person if there is a terminal and no rule is given. Without a terminal, the rule is `alternate`, which
    /// shows both outcomes.
    pub(super) fn new(rule: Option<DecisionRule>) -> Self {
        let someone = io::stdin().is_terminal() && io::stdout().is_terminal();
        let otherwise = if someone { None } else { Some(DecisionRule::Alternate) };
        Self { rule: rule.or(otherwise), decision_count: 0 }
    }

    /// Returns whether the person decides.
    pub(super) fn has_person(&self) -> bool {
        self.rule.is_none()
    }

    /// Decides on the hunk that was just shown, and prints the decision.
    ///
    /// # Errors
    /// The error of the terminal.
    pub(super) fn decide_hunk(&mut self, page: TerminalPage) -> io::Result<DemoDecision> {
        self.decision_count += 1;
        let decision = by_rule(self.rule.unwrap_or(DecisionRule::Alternate), self.decision_count);
        let (word, look) = match decision.act {
            Act::Accept => ("accepted", TextLook::Green),
            Act::Reject => ("rejected", TextLook::Red),
        };
        let reason = decision.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        page.write_line(format!("{}{}", page.paint(look, word), page.paint(TextLook::Dim, &reason)))?;
        Ok(decision)
    }
}

/// The decision on the hunk of that number, counted from 1.
fn by_rule(rule: DecisionRule, number: usize) -> DemoDecision {
    let accept = match rule {
        DecisionRule::All => true,
        DecisionRule::None => false,
        DecisionRule::Alternate => number % 2 == 1,
    };
    match accept {
        true => DemoDecision { act: Act::Accept, reason: None },
        false => DemoDecision { act: Act::Reject, reason: Some(format!("--decide {}", rule_name(rule))) },
    }
}

/// The rule as it is written on the command line.
fn rule_name(rule: DecisionRule) -> &'static str {
    match rule {
        DecisionRule::All => "all",
        DecisionRule::None => "none",
        DecisionRule::Alternate => "alternate",
    }
}

#[cfg(test)]
mod tests {
    use super::{DecisionRule, DemoDecision, by_rule};
    use crate::protocol::Act;

    #[test]
    fn rules_decide_by_number() {
        let acts = |rule| (1..=4).map(|number| by_rule(rule, number).act).collect::<Vec<_>>();
        use Act::{Accept, Reject};
        assert_eq!(acts(DecisionRule::All), [Accept; 4]);
        assert_eq!(acts(DecisionRule::None), [Reject; 4]);
        assert_eq!(acts(DecisionRule::Alternate), [Accept, Reject, Accept, Reject]);
        let rejected = DemoDecision { act: Reject, reason: Some("--decide alternate".to_owned()) };
        assert_eq!(by_rule(DecisionRule::Alternate, 2), rejected);
    }
}
