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

/// Decides hunk after hunk.
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

    /// Decides on the hunk that was just shown.
    ///
    /// # Errors
    /// What the terminal says.
    pub(super) fn next(&mut self, page: TerminalPage) -> io::Result<Decision> {
        self.decided += 1;
        let decision = match self.rule {
            Some(rule) => by_rule(rule, self.decided),
            None => self.ask(page)?,
        };
        let (word, look) = match decision.act {
            Act::Accept => ("accepted", TextLook::Green),
            Act::Reject => ("rejected", TextLook::Red),
        };
        let reason = decision.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        page.line(format!("   {}{}", page.paint(look, word), page.paint(TextLook::Dim, &reason)))?;
        Ok(decision)
    }

    /// Asks until it hears an answer that it knows. The end of the input rejects what is left.
    fn ask(&mut self, page: TerminalPage) -> io::Result<Decision> {
        loop {
            page.prompt(
                "   Accept this hunk? [y]es, [n]o, [r]eject with a reason, [a]ll that follow, [q]uit: ",
            )?;
            let Some(answer) = line()? else { return Ok(self.quit()) };
            let (word, rest) = answer.split_once(' ').unwrap_or((&answer, ""));
            match word.to_lowercase().as_str() {
                "y" | "yes" => return Ok(Decision { act: Act::Accept, reason: None }),
                "n" | "no" => return Ok(Decision { act: Act::Reject, reason: None }),
                "r" | "reject" => return Ok(Decision { act: Act::Reject, reason: reason(page, rest)? }),
                "a" | "all" => {
                    self.rule = Some(DecisionRule::All);
                    return Ok(by_rule(DecisionRule::All, 0));
                }
                "q" | "quit" => return Ok(self.quit()),
                _ => page.line("   Answer with y, n, r, a or q.")?,
            }
        }
    }

    /// Rejects this one and what is left.
    fn quit(&mut self) -> Decision {
        self.rule = Some(DecisionRule::None);
        Decision { act: Act::Reject, reason: Some("the person ended the review".to_owned()) }
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

/// The reason that followed the letter, or one that is asked for.
fn reason(page: TerminalPage, given: &str) -> io::Result<Option<String>> {
    let given = match given.trim() {
        "" => {
            page.prompt("   Why not? The agent will read it: ")?;
            line()?.unwrap_or_default()
        }
        given => given.to_owned(),
    };
    Ok((!given.is_empty()).then_some(given))
}

/// A line from the terminal; nothing at the end of the input.
fn line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
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
