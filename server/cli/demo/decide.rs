//! The rule that decides on hunks where no person does: it answers the questions of `wherefore review` as one would.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

use crate::cli::answer;
use crate::cli::review::walk::{LineInput, StandardInput};

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

/// Types the answer of a rule to each question.
#[derive(Debug)]
struct RuleInput {
    rule: DecisionRule,
    /// The number of answers so far.
    answer_count: usize,
}

impl LineInput for RuleInput {
    fn next_line(&mut self) -> Option<String> {
        self.answer_count += 1;
        let line = rule_key(self.rule, self.answer_count);
        answer::write_line(&line);
        Some(line)
    }
}

/// The answers to the questions about hunks: those of a rule, or of the person if there is a terminal and no rule is given.
/// Without a terminal the rule is `alternate`, which shows both outcomes.
pub(super) fn decision_input(rule: Option<DecisionRule>) -> Box<dyn LineInput> {
    let has_person = io::stdin().is_terminal() && io::stdout().is_terminal();
    match rule.or((!has_person).then_some(DecisionRule::Alternate)) {
        Some(rule) => Box::new(RuleInput { rule, answer_count: 0 }),
        None => Box::new(StandardInput),
    }
}

/// The key for the hunk of that number, counted from 1.
fn rule_key(rule: DecisionRule, number: usize) -> String {
    match rule {
        DecisionRule::All => "y".to_owned(),
        DecisionRule::None => "r --decide none".to_owned(),
        DecisionRule::Alternate if number % 2 == 1 => "y".to_owned(),
        DecisionRule::Alternate => "r --decide alternate".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{DecisionRule, rule_key};

    #[test]
    fn rules_decide_by_number() {
        let keys = |rule| (1..=3).map(|number| rule_key(rule, number)).collect::<Vec<_>>();
        assert_eq!(keys(DecisionRule::All), ["y"; 3]);
        assert_eq!(keys(DecisionRule::None), ["r --decide none"; 3]);
        assert_eq!(keys(DecisionRule::Alternate), ["y", "r --decide alternate", "y"]);
    }
}
