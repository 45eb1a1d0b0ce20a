//! A session: the run that has its conversation, and how it begins, goes on and ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::Value;

use super::OwnAgent;
use super::calls::OpenCalls;
use super::{modes, turn};
use crate::acp::request;
use crate::base::ids::unique;
use crate::protocol::{
    AgentCancelParams, AgentEventsParams, AgentListParams, AgentRunParams, AgentSayParams, Code, Fault,
    Policy,
};
use crate::requests::{AgentCancel, AgentEvents, AgentList, AgentRun, AgentSay};

/// One session.
pub(in crate::acp) struct OwnSession {
    /// What the editor knows it by; the ids of its runs end with it.
    pub(super) id: String,
    /// The folder that it works in.
    pub(super) root: String,
    /// The run that is there now.
    run: Mutex<Option<String>>,
    /// The run whose conversation goes on.
    resumes: Mutex<Option<String>>,
    /// The newest event that the editor was told.
    pub(super) seen: AtomicU64,
    /// Whether a turn is under way.
    busy: AtomicBool,
    /// Whether the editor cancelled it.
    cancelled: AtomicBool,
    /// What becomes of the agent's changes, where the person chose a mode.
    policy: Mutex<Option<Policy>>,
}

impl OwnSession {
    /// A session in a folder, of that id or a new one.
    pub(super) fn new(id: Option<&str>, root: String) -> Self {
        Self {
            id: id.map_or_else(unique, str::to_owned),
            root,
            run: Mutex::default(),
            resumes: Mutex::default(),
            seen: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            policy: Mutex::default(),
        }
    }

    /// Its modes; until the person chooses one, the current one is that of the settings.
    pub(super) fn modes(&self, agent: &OwnAgent) -> Value {
        modes::listed(self.policy.lock().unwrap_or_else(|| agent.folders.policy(&self.root)))
    }

    /// The person chose the mode of a policy: it holds from the next change on, also in a turn that is under way.
    pub(super) async fn set_policy(&self, agent: &OwnAgent, policy: Policy) {
        *self.policy.lock() = Some(policy);
        if self.run.lock().is_some() {
            let said = AgentSayParams { policy: Some(policy), ..AgentSayParams::default() };
            // A run that has ended is resumed with it.
            let _ = self.say(agent, said).await;
        }
    }

    /// Tells the editor the conversation of an earlier time, which the next prompt goes on with.
    ///
    /// # Errors
    /// NOT_FOUND where no log of the folder has it.
    pub(super) async fn load(&self, agent: &OwnAgent) -> Result<(), Fault> {
        let params = AgentListParams { root: Some(self.root.clone()) };
        let runs = request::<AgentList>(&*agent.folders, &self.root, params).await?.runs;
        let is_own = |run: &str| {
            let name = run.split_once('.').map(|(_, name)| name);
            name.and_then(|name| name.strip_prefix(&*self.id)).is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok())
            })
        };
        let newest = runs.into_iter().find(|known| !self.id.is_empty() && is_own(&known.run));
        let Some(newest) = newest else {
            let message = format!("no session log of {} has a session {:?}", self.root, self.id);
            return Err(Fault::new(Code::NotFound, message).suggest("begin one by session/new"));
        };
        let params = AgentEventsParams {
            run: newest.run.clone(),
            logged: true,
            root: Some(self.root.clone()),
            ..AgentEventsParams::default()
        };
        let told = request::<AgentEvents>(&*agent.folders, &self.root, params).await?;
        let mut calls = OpenCalls::default();
        for event in told.events {
            turn::replay(agent, self, &mut calls, event.what).await;
        }
        *self.resumes.lock() = Some(newest.run);
        Ok(())
    }

    /// Works on a prompt until the turn ends; why it ended, in the protocol's words.
    ///
    /// # Errors
    /// What keeps a model from being had, or failed in the turn; INVALID_ARGS while another turn is under way.
    pub(super) async fn prompt(&self, agent: &OwnAgent, words: String) -> Result<&'static str, Fault> {
        if self.busy.swap(true, Ordering::SeqCst) {
            return Err(Fault::new(Code::InvalidArgs, "a turn of this session is under way")
                .suggest("wait for its end, or cancel it by session/cancel"));
        }
        self.cancelled.store(false, Ordering::SeqCst);
        let ended = self.work(agent, words).await;
        self.busy.store(false, Ordering::SeqCst);
        ended
    }

    async fn work(&self, agent: &OwnAgent, words: String) -> Result<&'static str, Fault> {
        let run = self.run.lock().clone();
        let run = match run {
            Some(run) => {
                let said = AgentSayParams { text: words.clone(), ..AgentSayParams::default() };
                match self.say(agent, said).await {
                    Ok(()) => run,
                    // Its server ended, and another one goes on with the conversation.
                    Err(fault) if fault.code == Code::NotFound => {
                        self.is_over();
                        self.start(agent, words).await?
                    }
                    Err(fault) => return Err(fault),
                }
            }
            None => self.start(agent, words).await?,
        };
        if self.cancelled.load(Ordering::SeqCst) {
            self.stop(agent, run.clone(), false).await;
        }
        let ended = turn::follow(agent, self, &run).await;
        if ended.as_ref().is_err_and(|fault| fault.code == Code::NotFound) {
            self.is_over();
        }
        ended
    }

    async fn start(&self, agent: &OwnAgent, task: String) -> Result<String, Fault> {
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
        let run = request::<AgentRun>(&*agent.folders, &self.root, params).await?.run;
        self.seen.store(0, Ordering::SeqCst);
        *self.resumes.lock() = None;
        *self.run.lock() = Some(run.clone());
        Ok(run)
    }

    /// Says something to the run.
    ///
    /// # Errors
    /// What the server says.
    pub(super) async fn say(&self, agent: &OwnAgent, said: AgentSayParams) -> Result<(), Fault> {
        let run = self.run.lock().clone().unwrap_or_default();
        request::<AgentSay>(&*agent.folders, &self.root, AgentSayParams { run, ..said }).await.map(drop)
    }

    /// The run is over, as where its server ended: the next prompt goes on with its conversation in another.
    fn is_over(&self) {
        let run = self.run.lock().take();
        if run.is_some() {
            *self.resumes.lock() = run;
        }
    }

    /// Cancels the turn that is under way.
    pub(super) async fn cancel(&self, agent: &OwnAgent) {
        self.cancelled.store(true, Ordering::SeqCst);
        let run = self.run.lock().clone();
        if let Some(run) = run.filter(|_| self.busy.load(Ordering::SeqCst)) {
            self.stop(agent, run, false).await;
        }
    }

    /// Ends the run: its editor has left.
    pub(super) async fn end(&self, agent: &OwnAgent) {
        let run = self.run.lock().take();
        if let Some(run) = run {
            self.stop(agent, run, true).await;
        }
    }

    async fn stop(&self, agent: &OwnAgent, run: String, end: bool) {
        let params = AgentCancelParams { run, end };
        // One that cannot be reached has ended, and its run with it.
        let _ = request::<AgentCancel>(&*agent.folders, &self.root, params).await;
    }
}
