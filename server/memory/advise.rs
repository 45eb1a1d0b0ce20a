//! Decides on a model's hint: a model advises, the server decides, and the answer gives the decision and the reason.

use super::hotness::FileStanding;
use crate::protocol::{Advice, Outcome};

/// The sum of touches from which a file counts as worked on.
const BUSY: f64 = 1.0;

/// The facts about the file that a hint names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HintFacts {
    /// The reason why no hint can count: no such file, a folder, closed by a rule.
    pub bar: Option<String>,
    /// Its current standing.
    pub standing: FileStanding,
    /// The sum of its touches.
    pub touched: f64,
    /// The number of those touches and their agent, as a phrase: `5 reads by codex`.
    pub touches: String,
    /// About how many tokens it holds.
    pub tokens: u64,
    /// Tokens of the budget that remain after the hot and pinned files.
    pub left: u64,
    /// Tokens that a context may hold.
    pub budget: u64,
}

/// Decides about a model's hint that a file is hot or cold; returns the outcome and the reason.
pub(crate) fn decide_hint(advice: Advice, facts: &HintFacts) -> (Outcome, String) {
    if let Some(bar) = &facts.bar {
        return (Outcome::Overridden, bar.clone());
    }
    let standing = &facts.standing;
    let by_person = standing.hint.as_ref().filter(|hint| hint.by.is_none()).map(|hint| hint.advice);
    let known = standing.hint.as_ref().is_some_and(|hint| hint.advice == advice);
    match advice {
        Advice::Hot if by_person == Some(Advice::Cold) => {
            (Outcome::Overridden, "the person called it cold".to_owned())
        }
        Advice::Hot if known => (Outcome::Honoured, "it was hot already".to_owned()),
        Advice::Hot if standing.pinned => {
            (Outcome::Honoured, "it is pinned, so it was in the set already".to_owned())
        }
        Advice::Hot if facts.tokens > facts.left => (
            Outcome::Deferred,
            format!(
                "it holds about {} tokens, and of the budget of {} only {} are left beside what is hot and pinned: \
                 call something cold first, or ask for a part of it",
                facts.tokens, facts.budget, facts.left
            ),
        ),
        Advice::Hot => (Outcome::Honoured, "it is hot from now on".to_owned()),
        Advice::Cold if standing.pinned => (Outcome::Overridden, "the person pinned it".to_owned()),
        Advice::Cold if standing.unsaved => {
            (Outcome::Overridden, "the person is changing it: it holds unsaved text".to_owned())
        }
        Advice::Cold if !standing.pending.is_empty() => {
            let hunks = standing.pending_hunks();
            let wait = if hunks == 1 { "hunk in it waits" } else { "hunks in it wait" };
            (Outcome::Overridden, format!("{hunks} {wait} for a decision"))
        }
        Advice::Cold if by_person == Some(Advice::Hot) => {
            (Outcome::Overridden, "the person called it hot".to_owned())
        }
        Advice::Cold if known => (Outcome::Honoured, "it was cold already".to_owned()),
        Advice::Cold if facts.touched >= BUSY => {
            (Outcome::Promoted, format!("it is worked on, so it stays hot: {}", facts.touches))
        }
        Advice::Cold if standing.open => {
            (Outcome::Honoured, "it is cold from now on, though the person has it open".to_owned())
        }
        Advice::Cold => (Outcome::Honoured, "it is cold from now on".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::hotness::ActiveHint;

    fn facts(standing: FileStanding) -> HintFacts {
        HintFacts { standing, tokens: 100, left: 1000, budget: 2000, ..HintFacts::default() }
    }

    fn hint(advice: Advice, by: Option<&str>) -> Option<ActiveHint> {
        Some(ActiveHint { advice, by: by.map(str::to_owned), why: String::new() })
    }

    fn check(advice: Advice, facts: &HintFacts, outcome: Outcome, reason: &str) {
        let (got, why) = decide_hint(advice, facts);
        assert_eq!(got, outcome, "{why}");
        assert!(why.contains(reason), "{why}");
    }

    #[test]
    fn the_server_decides_and_says_why() {
        use Advice::{Cold, Hot};
        let plain = facts(FileStanding::default());
        check(Hot, &plain, Outcome::Honoured, "from now on");
        check(Cold, &plain, Outcome::Honoured, "from now on");
        let gone = HintFacts { bar: Some("there is no such file; near it: a.rs".into()), ..plain.clone() };
        check(Hot, &gone, Outcome::Overridden, "near it: a.rs");
        check(Hot, &HintFacts { left: 99, ..plain.clone() }, Outcome::Deferred, "only 99 are left");
        let pinned = facts(FileStanding { pinned: true, ..FileStanding::default() });
        check(Cold, &pinned, Outcome::Overridden, "pinned");
        check(Hot, &HintFacts { left: 0, ..pinned }, Outcome::Honoured, "pinned");
        check(
            Cold,
            &facts(FileStanding { unsaved: true, open: true, ..FileStanding::default() }),
            Outcome::Overridden,
            "unsaved",
        );
        let pending = FileStanding { pending: vec![("p".into(), 1)], ..FileStanding::default() };
        check(Cold, &facts(pending), Outcome::Overridden, "1 hunk in it waits");
        check(
            Cold,
            &facts(FileStanding { open: true, ..FileStanding::default() }),
            Outcome::Honoured,
            "open",
        );
        let busy = HintFacts { touched: 1.5, touches: "6 reads by codex".into(), ..plain };
        check(Cold, &busy, Outcome::Promoted, "6 reads by codex");
        let of = |advice, by| facts(FileStanding { hint: hint(advice, by), ..FileStanding::default() });
        check(Cold, &of(Hot, None), Outcome::Overridden, "the person called it hot");
        check(Hot, &of(Cold, None), Outcome::Overridden, "the person called it cold");
        check(Cold, &of(Hot, Some("codex")), Outcome::Honoured, "from now on");
        check(Hot, &HintFacts { left: 0, ..of(Hot, Some("codex")) }, Outcome::Honoured, "already");
    }
}
