//! Follows a run at a terminal: shows its events, asks its questions, and continues with what the person types.

use std::io::BufRead;
use std::process::ExitCode;

use super::interrupt::{INTERRUPTED, InterruptState};
use super::show::RunDisplay;
use crate::base::ProposalId;
use crate::cli::backend::RequestTarget;
use crate::cli::{answer, review};
use crate::protocol::{
    AgentEnd, AgentEvent, AgentEventsParams, AgentHappening, AgentSayParams, AgentState, Fault,
};
use crate::requests::{AgentEvents, AgentSay};

/// The longest time that one request waits for an event, in milliseconds.
const WAIT_MS: u64 = 20_000;
/// The exit code of a task that was not completed.
const NOT_COMPLETE: u8 = 3;

/// A client that follows a run at the terminal.
pub(super) struct RunFollower<'a> {
    run: &'a str,
    /// True if the person is at the terminal.
    has_person: bool,
    json: bool,
    interrupts: &'a InterruptState,
    display: RunDisplay,
    seen: u64,
    last: Option<AgentEnd>,
}

impl<'a> RunFollower<'a> {
    /// Follows a run from its beginning.
    pub(super) fn new(run: &'a str, attended: bool, json: bool, interrupts: &'a InterruptState) -> Self {
        Self {
            run,
            has_person: attended,
            json,
            interrupts,
            display: RunDisplay::default(),
            seen: 0,
            last: None,
        }
    }

    /// Shows the conversation that the run continues.
    pub(super) fn show_history(&mut self, told: &[AgentEvent]) {
        if !self.json {
            self.display.show_history(told);
        }
    }

    /// Follows the run until its turn ends, and further turns if the person types more. Returns the exit code.
    pub(super) fn follow_turns(mut self, server: &mut RequestTarget) -> Result<ExitCode, Fault> {
        loop {
            let params = AgentEventsParams {
                run: self.run.to_owned(),
                after: self.seen,
                wait_ms: WAIT_MS,
                ..AgentEventsParams::default()
            };
            let told = server.ask::<AgentEvents>(params)?;
            for event in told.events {
                self.seen = event.seq;
                if let Some(code) = self.handle_event(event, server)? {
                    return Ok(code);
                }
            }
            if told.state == AgentState::Ended {
                return Ok(self.exit_code());
            }
        }
    }

    /// Shows an event; returns the exit code if it is the last one.
    fn handle_event(
        &mut self,
        event: AgentEvent,
        server: &mut RequestTarget,
    ) -> Result<Option<ExitCode>, Fault> {
        match self.json {
            true => answer::write_json_line(&event),
            false => self.display.show_event(&event.what),
        }
        match event.what {
            AgentHappening::Proposed { proposal, .. } if self.has_person => {
                self.review_proposal(&proposal, server)?
            }
            AgentHappening::Question { id, text, answers } if self.has_person => {
                let said = self.interrupts.while_asking(|| self.display.ask_person(&text, &answers));
                let params = AgentSayParams { question: Some(id), text: said, ..self.say_params() };
                // It may have been answered elsewhere, or its turn ended.
                if let Err(fault) = server.ask::<AgentSay>(params) {
                    answer::show_fault(&fault);
                }
            }
            AgentHappening::Ended { end, .. } => {
                self.last = Some(end);
                let Some(words) = self.next_words() else { return Ok(Some(self.exit_code())) };
                self.interrupts.reset_count();
                server.ask::<AgentSay>(AgentSayParams { text: words, ..self.say_params() })?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn say_params(&self) -> AgentSayParams {
        AgentSayParams { run: self.run.to_owned(), ..AgentSayParams::default() }
    }

    /// Asks the person to decide on a change. Hunks that they skip stay pending, and the model goes on.
    fn review_proposal(&mut self, proposal: &ProposalId, server: &mut RequestTarget) -> Result<(), Fault> {
        self.interrupts.while_asking(|| review::review_proposal(proposal, server))?;
        let later = Some(proposal.clone());
        server.ask::<AgentSay>(AgentSayParams { later, ..self.say_params() }).map(drop)
    }

    /// The next message that the person types; none if they type nothing.
    fn next_words(&mut self) -> Option<String> {
        if !self.has_person {
            return None;
        }
        self.interrupts.while_asking(|| {
            answer::write_text("\nWhat next? (empty ends) ");
            let mut line = String::new();
            let length = std::io::stdin().lock().read_line(&mut line).ok()?;
            let words = line.trim();
            (length > 0 && !words.is_empty()).then(|| words.to_owned())
        })
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.last {
            Some(AgentEnd::Complete | AgentEnd::Answered) => 0,
            Some(AgentEnd::Limit | AgentEnd::Stuck | AgentEnd::Asks) => NOT_COMPLETE,
            Some(AgentEnd::Cancelled) => INTERRUPTED,
            Some(AgentEnd::Failed) | None => answer::FAULT,
        })
    }
}
