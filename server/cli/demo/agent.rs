//! The recorded agent: it waits for the server of the project, and calls its tools through the socket.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::recording::{DemoRecording, DemoStep};
use super::show;
use crate::protocol::{Door, Envelope, Fault, Origin, Policy, Proposal, ProposalsParams, RawCall, Status};
use crate::requests::{Call, Proposals};
use crate::socket::ServerLink;

/// The longest time to wait for the server.
const STARTING: Duration = Duration::from_secs(120);

/// The longest time that the server may take to end.
const ENDING: Duration = Duration::from_secs(10);

/// The interval at which the server, and the proposals of a call, are looked for.
const LOOK: Duration = Duration::from_millis(10);

/// The reason of the call that waits for decisions.
const WAITING_WHY: &str = "Learn what the person decided before going on with what they kept";

/// A step of the agent, to show to the person.
#[derive(Debug)]
pub(super) enum AgentStep {
    /// It calls a tool.
    Call(String, Value),
    /// The call ended, after a time unless a person decided meanwhile.
    Answer(String, Box<Envelope>, Option<Duration>),
}

/// The person that the agent works for.
pub(super) trait DemoPerson {
    /// Sees a step.
    fn see_step(&mut self, step: AgentStep);

    /// Decides on proposals that the agent is about to wait for.
    ///
    /// # Errors
    /// The reason why no decision can be made.
    fn decide(&mut self, proposals: &[Proposal]) -> Result<(), Fault>;
}

/// A change that it proposed.
#[derive(Clone, Debug)]
pub(super) struct ProposedChange {
    /// Before anything of it was decided.
    pub proposed: Proposal,
    /// As it stood when it was last seen.
    pub now: Proposal,
    /// The answer that the agent has to it.
    pub answer: Option<Envelope>,
}

/// The result of the agent's work, until it was complete or cut off.
#[derive(Debug, Default)]
pub(super) struct AgentWork {
    /// The changes that it proposed.
    pub changes: Vec<ProposedChange>,
    /// Results that differ from the recording.
    pub mismatches: Vec<String>,
    /// The reason why it ended early.
    pub cut_off: Option<String>,
}

impl AgentWork {
    /// Records the current state of proposals.
    pub(super) fn update_changes(&mut self, proposals: Vec<Proposal>) {
        for now in proposals {
            match self.changes.iter_mut().find(|change| change.proposed.id == now.id) {
                Some(change) => change.now = now,
                None => self.changes.push(ProposedChange { proposed: now.clone(), now, answer: None }),
            }
        }
    }
}

/// The agent.
pub(super) struct DemoAgent<'a> {
    root: &'a str,
    recording: &'a DemoRecording,
    link: ServerLink,
    /// The pause before each call.
    pace: Duration,
    work: AgentWork,
}

impl<'a> DemoAgent<'a> {
    /// Waits for the server of a folder that is as `is_ready` wants it. It calls once in `pace`.
    ///
    /// # Errors
    /// A sentence where none comes, or `cut_off` gives the reason why none will.
    pub(super) fn connect(
        root: &'a str,
        recording: &'a DemoRecording,
        pace: Duration,
        is_ready: impl Fn(&mut ServerLink) -> bool,
        cut_off: impl Fn() -> Option<String>,
    ) -> Result<Self, String> {
        let since = Instant::now();
        while since.elapsed() < STARTING {
            if let Some(reason) = cut_off() {
                return Err(reason);
            }
            if let Ok(Some(mut link)) = ServerLink::find(root)
                && is_ready(&mut link)
            {
                return Ok(Self { root, recording, link, pace, work: AgentWork::default() });
            }
            thread::sleep(LOOK);
        }
        Err(format!("no server of the project was there within {} s", STARTING.as_secs()))
    }

    /// Makes the recorded calls, and waits until what they propose is decided.
    pub(super) fn work_for(mut self, person: &mut dyn DemoPerson) -> AgentWork {
        for step in &self.recording.steps {
            let known = self.work.changes.len();
            let answer = match self.run_step(step, person) {
                Ok(answer) => answer,
                Err(fault) => {
                    self.work.cut_off = Some(fault.message);
                    break;
                }
            };
            let code = answer.error.as_ref().map(|fault| fault.code);
            if let Some(change) = self.work.changes.get_mut(known) {
                change.answer = Some(answer);
            } else if code != step.expect {
                let (expected, found) = (show::describe_end(step.expect), show::describe_end(code));
                let tool = &step.tool;
                self.work
                    .mismatches
                    .push(format!("{tool} should end with {expected}, but ended with {found}"));
            }
        }
        self.work
    }

    fn run_step(&mut self, step: &DemoStep, person: &mut dyn DemoPerson) -> Result<Envelope, Fault> {
        thread::sleep(self.pace);
        let mut answer = self.call_tool(&step.tool, step.arguments.clone(), person)?;
        while answer.status == Status::Pending {
            person.decide(&list_proposals(&mut self.link, false))?;
            let proposal = answer.result.as_ref().map(|result| result["proposal"].clone());
            let arguments = json!({ "proposal": proposal, "why": WAITING_WHY });
            answer = self.call_tool("review.wait", arguments, person)?;
        }
        Ok(answer)
    }

    fn call_tool(
        &mut self,
        tool: &str,
        arguments: Value,
        person: &mut dyn DemoPerson,
    ) -> Result<Envelope, Fault> {
        person.see_step(AgentStep::Call(tool.to_owned(), arguments.clone()));
        let raw = RawCall {
            tool: tool.to_owned(),
            arguments,
            origin: Origin { agent: Some(self.recording.agent.clone()), ..Origin::from_door(Door::Cli) },
            policy: Some(Policy::Ask),
            root: Some(self.root.to_owned()),
            ..RawCall::default()
        };
        let start = Instant::now();
        let (root, link, work) = (self.root, &mut self.link, &mut self.work);
        let known = work.changes.len();
        let answer = thread::scope(|scope| {
            let call = scope.spawn(|| link.ask::<Call>(&raw).map_err(Fault::from));
            // The link is busy until the answer comes, so another link watches the proposals of the call.
            let mut watch = ServerLink::find(root).ok().flatten();
            while !call.is_finished() {
                if let Some(watch) = watch.as_mut().filter(|_| work.changes.len() == known) {
                    work.update_changes(list_proposals(watch, false));
                }
                thread::sleep(LOOK);
            }
            call.join().unwrap_or_else(|_| Err(Fault::internal("the agent's thread failed")))
        });
        self.work.update_changes(list_proposals(&mut self.link, true));
        let answer = answer?;
        let is_decided = self.work.changes.len() > known || tool == "review.wait";
        let took = (!is_decided).then(|| start.elapsed());
        person.see_step(AgentStep::Answer(tool.to_owned(), Box::new(answer.clone()), took));
        Ok(answer)
    }
}

/// Runs the server of a folder with settings of its own, so that the person's do not change the demo.
pub(super) struct DemoServer(std::process::Child);

impl DemoServer {
    /// Starts it.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn start(root: &str, config: &std::path::Path) -> io::Result<Self> {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command.args(["serve", "--root", root]).env("XDG_CONFIG_HOME", config);
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).spawn().map(Self)
    }

    /// Waits until it has ended with its last client.
    pub(super) fn wait_for_end(mut self) {
        let since = Instant::now();
        while since.elapsed() < ENDING && matches!(self.0.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
    }

    /// Returns the reason why it can be waited for no longer.
    pub(super) fn early_end(&mut self) -> Option<String> {
        let status = self.0.try_wait().ok()??;
        Some(format!("the server ended with {status}"))
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        // Fails only where it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The pending proposals, or all; none if the server is gone.
fn list_proposals(link: &mut ServerLink, all: bool) -> Vec<Proposal> {
    let params = ProposalsParams { all, ..ProposalsParams::default() };
    link.ask::<Proposals>(&params).map(|answer| answer.proposals).unwrap_or_default()
}
