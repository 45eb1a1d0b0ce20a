//! A request to the model: repeated after some failures, shortened where necessary, and logged with its answer.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::calls::{self, UnderstoodCall};
use super::compact::compact_history;
use super::constrained::{self, AnswerStyle};
use super::history::call_json;
use super::run::AgentLoop;
use super::turn::{TurnEnd, cancelled_turn};
use crate::model::{
    AnswerPiece, ModelCall, ModelError, ModelErrorKind, ModelReply, ModelRequest, StopReason,
};
use crate::protocol::{AgentEnd, AgentHappening, Event, Fault};

/// The pauses before the model is asked again, after its first failures in a row.
const AGAIN: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(6)];

impl AgentLoop {
    /// Asks the model, again after some failures; shortens the conversation if necessary.
    pub(super) async fn ask_model(
        &mut self,
        cancel: &CancellationToken,
    ) -> Result<(ModelReply, Vec<UnderstoodCall>), Box<TurnEnd>> {
        let mut dropped = compact_history(&mut self.history, self.beside, self.budget, false);
        let (mut failures, mut was_shortened) = (0, false);
        loop {
            dropped.iter().for_each(|dropped| self.note_to_person(dropped.clone()));
            let tokens = self.history.estimate_tokens(self.beside);
            let step = self.meter.begin_step(tokens);
            self.log_input(step, tokens, std::mem::take(&mut dropped));
            let began = Instant::now();
            let answer = self.request_reply(cancel).await?;
            let error = match answer {
                Ok(reply) => return Ok(self.take_answer(step, reply, began)),
                Err(error) => error,
            };
            let fault = Fault::from(error.clone());
            self.log_failure(step, &fault, began);
            if error.kind == ModelErrorKind::ContextTooLong && !was_shortened {
                was_shortened = true;
                dropped = compact_history(&mut self.history, self.beside, self.budget, true);
                if !dropped.is_empty() {
                    continue;
                }
            }
            let Some(pause) = AGAIN.get(failures).filter(|_| error.is_retryable()) else {
                return Err(Box::new(TurnEnd::from_fault(fault)));
            };
            failures += 1;
            let pause = retry_after(&error).unwrap_or(*pause).min(Duration::from_secs(60));
            self.note_to_person(format!("{}; asking again in {:.1} s", fault.message, pause.as_secs_f64()));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = cancel.cancelled() => return Err(Box::new(cancelled_turn())),
            }
        }
    }

    /// Makes one request to the model; its output is sent as it comes.
    async fn request_reply(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Result<ModelReply, ModelError>, Box<TurnEnd>> {
        let run = self.call_maker.run.clone();
        run.record_event(AgentHappening::Step { step: self.meter.step_of_turn() });
        // An answer held to a schema is sent after it was read.
        let is_shown = !constrained::needs_constrained_form(&self.model.facts());
        let mut pieces = move |piece: AnswerPiece| match piece {
            AnswerPiece::Text { text } if is_shown => run.record_event(AgentHappening::Text { text }),
            AnswerPiece::Thinking { text } => run.record_event(AgentHappening::Thinking { text }),
            _ => {}
        };
        let request = ModelRequest {
            system: self.system.clone(),
            messages: self.history.messages().to_vec(),
            tools: self.offered.tools.clone(),
            max_output_tokens: self.offered.is_short.then_some(self.longest),
            seed: self.seed,
            ..ModelRequest::default()
        };
        let form = match self.offered.is_short {
            true => AnswerStyle::Short { barred: self.barred_tool.as_deref() },
            false => AnswerStyle::Whole,
        };
        let request = constrained::fit_request(&self.model.facts(), request, form);
        let left = self.meter.time_left().unwrap_or(Duration::from_secs(24 * 3600));
        tokio::select! {
            answer = self.model.reply(&request, &mut pieces) => Ok(answer),
            () = cancel.cancelled() => Err(Box::new(cancelled_turn())),
            () = tokio::time::sleep(left) => {
                let reason = "the time of the turn was over while the model answered";
                Err(Box::new(TurnEnd::new(AgentEnd::Limit, reason)))
            }
        }
    }

    /// Takes an answer and interprets its calls: calls in its text count, too.
    fn take_answer(
        &mut self,
        step: u32,
        mut reply: ModelReply,
        began: Instant,
    ) -> (ModelReply, Vec<UnderstoodCall>) {
        let folder = self.call_maker.folder.clone();
        let mut repaired = calls::take_from_text(&folder, &mut reply);
        if constrained::needs_constrained_form(&self.model.facts()) && !reply.text.is_empty() {
            self.call_maker.run.record_event(AgentHappening::Text { text: reply.text.clone() });
        }
        number_calls(&mut reply.calls, step);
        let meant: Vec<UnderstoodCall> =
            reply.calls.iter().map(|call| calls::understand_call(&folder, call.clone())).collect();
        repaired.extend(meant.iter().flat_map(|meant| meant.repairs.iter().cloned()));
        repaired.iter().for_each(|repaired| self.note_to_person(format!("a call was repaired: {repaired}")));
        self.history.learn_token_size(self.beside, reply.usage.input);
        self.meter.add_usage(&reply.usage);
        self.log_event(Event::ModelOutput {
            run: self.call_maker.run.id().to_owned(),
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
        self.call_maker.run.record_event(AgentHappening::Usage { usage: self.meter.usage() });
        (reply, meant)
    }

    fn log_failure(&mut self, step: u32, fault: &Fault, began: Instant) {
        self.log_event(Event::ModelOutput {
            run: self.call_maker.run.id().to_owned(),
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
        let run = self.call_maker.run.id().to_owned();
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
        self.log_event(event);
    }
}
/// Gives each call an id of its own, if the server gave none or repeated one.
fn number_calls(calls: &mut [ModelCall], step: u32) {
    let mut seen = std::collections::HashSet::new();
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !seen.insert(call.id.clone()) {
            call.id = format!("call_{step}_{at}");
            seen.insert(call.id.clone());
        }
    }
}

/// The time that the server asks to wait.
fn retry_after(error: &ModelError) -> Option<Duration> {
    match error.kind {
        ModelErrorKind::RateLimited { retry_after } => retry_after,
        _ => None,
    }
}

/// The name of the reason for which an answer ended.
fn stop_word(stop: &StopReason) -> String {
    match stop {
        StopReason::End => "end".to_owned(),
        StopReason::Calls => "calls".to_owned(),
        StopReason::Length => "length".to_owned(),
        StopReason::Refused => "refused".to_owned(),
        StopReason::Other(word) => word.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_an_id_of_its_own() {
        let call = |id: &str| ModelCall { id: id.to_owned(), ..ModelCall::default() };
        let mut calls = [call(""), call("a"), call("a")];
        number_calls(&mut calls, 3);
        assert_eq!(calls.map(|call| call.id), ["call_3_0", "a", "call_3_2"]);
    }
}
