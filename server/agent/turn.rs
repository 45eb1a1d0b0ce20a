//! One turn: the model is asked, its calls are made, and it is asked again, until something ends it.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::calls::{self, Act, Meant};
use super::compact::compact;
use super::history::call_json;
use super::run::AgentLoop;
use super::step::Ended;
use super::stuck::{Done, Verdict, Watchdog};
use crate::model::arguments::{TextCall, calls_in_text};
use crate::model::{
    ModelCall, ModelError, ModelErrorKind, ModelMessage, ModelReply, ModelRequest, Piece, StopReason,
};
use crate::protocol::{AgentEnd, AgentHappening, Code, Event, Fault};

/// How long it is waited before the model is asked again, after its first failures in a row.
const AGAIN: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(6)];
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
        let reply = self.asked(state).await?;
        let (calls, text) = (reply.calls.clone(), reply.text.trim().to_owned());
        self.history.push(ModelMessage::Assistant {
            text: reply.text,
            calls: reply.calls,
            state: reply.state,
        });
        self.history.newest_is_logged();
        if calls.is_empty() {
            return match self.idle(&text, state) {
                Idle::GoOn => Ok(()),
                Idle::End(end) => Err(end),
            };
        }
        state.nudged = false;
        self.calls(calls, state).await
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
    async fn calls(&mut self, calls: Vec<ModelCall>, state: &mut TurnState) -> Result<(), Box<TurnEnd>> {
        let folder = self.hands.folder.clone();
        let mut meant: Vec<Meant> = calls.into_iter().map(|call| calls::meant(&folder, call)).collect();
        for refused in meant.iter_mut().skip(CALLS) {
            let message = format!("an answer may make {CALLS} calls; this one was left out");
            refused.act = Act::Refuse(Box::new(
                Fault::new(Code::QuotaExceeded, message).suggest("make fewer calls at a time"),
            ));
        }
        for repaired in meant.iter().flat_map(|meant| &meant.repaired) {
            self.note(format!("a call was repaired: {repaired}"));
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
                Verdict::Fine => {}
                Verdict::Hint(hint) => hints.push(hint),
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

    /// Asks the model, again where that makes sense; makes the conversation shorter where it has to be.
    async fn asked(&mut self, state: &TurnState) -> Result<ModelReply, Box<TurnEnd>> {
        let mut dropped = compact(&mut self.history, self.beside, self.budget, false);
        let (mut failures, mut was_shortened) = (0, false);
        loop {
            dropped.iter().for_each(|dropped| self.note(dropped.clone()));
            let tokens = self.history.tokens(self.beside);
            let step = self.meter.step(tokens);
            self.log_input(step, tokens, std::mem::take(&mut dropped));
            let began = Instant::now();
            let answer = self.reply(state).await?;
            let error = match answer {
                Ok(reply) => return Ok(self.answered(step, reply, began)),
                Err(error) => error,
            };
            let fault = Fault::from(error.clone());
            self.log_failure(step, &fault, began);
            if error.kind == ModelErrorKind::ContextTooLong && !was_shortened {
                was_shortened = true;
                dropped = compact(&mut self.history, self.beside, self.budget, true);
                if !dropped.is_empty() {
                    continue;
                }
            }
            let Some(pause) = AGAIN.get(failures).filter(|_| error.retryable()) else {
                return Err(Box::new(TurnEnd::failed(fault)));
            };
            failures += 1;
            let pause = retry_after(&error).unwrap_or(*pause).min(Duration::from_secs(60));
            self.note(format!("{}; asking again in {:.1} s", fault.message, pause.as_secs_f64()));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = state.cancel.cancelled() => return Err(Box::new(cancelled())),
            }
        }
    }

    /// One request to the model; what it writes is told as it comes.
    async fn reply(&self, state: &TurnState) -> Result<Result<ModelReply, ModelError>, Box<TurnEnd>> {
        let run = self.hands.run.clone();
        run.tell(AgentHappening::Step { step: self.meter.step_of_turn() });
        let mut pieces = move |piece: Piece| match piece {
            Piece::Text { text } => run.tell(AgentHappening::Text { text }),
            Piece::Thinking { text } => run.tell(AgentHappening::Thinking { text }),
            _ => {}
        };
        let request = ModelRequest {
            system: self.system.clone(),
            messages: self.history.messages().to_vec(),
            tools: self.offered.tools.clone(),
            ..ModelRequest::default()
        };
        let left = self.meter.left().unwrap_or(Duration::from_secs(24 * 3600));
        tokio::select! {
            answer = self.model.reply(&request, &mut pieces) => Ok(answer),
            () = state.cancel.cancelled() => Err(Box::new(cancelled())),
            () = tokio::time::sleep(left) => {
                let reason = "the time of the turn was over while the model answered";
                Err(Box::new(TurnEnd::new(AgentEnd::Limit, reason)))
            }
        }
    }

    /// Takes an answer: calls that stand in its text are calls too.
    fn answered(&mut self, step: u32, mut reply: ModelReply, began: Instant) -> ModelReply {
        let mut repaired = Vec::new();
        if reply.calls.is_empty() {
            let folder = self.hands.folder.clone();
            let found = calls_in_text(&reply.text, &|name| calls::resolve(&folder, name));
            if !found.calls.is_empty() {
                repaired.push(format!("{} calls stood in the text of the answer", found.calls.len()));
                reply.text = found.prose;
                let repairs = found
                    .calls
                    .iter()
                    .flat_map(|call| call.repairs.iter().map(|repair| format!("{}: {repair}", call.name)));
                repaired.extend(repairs);
                // A server takes no dots in the names of the calls that it is sent back.
                let native = |call: TextCall| ModelCall {
                    name: call.name.replace('.', "_"),
                    arguments: call.arguments,
                    ..ModelCall::default()
                };
                reply.calls = found.calls.into_iter().map(native).collect();
            }
        }
        repaired.iter().for_each(|repaired| self.note(repaired.clone()));
        number_calls(&mut reply.calls, step);
        self.history.measured(self.beside, reply.usage.input);
        self.meter.add(&reply.usage);
        self.log(Event::ModelOutput {
            run: self.hands.run.id().to_owned(),
            step,
            model: reply.model.clone(),
            text: reply.text.clone(),
            thinking: reply.thinking.clone(),
            calls: reply.calls.iter().map(call_json).collect(),
            repaired,
            input_tokens: reply.usage.input,
            output_tokens: reply.usage.output,
            stop: stop_word(&reply.stop),
            error: None,
            duration_ms: began.elapsed().as_secs_f64() * 1000.0,
        });
        self.hands.run.tell(AgentHappening::Usage { usage: self.meter.usage() });
        reply
    }

    fn log_failure(&mut self, step: u32, fault: &Fault, began: Instant) {
        self.log(Event::ModelOutput {
            run: self.hands.run.id().to_owned(),
            step,
            model: self.model.facts().name,
            text: String::new(),
            thinking: String::new(),
            calls: Vec::new(),
            repaired: Vec::new(),
            input_tokens: 0,
            output_tokens: 0,
            stop: "error".to_owned(),
            error: Some(fault.clone()),
            duration_ms: began.elapsed().as_secs_f64() * 1000.0,
        });
    }

    fn log_input(&mut self, step: u32, tokens: u64, dropped: Vec<String>) {
        let (from, messages) = self.history.take_unlogged();
        let run = self.hands.run.id().to_owned();
        let event = Event::ModelInput {
            run,
            step,
            model: self.model.facts().name,
            resumes: self.resumes.take(),
            system: self.unlogged_system.take(),
            from,
            messages,
            tools: self.offered.tools.iter().map(|tool| tool.name.clone()).collect(),
            tokens,
            budget: self.budget,
            dropped,
        };
        self.log(event);
    }
}

/// `task_complete` beside calls that did not go well: the model has to see those first.
fn premature(meant: Meant) -> Ended {
    let text = "Not taken yet: other calls of the same answer failed or were rejected. Look at their results, then go on, or \
                call task_complete again."
        .to_owned();
    let act = Act::Refuse(Box::new(Fault::new(Code::InvalidArgs, text.clone())));
    Ended { text, failed: true, changed: None, rejected: false, meant: Meant { act, ..meant } }
}

/// Each call gets an id of its own, where the server gave none or one twice.
fn number_calls(calls: &mut [ModelCall], step: u32) {
    let mut seen = std::collections::HashSet::new();
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !seen.insert(call.id.clone()) {
            call.id = format!("call_{step}_{at}");
            seen.insert(call.id.clone());
        }
    }
}

fn cancelled() -> TurnEnd {
    TurnEnd::new(AgentEnd::Cancelled, "the person cancelled the turn")
}

/// How long the server asks to wait.
fn retry_after(error: &ModelError) -> Option<Duration> {
    match error.kind {
        ModelErrorKind::RateLimited { retry_after } => retry_after,
        _ => None,
    }
}

/// Why an answer ended, in a word.
fn stop_word(stop: &StopReason) -> String {
    match stop {
        StopReason::End => "end".to_owned(),
        StopReason::Calls => "calls".to_owned(),
        StopReason::Length => "length".to_owned(),
        StopReason::Refused => "refused".to_owned(),
        StopReason::Other(word) => word.clone(),
    }
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

    #[test]
    fn each_call_has_an_id_of_its_own() {
        let call = |id: &str| ModelCall { id: id.to_owned(), ..ModelCall::default() };
        let mut calls = [call(""), call("a"), call("a")];
        number_calls(&mut calls, 3);
        assert_eq!(calls.map(|call| call.id), ["call_3_0", "a", "call_3_2"]);
    }
}
