//! The recorded agent, working while a person's editor is open: it waits for the editor's server, then calls through
//! its socket.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::recording::{DemoRecording, DemoStep};
use crate::protocol::{Door, Envelope, Fault, Origin, Policy, Proposal, ProposalsParams, RawCall, Status};
use crate::requests::{self, Call, Proposals};
use crate::socket::ServerLink;

/// The longest time to wait for the editor's server.
const STARTING: Duration = Duration::from_secs(120);

/// The pause before each call, so that a person can follow them.
const PACE: Duration = Duration::from_millis(600);

/// The interval at which the server is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// A step of the agent, to show to the person.
#[derive(Debug)]
pub(super) enum AgentStep {
    /// It calls a tool.
    Call(String, Value),
    /// The call ended, after a time unless a person decided meanwhile.
    Answer(String, Box<Envelope>, Option<Duration>),
}

/// A change that it proposed.
#[derive(Clone, Debug)]
pub(super) struct ProposedChange {
    /// Before anything of it was decided.
    pub proposed: Proposal,
    /// As it stood when it was last seen.
    pub now: Proposal,
}

/// The agent.
pub(super) struct DemoAgent<'a> {
    root: &'a str,
    name: &'a str,
    link: ServerLink,
    /// The changes that it has proposed so far.
    pub changes: Vec<ProposedChange>,
}

impl<'a> DemoAgent<'a> {
    /// Waits for the server of the editor that has the folder open.
    ///
    /// # Errors
    /// A sentence where none comes, or the editor is closed before.
    pub(super) fn wait_for_editor(
        root: &'a str,
        recording: &'a DemoRecording,
        closed: &AtomicBool,
    ) -> Result<Self, String> {
        let since = Instant::now();
        while since.elapsed() < STARTING {
            if closed.load(Ordering::SeqCst) {
                return Err("the editor was closed before its server was there".to_owned());
            }
            if let Ok(Some(mut link)) = ServerLink::find(root)
                && has_editor(&mut link)
            {
                return Ok(Self { root, name: &recording.agent, link, changes: Vec::new() });
            }
            thread::sleep(LOOK);
        }
        Err(format!("the editor's server was not there within {} s", STARTING.as_secs()))
    }

    /// Makes the call of a step, and waits until its proposal is decided.
    ///
    /// # Errors
    /// INTERNAL where the server went away, as it does with its editor.
    pub(super) fn run_step(
        &mut self,
        step: &DemoStep,
        said: &mut impl FnMut(AgentStep),
    ) -> Result<Envelope, Fault> {
        thread::sleep(PACE);
        let mut answer = self.call_tool(&step.tool, step.arguments.clone(), said)?;
        while answer.status == Status::Pending {
            let proposal = answer.result.as_ref().map(|result| result["proposal"].clone());
            let why = "Learn what the person decided before going on with what they kept";
            answer = self.call_tool("review.wait", json!({ "proposal": proposal, "why": why }), said)?;
        }
        Ok(answer)
    }

    fn call_tool(
        &mut self,
        tool: &str,
        arguments: Value,
        said: &mut impl FnMut(AgentStep),
    ) -> Result<Envelope, Fault> {
        said(AgentStep::Call(tool.to_owned(), arguments.clone()));
        let raw = RawCall {
            tool: tool.to_owned(),
            arguments,
            origin: Origin { agent: Some(self.name.to_owned()), ..Origin::from_door(Door::Cli) },
            policy: Some(Policy::Ask),
            root: Some(self.root.to_owned()),
            ..RawCall::default()
        };
        let start = Instant::now();
        let (root, link, changes) = (self.root, &mut self.link, &mut self.changes);
        let known = changes.len();
        let answer = thread::scope(|scope| {
            let call = scope.spawn(|| link.ask::<Call>(&raw).map_err(Fault::from));
            // The link is busy until the answer comes, so another link watches the proposals of the call.
            let mut watch = ServerLink::find(root).ok().flatten();
            while !call.is_finished() {
                if let Some(watch) = watch.as_mut().filter(|_| changes.len() == known) {
                    update_changes(changes, list_proposals(watch, false));
                }
                thread::sleep(LOOK);
            }
            call.join().unwrap_or_else(|_| Err(Fault::internal("the agent's thread failed")))
        });
        update_changes(&mut self.changes, list_proposals(&mut self.link, true));
        let answer = answer?;
        let decided = self.changes.len() > known || tool == "review.wait";
        said(AgentStep::Answer(
            tool.to_owned(),
            Box::new(answer.clone()),
            (!decided).then(|| start.elapsed()),
        ));
        Ok(answer)
    }
}

/// Records the current state of proposals.
pub(super) fn update_changes(changes: &mut Vec<ProposedChange>, proposals: Vec<Proposal>) {
    for now in proposals {
        match changes.iter_mut().find(|change| change.proposed.id == now.id) {
            Some(change) => change.now = now,
            None => changes.push(ProposedChange { proposed: now.clone(), now }),
        }
    }
}

/// The pending proposals, or all; none if the server is gone.
fn list_proposals(link: &mut ServerLink, all: bool) -> Vec<Proposal> {
    let params = ProposalsParams { all, ..ProposalsParams::default() };
    link.ask::<Proposals>(&params).map(|answer| answer.proposals).unwrap_or_default()
}

/// Returns whether the server has an editor to show things in.
fn has_editor(link: &mut ServerLink) -> bool {
    link.ask::<requests::Status>(&()).is_ok_and(|status| status.editor)
}
