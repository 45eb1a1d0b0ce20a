//! A session: the run that has its conversation, and its start, continuation and end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::Value;

use super::OwnAgent;
use super::calls::OpenCalls;
use super::{modes, turn};
use crate::acp::send_request;
use crate::base::ids::unique_word;
use crate::protocol::{
    AgentCancelParams, AgentEventsParams, AgentListParams, AgentRunParams, AgentSayParams, Code, Fault,
    Policy,
};
use crate::requests::{AgentCancel, AgentEvents, AgentList, AgentRun, AgentSay};

/// A session.
pub(in crate::acp) struct OwnSession {
    /// Its id for the editor; the ids of its runs end with it.
    pub(super) id: String,
    /// The folder that it works in.
    pub(super) root: String,
    /// The current run.
    run: Mutex<Option<String>>,
    /// The run whose conversation is continued.
    resumes: Mutex<Option<String>>,
    /// The newest event that the editor got.
    pub(super) last_seen: AtomicU64,
    /// True if a turn is under way.
    busy: AtomicBool,
    /// True if the editor cancelled the turn.
    is_cancelled: AtomicBool,
    /// The policy for the agent's changes, if the person chose a mode.
    policy: Mutex<Option<Policy>>,
}

impl OwnSession {
    /// A session in a folder, of that id or a new one.
    pub(super) fn new(id: Option<&str>, root: String) -> Self {
        Self {
            id: id.map_or_else(unique_word, str::to_owned),
            root,
            run: Mutex::default(),
            resumes: Mutex::default(),
            last_seen: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
            policy: Mutex::default(),
        }
    }

    /// Its modes; until the person chooses one, the current one is that of the settings.
    pub(super) fn modes(&self, agent: &OwnAgent) -> Value {
        modes::list_modes(self.policy.lock().unwrap_or_else(|| agent.folders.change_policy(&self.root)))
    }

    /// Sets the policy that belongs to the person's mode: it applies from the next change on, also in the current turn.
    pub(super) async fn set_policy(&self, agent: &OwnAgent, policy: Policy) {
        *self.policy.lock() = Some(policy);
        if self.run.lock().is_some() {
            let said = AgentSayParams { policy: Some(policy), ..AgentSayParams::default() };
            // A run that has ended is resumed with it.
            let _ = self.send_to_run(agent, said).await;
        }
    }

    /// Sends the editor an earlier conversation, which the next prompt continues.
    ///
    /// # Errors
    /// NOT_FOUND if no log of the folder has it.
    pub(super) async fn load_conversation(&self, agent: &OwnAgent) -> Result<(), Fault> {
        let params = AgentListParams { root: Some(self.root.clone()) };
        let runs = send_request::<AgentList>(&*agent.folders, &self.root, params).await?.runs;
        let is_own = |run: &str| {
            let name = run.split_once('.').map(|(_, name)| name);
            name.and_then(|name| name.strip_prefix(&*self.id)).is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok())
            })
        };
        let newest = runs.into_iter().find(|known| !self.id.is_empty() && is_own(&known.run));
        let Some(newest) = newest else {
            let message = format!("no session log of {} has a session {:?}", self.root, self.id);
            return Err(Fault::new(Code::NotFound, message).with_suggestion("begin one by session/new"));
        };
        let params = AgentEventsParams {
            run: newest.run.clone(),
            logged: true,
            root: Some(self.root.clone()),
            ..AgentEventsParams::default()
        };
        let told = send_request::<AgentEvents>(&*agent.folders, &self.root, params).await?;
        let mut calls = OpenCalls::default();
        for event in told.events {
            turn::replay_event(agent, self, &mut calls, event.what).await;
        }
        *self.resumes.lock() = Some(newest.run);
        Ok(())
    }

    /// Works on a prompt until the turn ends; returns the reason of the end, in the protocol's words.
    ///
    /// # Errors
    /// The reason why no model is available, or the failure of the turn; INVALID_ARGS while another turn is under way.
    pub(super) async fn run_prompt(&self, agent: &OwnAgent, words: String) -> Result<&'static str, Fault> {
        if self.busy.swap(true, Ordering::SeqCst) {
            return Err(Fault::new(Code::InvalidArgs, "a turn of this session is under way")
                .with_suggestion("wait for its end, or cancel it by session/cancel"));
        }
        self.is_cancelled.store(false, Ordering::SeqCst);
        let ended = self.run_turn(agent, words).await;
        self.busy.store(false, Ordering::SeqCst);
        ended
    }

    async fn run_turn(&self, agent: &OwnAgent, words: String) -> Result<&'static str, Fault> {
        let run = self.run.lock().clone();
        let run = match run {
            Some(run) => {
                let said = AgentSayParams { text: words.clone(), ..AgentSayParams::default() };
                match self.send_to_run(agent, said).await {
                    Ok(()) => run,
                    // Its server ended, and another one continues the conversation.
                    Err(fault) if fault.code == Code::NotFound => {
                        self.mark_run_over();
                        self.start_run(agent, words).await?
                    }
                    Err(fault) => return Err(fault),
                }
            }
            None => self.start_run(agent, words).await?,
        };
        if self.is_cancelled.load(Ordering::SeqCst) {
            self.stop_run(agent, run.clone(), false).await;
        }
        let ended = turn::follow_turn(agent, self, &run).await;
        if ended.as_ref().is_err_and(|fault| fault.code == Code::NotFound) {
            self.mark_run_over();
        }
        ended
    }

    async fn start_run(&self, agent: &OwnAgent, task: String) -> Result<String, Fault> {
        let params = AgentRunParams {
            task,
            resume: self.resumes.lock().clone(),
            name: Some(self.id.clone()),
            attended: true,
            policy: *self.policy.lock(),
            files: *agent.files.lock(),
            root: Some(self.root.clone()),
            ..AgentRunParams::default()
        };
        let run = send_request::<AgentRun>(&*agent.folders, &self.root, params).await?.run;
        self.last_seen.store(0, Ordering::SeqCst);
        *self.resumes.lock() = None;
        *self.run.lock() = Some(run.clone());
        Ok(run)
    }

    /// Sends a message to the run.
    ///
    /// # Errors
    /// The error of the server.
    pub(super) async fn send_to_run(&self, agent: &OwnAgent, said: AgentSayParams) -> Result<(), Fault> {
        let run = self.run.lock().clone().unwrap_or_default();
        send_request::<AgentSay>(&*agent.folders, &self.root, AgentSayParams { run, ..said }).await.map(drop)
    }

    /// Removes a run that is over, for example because its server ended: the next prompt continues its conversation in another.
    fn mark_run_over(&self) {
        let run = self.run.lock().take();
        if run.is_some() {
            *self.resumes.lock() = run;
        }
    }

    /// Cancels the turn that is under way.
    pub(super) async fn cancel_turn(&self, agent: &OwnAgent) {
        self.is_cancelled.store(true, Ordering::SeqCst);
        let run = self.run.lock().clone();
        if let Some(run) = run.filter(|_| self.busy.load(Ordering::SeqCst)) {
            self.stop_run(agent, run, false).await;
        }
    }

    /// Ends the run when its editor leaves.
    pub(super) async fn end_run(&self, agent: &OwnAgent) {
        let run = self.run.lock().take();
        if let Some(run) = run {
            self.stop_run(agent, run, true).await;
        }
    }

    async fn stop_run(&self, agent: &OwnAgent, run: String, end: bool) {
        let params = AgentCancelParams { run, end };
        // A run that cannot be reached has ended.
        let _ = send_request::<AgentCancel>(&*agent.folders, &self.root, params).await;
    }
}
