//! One turn: the model is asked, its calls are made, and it is asked again, until something ends it.

use tokio_util::sync::CancellationToken;

use super::calls::{Act, Meant};
use super::run::AgentLoop;
use super::step::Ended;
use super::stuck::{Done, Verdict, Watchdog};
use crate::model::{ModelCall, ModelMessage};
use crate::protocol::{AgentEnd, Code, Fault};

/// Calls of one answer that are made.
const CALLS: usize = 32;
/// Characters of an answer that is looked through for a question.
const ASKED: usize = 400;

/// What the model is told once where it calls nothing.
pub(super) const NUDGE: &str =
    "If the task is done, call task_complete with a summary for the person. If not, go on with a tool.";

/// How a turn ended.
#[derive(Clone, Debug)]
pub(super) struct TurnEnd {
    pub(super) end: AgentEnd,
    pub(super) text: String,
    pub(super) fault: Option<Fault>,
}

impl TurnEnd {
    pub(super) fn new(end: AgentEnd, text: impl Into<String>) -> Self {
        Self { end, text: text.into(), fault: None }
    }

    pub(super) fn failed(fault: Fault) -> Self {
        let text = fault.message.clone();
        Self { end: AgentEnd::Failed, text, fault: Some(fault) }
    }
}

/// What a turn knows of itself.
struct TurnState {
    cancel: CancellationToken,
    watchdog: Watchdog,
    /// Whether the model was asked to go on after an answer in words.
    nudged: bool,
}

/// What an answer of the model without calls leads to.
enum Idle {
    /// The model is asked again.
    GoOn,
    /// The turn ends.
    End(Box<TurnEnd>),
}

impl AgentLoop {
    /// Works until the turn ends.
    pub(super) async fn turn(&mut self, cancel: &CancellationToken) -> TurnEnd {
        let mut state = TurnState { cancel: cancel.clone(), watchdog: Watchdog::default(), nudged: false };
        self.meter.turn();
        loop {
            if let Some(limit) = self.meter.reached() {
                return TurnEnd::new(AgentEnd::Limit, format!("{limit}; say \"go on\" to let it work on"));
            }
            match self.step(&mut state).await {
                Ok(()) => {}
                Err(end) => return *end,
            }
        }
    }

    /// Asks the model once, and makes its calls.
    async fn step(&mut self, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        if state.cancel.is_cancelled() {
            return Err(Box::new(cancelled()));
        }
        for words in self.hands.run.take_said() {
            self.history.say(words);
        }
        let (reply, meant) = self.asked(&state.cancel).await?;
        let text = reply.text.trim().to_owned();
        self.history.push(ModelMessage::Assistant {
            text: reply.text,
            calls: reply.calls,
            state: reply.state,
        });
        self.history.newest_is_logged();
        if meant.is_empty() {
            return match self.idle(&text, state) {
                Idle::GoOn => Ok(()),
                Idle::End(end) => Err(end),
            };
        }
        state.nudged = false;
        self.calls(meant, state).await
    }

    /// What becomes of an answer with no calls.
    fn idle(&mut self, text: &str, state: &mut TurnState) -> Idle {
        if text.is_empty() {
            return match state.watchdog.empty() {
                Verdict::Over(reason) => Idle::End(Box::new(TurnEnd::new(AgentEnd::Stuck, reason))),
                Verdict::Hint(hint) => {
                    // An empty message is refused by some servers.
                    self.history.drop_newest();
                    self.history.say(hint);
                    Idle::GoOn
                }
                Verdict::Fine => Idle::GoOn,
            };
        }
        let asks = is_question(text);
        if asks {
            return Idle::End(Box::new(TurnEnd::new(AgentEnd::Asks, text)));
        }
        if state.nudged {
            return Idle::End(Box::new(TurnEnd::new(AgentEnd::Answered, text)));
        }
        state.nudged = true;
        self.history.say(NUDGE);
        Idle::GoOn
    }

    /// Makes the calls of an answer.
    async fn calls(&mut self, mut meant: Vec<Meant>, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        for refused in meant.iter_mut().skip(CALLS) {
            let message = format!("an answer may make {CALLS} calls; this one was left out");
            refused.act = Act::Refuse(Box::new(
                Fault::new(Code::QuotaExceeded, message).suggest("make fewer calls at a time"),
            ));
        }
        let (last, first): (Vec<Meant>, Vec<Meant>) =
            meant.into_iter().partition(|meant| matches!(meant.act, Act::Complete));
        let (hands, cancel) = (self.hands.clone(), state.cancel.clone());
        let order: Vec<String> = first.iter().chain(&last).map(|meant| meant.call.id.clone()).collect();
        let work = async {
            let mut ended = hands.make(first).await;
            let is_well = ended.iter().all(|ended| !ended.failed && !ended.rejected);
            match is_well {
                true => ended.extend(hands.make(last).await),
                false => ended.extend(last.into_iter().map(premature)),
            }
            ended
        };
        let ended = tokio::select! {
            ended = work => ended,
            () = cancel.cancelled() => {
                self.unanswered(&order);
                return Err(Box::new(cancelled()));
            }
        };
        self.told(ended, state)
    }

    /// Tells the model how its calls ended.
    fn told(&mut self, ended: Vec<Ended>, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        let (mut hints, mut over, mut complete) = (Vec::new(), None, None);
        self.barred = None;
        for ended in ended {
            self.history.push(ended.message());
            if matches!(ended.meant.act, Act::Complete) {
                let summary = ended.meant.arguments.get("summary").and_then(|summary| summary.as_str());
                complete = summary.filter(|_| !ended.failed).map(str::to_owned);
            }
            let changed = ended.changed.as_ref().map(|(path, hash)| (path.as_str(), hash.as_str()));
            let done = Done {
                tool: &ended.meant.tool,
                arguments: &ended.meant.arguments,
                told: &ended.text,
                failed: ended.failed,
                changed,
            };
            match state.watchdog.called(done) {
                Verdict::Fine if ended.unchanged => self.barred = Some(ended.meant.call.name.clone()),
                Verdict::Fine => {}
                Verdict::Hint(hint) => {
                    self.barred = Some(ended.meant.call.name.clone());
                    hints.push(hint);
                }
                Verdict::Over(reason) => over = Some(reason),
            }
        }
        if let Some(summary) = complete {
            return Err(Box::new(TurnEnd::new(AgentEnd::Complete, summary)));
        }
        if let Some(reason) = over {
            return Err(Box::new(TurnEnd::new(AgentEnd::Stuck, reason)));
        }
        for hint in hints {
            self.note(hint.clone());
            self.history.say(hint);
        }
        Ok(())
    }

    /// Calls that were cancelled have a result all the same: a conversation with a call and no result is refused.
    fn unanswered(&mut self, calls: &[String]) {
        let made: Vec<ModelCall> = match self.history.messages().last() {
            Some(ModelMessage::Assistant { calls, .. }) => calls.clone(),
            _ => Vec::new(),
        };
        for call in made.into_iter().filter(|call| calls.contains(&call.id)) {
            self.history.push(ModelMessage::ToolResult {
                call_id: call.id,
                name: call.name,
                text: "The person cancelled this turn before the result was here.".to_owned(),
                failed: true,
            });
        }
    }
}

/// `task_complete` beside calls that did not go well: the model has to see those first.
fn premature(meant: Meant) -> Ended {
    let text = "Not taken yet: other calls of the same answer failed or were rejected. Look at their results, then go on, or \
                call task_complete again."
        .to_owned();
    let act = Act::Refuse(Box::new(Fault::new(Code::InvalidArgs, text.clone())));
    Ended {
        text,
        failed: true,
        changed: None,
        rejected: false,
        unchanged: false,
        meant: Meant { act, ..meant },
    }
}

pub(super) fn cancelled() -> TurnEnd {
    TurnEnd::new(AgentEnd::Cancelled, "the person cancelled the turn")
}

/// Whether words end by asking the person something.
fn is_question(text: &str) -> bool {
    let tail: Vec<char> = text.trim_end().chars().rev().take(ASKED).collect();
    tail.iter()
        .find(|c| c.is_alphanumeric() || matches!(c, '?' | '？'))
        .is_some_and(|c| matches!(c, '?' | '？'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_end_by_asking_are_a_question() {
        let cases = [
            ("Which file do you mean?", true),
            ("Should I go on? **", true),
            ("Why? Because it is so.", false),
            ("", false),
        ];
        for (text, asks) in cases {
            assert_eq!(is_question(text), asks, "{text}");
        }
    }
}
