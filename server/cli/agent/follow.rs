//! Follows a run at a terminal: shows what happens, asks what there is to ask, and goes on with the person's words.

use std::io::BufRead;
use std::process::ExitCode;

use super::interrupt::{INTERRUPTED, Interrupts};
use super::show::Display;
use crate::base::ProposalId;
use crate::cli::backend::RequestTarget;
use crate::cli::{answer, review};
use crate::protocol::{
    AgentEnd, AgentEvent, AgentEventsParams, AgentHappening, AgentSayParams, AgentState, Fault,
};
use crate::requests::{AgentEvents, AgentSay};

/// How long one request waits for something to happen, in milliseconds.
const WAIT_MS: u64 = 20_000;
/// The exit code of a task that was not completed.
const NOT_COMPLETE: u8 = 3;

/// One who follows a run.
pub(super) struct Follower<'a> {
    run: &'a str,
    /// Whether the person is at the terminal.
    attended: bool,
    json: bool,
    interrupts: &'a Interrupts,
    display: Display,
    seen: u64,
    last: Option<AgentEnd>,
}

impl<'a> Follower<'a> {
    /// Follows a run from its beginning.
    pub(super) fn new(run: &'a str, attended: bool, json: bool, interrupts: &'a Interrupts) -> Self {
        Self { run, attended, json, interrupts, display: Display::default(), seen: 0, last: None }
    }

    /// Shows the conversation that the run goes on with.
    pub(super) fn earlier(&mut self, told: &[AgentEvent]) {
        if !self.json {
            self.display.earlier(told);
        }
    }

    /// Follows it until its turn ends, and the next ones where the person says more. Gives the exit code.
    pub(super) fn follow(mut self, server: &mut RequestTarget) -> Result<ExitCode, Fault> {
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
                if let Some(code) = self.take(event, server)? {
                    return Ok(code);
                }
            }
            if told.state == AgentState::Ended {
                return Ok(self.code());
            }
        }
    }

    /// Takes an event; gives the exit code where it is the last.
    fn take(&mut self, event: AgentEvent, server: &mut RequestTarget) -> Result<Option<ExitCode>, Fault> {
        match self.json {
            true => answer::json_line(&event),
            false => self.display.show(&event.what),
        }
        match event.what {
            AgentHappening::Proposed { proposal, .. } if self.attended => self.review(&proposal, server)?,
            AgentHappening::Question { id, text, answers } if self.attended => {
                let said = self.interrupts.asking(|| self.display.ask(&text, &answers));
                let params = AgentSayParams { question: Some(id), text: said, ..self.says() };
                // It may have been answered elsewhere, or its turn ended.
                if let Err(fault) = server.ask::<AgentSay>(params) {
                    answer::fault(&fault);
                }
            }
            AgentHappening::Ended { end, .. } => {
                self.last = Some(end);
                let Some(words) = self.next_words() else { return Ok(Some(self.code())) };
                self.interrupts.forget();
                server.ask::<AgentSay>(AgentSayParams { text: words, ..self.says() })?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn says(&self) -> AgentSayParams {
        AgentSayParams { run: self.run.to_owned(), ..AgentSayParams::default() }
    }

    /// Has the person decide on a change; what they leave waits, and the model goes on.
    fn review(&mut self, proposal: &ProposalId, server: &mut RequestTarget) -> Result<(), Fault> {
        self.interrupts.asking(|| review::one(proposal, server))?;
        let later = Some(proposal.clone());
        server.ask::<AgentSay>(AgentSayParams { later, ..self.says() }).map(drop)
    }

    /// What the person says next; nothing where that is all.
    fn next_words(&mut self) -> Option<String> {
        if !self.attended {
            return None;
        }
        self.interrupts.asking(|| {
            answer::out("\nWhat next? (empty ends) ");
            let mut line = String::new();
            let length = std::io::stdin().lock().read_line(&mut line).ok()?;
            let words = line.trim();
            (length > 0 && !words.is_empty()).then(|| words.to_owned())
        })
    }

    fn code(&self) -> ExitCode {
        ExitCode::from(match self.last {
            Some(AgentEnd::Complete | AgentEnd::Answered) => 0,
            Some(AgentEnd::Limit | AgentEnd::Stuck | AgentEnd::Asks) => NOT_COMPLETE,
            Some(AgentEnd::Cancelled) => INTERRUPTED,
            Some(AgentEnd::Failed) | None => answer::FAULT,
        })
    }
}
