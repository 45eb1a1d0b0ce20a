//! The watchdog for a model that goes round in circles: it gets a hint, and is stopped if that does not help.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::hash;

/// The number of failures or equal answers of a call after which the model gets a hint.
const TOLD: u32 = 2;
/// The number after which the turn ends.
const OVER: u32 = 5;
/// The number of times that a file may return to an earlier text.
const RETURNS: u32 = 2;
/// The number of empty answers in a row that end the turn.
const EMPTY: u32 = 3;

/// The observations of a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchdog {
    /// The number of times that each call had the same answer, by a hash of both.
    same: HashMap<String, u32>,
    /// The texts that each path had, as hashes, in order.
    texts: HashMap<String, Vec<String>>,
    /// The number of times that a path returned to an earlier text.
    returns: HashMap<String, u32>,
    empty: u32,
}

/// The reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchdogVerdict {
    /// No reaction.
    Fine,
    /// The model gets this hint with the result.
    Hint(String),
    /// The turn ends, for this reason.
    Over(String),
}

/// A call that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchedCall<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// The result for the model.
    pub(super) told: &'a str,
    pub(super) failed: bool,
    /// The path that it changed, and a hash of its new text.
    pub(super) changed: Option<(&'a str, &'a str)>,
}

impl Watchdog {
    /// Notes a call that ended.
    pub(super) fn note_call(&mut self, done: WatchedCall<'_>) -> WatchdogVerdict {
        self.empty = 0;
        if let Some((path, text)) = done.changed {
            return self.note_change(path, text);
        }
        let mut arguments = done.arguments.clone();
        if let Some(arguments) = arguments.as_object_mut() {
            // An action with another reason is still the same action.
            arguments.remove("why");
        }
        // A failure counts by its call alone: its message may differ in a number.
        let told = if done.failed { "" } else { done.told };
        let key = hash::short_hash(format!("{}\n{arguments}\n{}\n{told}", done.tool, done.failed).as_bytes());
        let count = self.same.entry(key).or_default();
        *count += 1;
        let what = if done.failed { "failed" } else { "answered the same" };
        match *count {
            count if count >= OVER => WatchdogVerdict::Over(format!(
                "the model made the same call of {} {count} times, and it {what} each time",
                done.tool
            )),
            count if count >= TOLD => WatchdogVerdict::Hint(match done.failed {
                true => format!(
                    "This call failed {count} times with the same arguments. Do not make it again: read the fault, change the arguments, or take another way."
                ),
                false => format!(
                    "This call answered the same {count} times. Use the answer that you have, or do something else."
                ),
            }),
            _ => WatchdogVerdict::Fine,
        }
    }

    /// Records a file's new text; a return to an earlier text is an undone change.
    fn note_change(&mut self, path: &str, text: &str) -> WatchdogVerdict {
        let texts = self.texts.entry(path.to_owned()).or_default();
        let is_return = texts.iter().rev().skip(1).any(|earlier| earlier == text);
        texts.push(text.to_owned());
        if !is_return {
            return WatchdogVerdict::Fine;
        }
        let returns = self.returns.entry(path.to_owned()).or_default();
        *returns += 1;
        match *returns {
            count if count > RETURNS => {
                WatchdogVerdict::Over(format!("the model changed {path} back and forth {count} times"))
            }
            _ => WatchdogVerdict::Hint(format!(
                "{path} has a text again that it had before: your changes undo each other. Decide which one is right before you change it again."
            )),
        }
    }

    /// Notes an answer with no words and no calls.
    pub(super) fn note_empty(&mut self) -> WatchdogVerdict {
        self.empty += 1;
        match self.empty {
            count if count >= EMPTY => WatchdogVerdict::Over(format!("the model answered nothing {count} times in a row")),
            _ => WatchdogVerdict::Hint("Your answer was empty. Call a tool to go on with the task, or call task_complete with a summary.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn word(verdict: &WatchdogVerdict) -> &'static str {
        match verdict {
            WatchdogVerdict::Fine => "fine",
            WatchdogVerdict::Hint(_) => "hint",
            WatchdogVerdict::Over(_) => "over",
        }
    }

    #[test]
    fn the_same_failing_call_is_told_of_and_then_over_whatever_its_why_says() {
        let mut watchdog = Watchdog::default();
        let mut verdicts = Vec::new();
        for round in 0..5 {
            let arguments = json!({ "path": "a", "why": format!("try {round}") });
            let told = format!("fault {round}");
            let done = WatchedCall {
                tool: "fs.read",
                arguments: &arguments,
                told: &told,
                failed: true,
                changed: None,
            };
            verdicts.push(word(&watchdog.note_call(done)));
        }
        assert_eq!(verdicts, ["fine", "hint", "hint", "hint", "over"]);
        let other = json!({ "path": "b" });
        let done = WatchedCall { tool: "fs.read", arguments: &other, told: "", failed: true, changed: None };
        assert_eq!(watchdog.note_call(done), WatchdogVerdict::Fine);
    }

    #[test]
    fn a_call_that_answers_something_new_each_time_is_no_circle() {
        let mut watchdog = Watchdog::default();
        let arguments = json!({});
        for round in 0..9 {
            let told = round.to_string();
            let done = WatchedCall {
                tool: "terminal.output",
                arguments: &arguments,
                told: &told,
                failed: false,
                changed: None,
            };
            assert_eq!(watchdog.note_call(done), WatchdogVerdict::Fine);
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
                word(&watchdog.note_call(WatchedCall {
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
        let verdicts: Vec<&str> = (0..3).map(|_| word(&watchdog.note_empty())).collect();
        assert_eq!(verdicts, ["hint", "hint", "over"]);
    }
}
