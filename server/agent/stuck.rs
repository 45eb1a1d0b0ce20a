//! A model that goes round in circles is told so, and stopped where that does not help.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::hash;

/// How often a call may fail, or answer the same, before the model is told.
const TOLD: u32 = 2;
/// How often before the turn ends.
const OVER: u32 = 5;
/// How often a file may come back to a text that it had before.
const RETURNS: u32 = 2;
/// Answers of nothing in a row before the turn ends.
const EMPTY: u32 = 3;

/// What was seen so far in a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchdog {
    /// How often each call came with the same answer, by a hash of both.
    same: HashMap<String, u32>,
    /// The texts that each path had, as hashes, in order.
    texts: HashMap<String, Vec<String>>,
    /// How often a path came back to an earlier text.
    returns: HashMap<String, u32>,
    empty: u32,
}

/// What is to be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    Fine,
    /// The model is told this beside the result.
    Hint(String),
    /// The turn ends, for this reason.
    Over(String),
}

/// A call that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// What the model is told of it.
    pub(super) told: &'a str,
    pub(super) failed: bool,
    /// The path that it changed, and a hash of the text that it has since.
    pub(super) changed: Option<(&'a str, &'a str)>,
}

impl Watchdog {
    /// Notes a call that ended.
    pub(super) fn called(&mut self, done: Done<'_>) -> Verdict {
        self.empty = 0;
        if let Some((path, text)) = done.changed {
            return self.changed(path, text);
        }
        let mut arguments = done.arguments.clone();
        if let Some(arguments) = arguments.as_object_mut() {
            // The same act for another reason is the same act.
            arguments.remove("why");
        }
        // A failure counts by its call alone: its words may differ in a number.
        let told = if done.failed { "" } else { done.told };
        let key = hash::short(format!("{}\n{arguments}\n{}\n{told}", done.tool, done.failed).as_bytes());
        let count = self.same.entry(key).or_default();
        *count += 1;
        let what = if done.failed { "failed" } else { "answered the same" };
        match *count {
            count if count >= OVER => Verdict::Over(format!(
                "the model made the same call of {} {count} times, and it {what} each time",
                done.tool
            )),
            count if count >= TOLD => Verdict::Hint(match done.failed {
                true => format!(
                    "This call failed {count} times with the same arguments. Do not make it again: read the fault, change the arguments, or take another way."
                ),
                false => format!(
                    "This call answered the same {count} times. Use the answer that you have, or do something else."
                ),
            }),
            _ => Verdict::Fine,
        }
    }

    /// A file has another text; one that it had before is an undone change.
    fn changed(&mut self, path: &str, text: &str) -> Verdict {
        let texts = self.texts.entry(path.to_owned()).or_default();
        let is_return = texts.iter().rev().skip(1).any(|earlier| earlier == text);
        texts.push(text.to_owned());
        if !is_return {
            return Verdict::Fine;
        }
        let returns = self.returns.entry(path.to_owned()).or_default();
        *returns += 1;
        match *returns {
            count if count > RETURNS => {
                Verdict::Over(format!("the model changed {path} back and forth {count} times"))
            }
            _ => Verdict::Hint(format!(
                "{path} has a text again that it had before: your changes undo each other. Decide which one is right before you change it again."
            )),
        }
    }

    /// Notes an answer with no words and no calls.
    pub(super) fn empty(&mut self) -> Verdict {
        self.empty += 1;
        match self.empty {
            count if count >= EMPTY => Verdict::Over(format!("the model answered nothing {count} times in a row")),
            _ => Verdict::Hint("Your answer was empty. Call a tool to go on with the task, or call task_complete with a summary.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Fine => "fine",
            Verdict::Hint(_) => "hint",
            Verdict::Over(_) => "over",
        }
    }

    #[test]
    fn the_same_failing_call_is_told_of_and_then_over_whatever_its_why_says() {
        let mut watchdog = Watchdog::default();
        let mut verdicts = Vec::new();
        for round in 0..5 {
            let arguments = json!({ "path": "a", "why": format!("try {round}") });
            let told = format!("fault {round}");
            let done =
                Done { tool: "fs.read", arguments: &arguments, told: &told, failed: true, changed: None };
            verdicts.push(word(&watchdog.called(done)));
        }
        assert_eq!(verdicts, ["fine", "hint", "hint", "hint", "over"]);
        let other = json!({ "path": "b" });
        let done = Done { tool: "fs.read", arguments: &other, told: "", failed: true, changed: None };
        assert_eq!(watchdog.called(done), Verdict::Fine);
    }

    #[test]
    fn a_call_that_answers_something_new_each_time_is_no_circle() {
        let mut watchdog = Watchdog::default();
        let arguments = json!({});
        for round in 0..9 {
            let told = round.to_string();
            let done = Done {
                tool: "terminal.output",
                arguments: &arguments,
                told: &told,
                failed: false,
                changed: None,
            };
            assert_eq!(watchdog.called(done), Verdict::Fine);
        }
    }

    #[test]
    fn changes_that_undo_each_other_are_noticed() {
        let mut watchdog = Watchdog::default();
        let arguments = json!({});
        let verdicts: Vec<&str> = ["a", "b", "a", "b", "a"]
            .into_iter()
            .map(|text| {
                let changed = Some(("f", text));
                word(&watchdog.called(Done {
                    tool: "fs.edit",
                    arguments: &arguments,
                    told: "",
                    failed: false,
                    changed,
                }))
            })
            .collect();
        assert_eq!(verdicts, ["fine", "fine", "hint", "hint", "over"]);
    }

    #[test]
    fn answers_of_nothing_end_a_turn() {
        let mut watchdog = Watchdog::default();
        let verdicts: Vec<&str> = (0..3).map(|_| word(&watchdog.empty())).collect();
        assert_eq!(verdicts, ["hint", "hint", "over"]);
    }
}
