//! The runs of the built-in agent, as their starters see them: the events, and the person's messages.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::base::ProposalId;
use crate::base::ids::unique_word;
use crate::ports::Editor;
use crate::protocol::{
    AgentEvent, AgentEventsAnswer, AgentFileAnswer, AgentHappening, AgentRunSummary, AgentState, Code,
    EditorNotice, Fault, Policy,
};

/// Events of a run that are kept; the oldest go first.
const EVENTS: usize = 20_000;
/// Runs that are kept, those that ended among them.
const KEPT_RUNS: usize = 64;
/// Runs that may be under way, at work or waiting for the person.
const MOST_OPEN: usize = 32;
/// Messages of the person that a run at work may have waiting.
const MOST_MESSAGES: usize = 32;
/// The time that a client may take to read or write a file.
const FILE: Duration = Duration::from_secs(10);

/// The runs of a server.
#[derive(Debug, Default)]
pub struct AgentRuns {
    /// Oldest first.
    runs: Mutex<VecDeque<Arc<AgentRun>>>,
}

/// The description of a new run.
#[derive(Clone, Debug, Default)]
pub struct NewRun {
    /// The absolute path of its folder.
    pub root: String,
    /// The `file:` URI of that folder.
    pub uri: String,
    /// The session whose log has it.
    pub session: String,
    /// The suffix of its id, where its client gave one.
    pub name: Option<String>,
    /// The first task of the run.
    pub task: String,
    /// The model that answers.
    pub model: String,
    /// The time when it began, RFC 3339.
    pub time: String,
    /// True where its client answers its questions and decides on its changes.
    pub attended: bool,
    /// The policy of its changes, where the person set one.
    pub policy: Option<Policy>,
}

/// A run of the agent: the loop reports its events, and the requests pass on the person's messages.
#[derive(Debug)]
pub struct AgentRun {
    id: String,
    new: NewRun,
    editor: Arc<dyn Editor>,
    state: Mutex<AgentState>,
    events: Mutex<VecDeque<AgentEvent>>,
    /// The number of the newest event.
    newest: watch::Sender<u64>,
    messages: Mutex<VecDeque<String>>,
    new_message: Notify,
    /// Ends the turn that is under way.
    turn: Mutex<CancellationToken>,
    /// Ends the run.
    end: CancellationToken,
    questions: Mutex<HashMap<String, oneshot::Sender<String>>>,
    /// The file requests that its client has not answered yet.
    files: Mutex<HashMap<String, oneshot::Sender<AgentFileAnswer>>>,
    policy: Mutex<Option<Policy>>,
    /// Proposals that the person decides on later.
    postponed: watch::Sender<HashSet<ProposalId>>,
}

impl AgentRuns {
    /// Takes a run in; `editor` gets its events.
    ///
    /// # Errors
    /// QUOTA_EXCEEDED where too many are under way.
    pub fn begin_run(&self, new: NewRun, editor: Arc<dyn Editor>) -> Result<Arc<AgentRun>, Fault> {
        let mut runs = self.runs.lock();
        let open = runs.iter().filter(|run| run.state() != AgentState::Ended).count();
        if open >= MOST_OPEN {
            let message =
                format!("{open} runs of the agent are under way in this server, the most that may be");
            return Err(Fault::new(Code::QuotaExceeded, message).with_suggestion("end one of them first"));
        }
        let too_many = (runs.len() + 1).saturating_sub(KEPT_RUNS);
        let mut left = too_many;
        runs.retain(|run| {
            let goes = left > 0 && run.state() == AgentState::Ended;
            left -= usize::from(goes);
            !goes
        });
        let name = new.name.clone().unwrap_or_else(|| unique_word()[..6].to_owned());
        let first = format!("{}.{name}", new.session);
        let further = (2_u32..).map(|number| format!("{first}-{number}"));
        let mut ids = std::iter::once(first.clone()).chain(further);
        let id = ids.find(|id| runs.iter().all(|run| run.id != *id)).unwrap_or(first);
        let run = Arc::new(AgentRun {
            id,
            policy: Mutex::new(new.policy),
            new,
            editor,
            state: Mutex::new(AgentState::Working),
            events: Mutex::default(),
            newest: watch::Sender::default(),
            messages: Mutex::default(),
            new_message: Notify::new(),
            turn: Mutex::default(),
            end: CancellationToken::new(),
            questions: Mutex::default(),
            files: Mutex::default(),
            postponed: watch::Sender::default(),
        });
        runs.push_back(run.clone());
        Ok(run)
    }

    /// The run of that id.
    ///
    /// # Errors
    /// NOT_FOUND where this server has none such.
    pub fn get(&self, id: &str) -> Result<Arc<AgentRun>, Fault> {
        let found = self.runs.lock().iter().find(|run| run.id == id).cloned();
        found.ok_or_else(|| {
            let shown: String = id.chars().take(100).collect();
            Fault::new(Code::NotFound, format!("this server has no run {shown:?} of the agent"))
                .with_suggestion("start a run with `resume` to go on with the conversation of an earlier one")
        })
    }

    /// The runs of a folder, newest first.
    pub fn runs_in(&self, root: &str) -> Vec<Arc<AgentRun>> {
        self.runs.lock().iter().rev().filter(|run| run.new.root == root).cloned().collect()
    }

    /// Ends every run.
    pub fn close(&self) {
        self.runs.lock().iter().for_each(|run| run.end_run());
    }
}

impl AgentRun {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the description of the run.
    pub fn run_info(&self) -> &NewRun {
        &self.new
    }

    /// It in a list.
    pub fn summary(&self) -> AgentRunSummary {
        let NewRun { session, task, model, time, .. } = self.new.clone();
        AgentRunSummary { run: self.id.clone(), session, task, model, time, state: self.state() }
    }

    /// Returns the run's state.
    pub fn state(&self) -> AgentState {
        *self.state.lock()
    }

    /// Sets the run's state; an ended run stays ended.
    pub fn set_state(&self, state: AgentState) {
        let mut now = self.state.lock();
        if *now != AgentState::Ended {
            *now = state;
        }
        drop(now);
        self.newest.send_modify(|_| {});
    }

    /// Returns the policy of its changes, where the person set one.
    pub fn policy(&self) -> Option<Policy> {
        *self.policy.lock()
    }

    /// Sets the policy of its changes from now on, as the person chose.
    pub fn set_policy(&self, policy: Policy) {
        *self.policy.lock() = Some(policy);
    }

    /// Something happened.
    pub fn record_event(&self, what: AgentHappening) {
        let mut events = self.events.lock();
        let seq = *self.newest.borrow() + 1;
        let event = AgentEvent { run: self.id.clone(), root: self.new.uri.clone(), seq, what };
        if events.len() >= EVENTS {
            events.pop_front();
        }
        events.push_back(event.clone());
        // The event is sent under the lock, so that editors get events in their order; sending never waits.
        if !event.is_for_client() {
            self.editor.tell(EditorNotice::Agent(event));
        }
        self.newest.send_replace(seq);
    }

    /// Returns the events after the one with that number; waits for one for at most `wait`.
    pub async fn events_after(&self, after: u64, wait: Duration) -> AgentEventsAnswer {
        let mut newest = self.newest.subscribe();
        let further = newest.wait_for(|seq| *seq > after || self.state() == AgentState::Ended);
        // An elapsed wait returns no events.
        let _ = tokio::time::timeout(wait, further).await.map(|found| found.map(|_| ()));
        let mut found: Vec<AgentEvent> = Vec::new();
        let state = self.state();
        let events = self.events.lock();
        for event in events.iter().filter(|event| event.seq > after) {
            if !found.last_mut().is_some_and(|last| last.append_piece(event)) {
                found.push(event.clone());
            }
        }
        AgentEventsAnswer { events: found, state }
    }

    /// Queues a message of the person for the run.
    ///
    /// # Errors
    /// NOT_FOUND where it has ended, QUOTA_EXCEEDED where too many messages wait already.
    pub fn queue_message(&self, text: String) -> Result<(), Fault> {
        if self.state() == AgentState::Ended {
            return Err(Fault::new(Code::NotFound, format!("the run {} has ended", self.id))
                .with_suggestion("start a run with `resume` to go on with its conversation"));
        }
        let mut said = self.messages.lock();
        if said.len() >= MOST_MESSAGES {
            return Err(Fault::new(
                Code::QuotaExceeded,
                format!("{MOST_MESSAGES} messages wait for the agent already"),
            ));
        }
        said.push_back(text);
        drop(said);
        self.new_message.notify_one();
        Ok(())
    }

    /// Takes the person's messages since the last call.
    pub fn take_messages(&self) -> Vec<String> {
        self.messages.lock().drain(..).collect()
    }

    /// Waits for the person's words; nothing where the run is ended instead.
    pub async fn next_messages(&self) -> Option<Vec<String>> {
        loop {
            let heard = self.new_message.notified();
            let said = self.take_messages();
            if !said.is_empty() {
                return Some(said);
            }
            tokio::select! {
                () = heard => {}
                () = self.end.cancelled() => return None,
            }
        }
    }

    /// A turn begins: what ends it.
    pub fn begin_turn(&self) -> CancellationToken {
        let token = self.end.child_token();
        *self.turn.lock() = token.clone();
        self.set_state(AgentState::Working);
        token
    }

    /// Ends the turn that is under way.
    pub fn cancel_turn(&self) {
        self.turn.lock().cancel();
    }

    /// Ends the run.
    pub fn end_run(&self) {
        self.end.cancel();
    }

    /// The person decides on a proposal later.
    pub fn postpone_proposal(&self, proposal: ProposalId) {
        self.postponed.send_modify(|left| {
            left.insert(proposal);
        });
    }

    /// Waits until the person chooses to decide on a proposal later.
    pub async fn wait_until_postponed(&self, proposal: &ProposalId) {
        let mut left = self.postponed.subscribe();
        if left.wait_for(|left| left.contains(proposal)).await.is_err() {
            std::future::pending().await
        }
    }

    /// Asks the person a question, and waits for the answer; none where the turn ends before one.
    pub async fn ask_person(&self, text: String, answers: Vec<String>) -> Option<String> {
        let id = format!("q-{}", unique_word());
        let (sender, answer) = oneshot::channel();
        self.questions.lock().insert(id.clone(), sender);
        self.record_event(AgentHappening::Question { id: id.clone(), text, answers });
        let turn = self.turn.lock().clone();
        let answer = tokio::select! {
            answer = answer => answer.ok(),
            () = turn.cancelled() => None,
        };
        self.questions.lock().remove(&id);
        answer
    }

    /// Asks its client something of a file; none where it does not answer soon.
    pub async fn ask_client(&self, what: impl FnOnce(String) -> AgentHappening) -> Option<AgentFileAnswer> {
        let id = format!("f-{}", unique_word());
        let (sender, answer) = oneshot::channel();
        self.files.lock().insert(id.clone(), sender);
        self.record_event(what(id.clone()));
        let answer = tokio::time::timeout(FILE, answer).await;
        self.files.lock().remove(&id);
        answer.ok()?.ok()
    }

    /// Passes on the client's answer to a file request; an answer that no request waits for is dropped.
    pub fn answer_file(&self, answer: AgentFileAnswer) {
        let open = self.files.lock().remove(&answer.id);
        if let Some(sender) = open {
            let _ = sender.send(answer);
        }
    }

    /// The person answers a question.
    ///
    /// # Errors
    /// NOT_FOUND where it is not open.
    pub fn answer_question(&self, question: &str, text: String) -> Result<(), Fault> {
        let open = self.questions.lock().remove(question);
        let sent = open.is_some_and(|sender| sender.send(text).is_ok());
        let none =
            || Fault::new(Code::NotFound, "that question is not open: it was answered, or its turn ended");
        if sent { Ok(()) } else { Err(none()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::NoEditor;

    fn run(runs: &AgentRuns) -> Arc<AgentRun> {
        runs.begin_run(NewRun { session: "s".to_owned(), ..NewRun::default() }, Arc::new(NoEditor)).unwrap()
    }

    #[tokio::test]
    async fn pieces_of_a_text_that_came_meanwhile_are_one_event_and_none_comes_twice() {
        let runs = AgentRuns::default();
        let run = run(&runs);
        let text = |text: &str| AgentHappening::Text { text: text.to_owned() };
        ["a", "b"].into_iter().for_each(|piece| run.record_event(text(piece)));
        let first = run.events_after(0, Duration::ZERO).await.events;
        assert_eq!(
            first.iter().map(|event| (event.seq, event.what.clone())).collect::<Vec<_>>(),
            [(2, text("ab"))]
        );
        run.record_event(text("c"));
        run.record_event(AgentHappening::Step { step: 2 });
        let later = run.events_after(2, Duration::ZERO).await.events;
        let later: Vec<_> = later.into_iter().map(|event| (event.seq, event.what)).collect();
        assert_eq!(later, [(3, text("c")), (4, AgentHappening::Step { step: 2 })]);
    }

    #[tokio::test]
    async fn a_question_is_answered_once_and_ends_with_its_turn() {
        let runs = AgentRuns::default();
        let run = run(&runs);
        let turn = run.begin_turn();
        let asking = tokio::spawn({
            let run = run.clone();
            async move { run.ask_person("Really?".to_owned(), vec!["Allow".to_owned()]).await }
        });
        let event = run.events_after(0, Duration::from_secs(5)).await.events.remove(0);
        let AgentHappening::Question { id, .. } = event.what else { panic!("{event:?}") };
        run.answer_question(&id, "Allow".to_owned()).unwrap();
        assert_eq!(asking.await.unwrap().as_deref(), Some("Allow"));
        assert_eq!(run.answer_question(&id, "Allow".to_owned()).unwrap_err().code, Code::NotFound);
        turn.cancel();
        assert_eq!(run.ask_person("And now?".to_owned(), Vec::new()).await, None);
    }

    #[tokio::test]
    async fn no_more_runs_begin_than_may_be_under_way_and_those_that_ended_make_room() {
        let runs = AgentRuns::default();
        let open: Vec<_> = (0..MOST_OPEN).map(|_| run(&runs)).collect();
        let refused = runs.begin_run(NewRun::default(), Arc::new(NoEditor)).unwrap_err();
        assert_eq!(refused.code, Code::QuotaExceeded);
        open[0].set_state(AgentState::Ended);
        run(&runs);
        assert_eq!(open[0].queue_message("more".to_owned()).unwrap_err().code, Code::NotFound);
        assert!(runs.get("none").is_err());
    }
}
