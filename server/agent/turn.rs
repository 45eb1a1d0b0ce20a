//! A turn: the model is asked and its calls are made, again and again, until something ends it.

use tokio_util::sync::CancellationToken;

use super::calls::{CallAct, UnderstoodCall};
use super::run::AgentLoop;
use super::step::EndedCall;
use super::watchdog::{Watchdog, WatchdogVerdict, WatchedCall};
use crate::model::{ModelCall, ModelMessage};
use crate::protocol::{AgentEnd, Code, Fault};

/// Calls of one answer that are made.
const CALLS: usize = 32;
/// Characters of an answer that are searched for a question.
const ASKED: usize = 400;

/// The message for a model that calls nothing, sent once.
pub(super) const NUDGE: &str =
    "If the task is done, call task_complete with a summary for the person. If not, go on with a tool.";

/// The end of a turn.
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

    pub(super) fn from_fault(fault: Fault) -> Self {
        let text = fault.message.clone();
        Self { end: AgentEnd::Failed, text, fault: Some(fault) }
    }
}

/// The state of a turn.
struct TurnState {
    cancel: CancellationToken,
    watchdog: Watchdog,
    /// True if the model was asked to go on after a text answer.
    is_nudged: bool,
}

/// The consequence of an answer without calls.
enum NoCallOutcome {
    /// The model is asked again.
    GoOn,
    /// The turn ends.
    End(Box<TurnEnd>),
}

impl AgentLoop {
    /// Works until the turn ends.
    pub(super) async fn run_turn(&mut self, cancel: &CancellationToken) -> TurnEnd {
        let mut state = TurnState { cancel: cancel.clone(), watchdog: Watchdog::default(), is_nudged: false };
        self.meter.begin_turn();
        loop {
            if let Some(limit) = self.meter.reached_limit() {
                return TurnEnd::new(AgentEnd::Limit, format!("{limit}; say \"go on\" to let it work on"));
            }
            match self.run_step(&mut state).await {
                Ok(()) => {}
                Err(end) => return *end,
            }
        }
    }

    /// Asks the model once, and makes its calls.
    async fn run_step(&mut self, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        if state.cancel.is_cancelled() {
            return Err(Box::new(cancelled_turn()));
        }
        for words in self.call_maker.run.take_messages() {
            self.history.push_words(words);
        }
        let (reply, meant) = self.ask_model(&state.cancel).await?;
        let text = reply.text.trim().to_owned();
        self.history.push_message(ModelMessage::Assistant {
            text: reply.text,
            calls: reply.calls,
            state: reply.state,
        });
        self.history.mark_newest_logged();
        if meant.is_empty() {
            return match self.answer_without_calls(&text, state) {
                NoCallOutcome::GoOn => Ok(()),
                NoCallOutcome::End(end) => Err(end),
            };
        }
        state.is_nudged = false;
        self.make_calls(meant, state).await
    }

    /// Handles an answer without calls.
    fn answer_without_calls(&mut self, text: &str, state: &mut TurnState) -> NoCallOutcome {
        if text.is_empty() {
            return match state.watchdog.note_empty() {
                WatchdogVerdict::Over(reason) => {
                    NoCallOutcome::End(Box::new(TurnEnd::new(AgentEnd::Stuck, reason)))
                }
                WatchdogVerdict::Hint(hint) => {
                    // An empty message is refused by some servers.
                    self.history.drop_newest();
                    self.history.push_words(hint);
                    NoCallOutcome::GoOn
                }
                WatchdogVerdict::Fine => NoCallOutcome::GoOn,
            };
        }
        let asks = is_question(text);
        if asks {
            return NoCallOutcome::End(Box::new(TurnEnd::new(AgentEnd::Asks, text)));
        }
        if state.is_nudged {
            return NoCallOutcome::End(Box::new(TurnEnd::new(AgentEnd::Answered, text)));
        }
        state.is_nudged = true;
        self.history.push_words(NUDGE);
        NoCallOutcome::GoOn
    }

    /// Makes the calls of an answer.
    async fn make_calls(
        &mut self,
        mut meant: Vec<UnderstoodCall>,
        state: &mut TurnState,
    ) -> Result<(), Box<TurnEnd>> {
        for refused in meant.iter_mut().skip(CALLS) {
            let message = format!("an answer may make {CALLS} calls; this one was left out");
            refused.act = CallAct::Refuse(Box::new(
                Fault::new(Code::QuotaExceeded, message).with_suggestion("make fewer calls at a time"),
            ));
        }
        let (last, first): (Vec<UnderstoodCall>, Vec<UnderstoodCall>) =
            meant.into_iter().partition(|meant| matches!(meant.act, CallAct::Complete));
        let (hands, cancel) = (self.call_maker.clone(), state.cancel.clone());
        let order: Vec<String> = first.iter().chain(&last).map(|meant| meant.call.id.clone()).collect();
        let work = async {
            let mut ended = hands.make_calls(first).await;
            let is_well = ended.iter().all(|ended| !ended.is_failed && !ended.has_rejection);
            match is_well {
                true => ended.extend(hands.make_calls(last).await),
                false => ended.extend(last.into_iter().map(refuse_completion)),
            }
            ended
        };
        let ended = tokio::select! {
            ended = work => ended,
            () = cancel.cancelled() => {
                self.answer_cancelled_calls(&order);
                return Err(Box::new(cancelled_turn()));
            }
        };
        self.tell_results(ended, state)
    }

    /// Adds the results of its calls to the conversation.
    fn tell_results(&mut self, ended: Vec<EndedCall>, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        let (mut hints, mut over, mut complete) = (Vec::new(), None, None);
        self.barred_tool = None;
        for ended in ended {
            self.history.push_message(ended.result_message());
            if matches!(ended.meant.act, CallAct::Complete) {
                let summary = ended.meant.arguments.get("summary").and_then(|summary| summary.as_str());
                complete = summary.filter(|_| !ended.is_failed).map(str::to_owned);
            }
            let changed = ended.changed_text.as_ref().map(|(path, hash)| (path.as_str(), hash.as_str()));
            let done = WatchedCall {
                tool: &ended.meant.tool,
                arguments: &ended.meant.arguments,
                told: &ended.text,
                failed: ended.is_failed,
                changed,
            };
            match state.watchdog.note_call(done) {
                WatchdogVerdict::Fine if ended.unchanged => {
                    self.barred_tool = Some(ended.meant.call.name.clone())
                }
                WatchdogVerdict::Fine => {}
                WatchdogVerdict::Hint(hint) => {
                    self.barred_tool = Some(ended.meant.call.name.clone());
                    hints.push(hint);
                }
                WatchdogVerdict::Over(reason) => over = Some(reason),
            }
        }
        if let Some(summary) = complete {
            return Err(Box::new(TurnEnd::new(AgentEnd::Complete, summary)));
        }
        if let Some(reason) = over {
            return Err(Box::new(TurnEnd::new(AgentEnd::Stuck, reason)));
        }
        for hint in hints {
            self.note_to_person(hint.clone());
            self.history.push_words(hint);
        }
        Ok(())
    }

    /// Adds results for calls that were cancelled: servers refuse a conversation with a call and no result.
    fn answer_cancelled_calls(&mut self, calls: &[String]) {
        let made: Vec<ModelCall> = match self.history.messages().last() {
            Some(ModelMessage::Assistant { calls, .. }) => calls.clone(),
            _ => Vec::new(),
        };
        for call in made.into_iter().filter(|call| calls.contains(&call.id)) {
            self.history.push_message(ModelMessage::ToolResult {
                call_id: call.id,
                name: call.name,
                text: "The person cancelled this turn before the result was here.".to_owned(),
                failed: true,
            });
        }
    }
}

/// Refuses `task_complete` together with calls that failed: the model has to see those first.
fn refuse_completion(meant: UnderstoodCall) -> EndedCall {
    let text = "Not taken yet: other calls of the same answer failed or were rejected. Look at their results, then go on, or \
                call task_complete again."
        .to_owned();
    let act = CallAct::Refuse(Box::new(Fault::new(Code::InvalidArgs, text.clone())));
    EndedCall {
        text,
        is_failed: true,
        changed_text: None,
        has_rejection: false,
        unchanged: false,
        meant: UnderstoodCall { act, ..meant },
    }
}

pub(super) fn cancelled_turn() -> TurnEnd {
    TurnEnd::new(AgentEnd::Cancelled, "the person cancelled the turn")
}

/// Returns whether a text ends with a question to the person.
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
