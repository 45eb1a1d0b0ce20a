//! One run from its first words to its end: what it begins with, its turns, and what the log has of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::assemble::{Assembly, Room, assembled};
use super::history::History;
use super::limits::Meter;
use super::reading;
use super::resume::Conversation;
use super::step::Hands;
use super::surface::Offered;
use super::turn::TurnEnd;
use crate::base::{ProposalId, WorkspacePath};
use crate::hub::{AgentRun, ClientFiles, Folder, Hub, NewRun};
use crate::model::Model;
use crate::protocol::{
    AgentFiles, AgentHappening, AgentLimits, AgentState, Door, Event, Fault, Origin, Policy, ProposalState,
    ProposalsParams,
};

/// Tokens of a model's context where its server does not say.
const CONTEXT: u64 = 16_384;
/// Tokens that are kept free for an answer: a share of the context in percent, and the most.
const ANSWER: u64 = 20;
const LONGEST_ANSWER: u64 = 16_384;

/// What a run is started with.
pub struct AgentStart {
    /// The folder that it works in.
    pub folder: Arc<Folder>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The person's words; they may be empty where a conversation goes on.
    pub task: String,
    /// What ends it.
    pub limits: AgentLimits,
    /// What becomes of its changes, where the person said so.
    pub policy: Option<Policy>,
    /// Whether its client answers questions and decides on changes.
    pub attended: bool,
    /// What its client does with the files of its own editor.
    pub files: AgentFiles,
    /// What its id ends with, where its client said so.
    pub name: Option<String>,
    /// The conversation that goes on.
    pub resumes: Option<Conversation>,
}

/// A run at work.
pub(super) struct AgentLoop {
    pub(super) hands: Hands,
    pub(super) model: Arc<dyn Model>,
    pub(super) history: History,
    pub(super) system: String,
    pub(super) offered: Offered,
    pub(super) meter: Meter,
    /// Tokens that the conversation may have.
    pub(super) budget: u64,
    /// Tokens that an answer may have, where the prompt is short.
    pub(super) longest: u32,
    /// The tool that the next answer may not call, where the model is held to a form: its last call led nowhere.
    pub(super) barred: Option<String>,
    /// The seed of the chance in its answers.
    pub(super) seed: Option<u64>,
    /// Characters that are sent beside the messages.
    pub(super) beside: usize,
    /// The system prompt, where the log does not have it yet.
    pub(super) unlogged_system: Option<String>,
    /// The run whose conversation goes on, where the log does not say so yet.
    pub(super) resumes: Option<String>,
}

/// Starts a run; it goes on by itself.
///
/// # Errors
/// What keeps the log from being written, and QUOTA_EXCEEDED where too many runs are under way.
pub fn start(hub: &Hub, start: AgentStart) -> Result<Arc<AgentRun>, Fault> {
    let session = start.folder.session();
    let facts = start.model.facts();
    let new = NewRun {
        root: start.folder.root().to_owned(),
        uri: session.workspace().uri(&WorkspacePath::root()),
        session: session.log().journal()?.session().to_owned(),
        name: start.name.clone(),
        task: start.task.clone(),
        model: facts.name,
        time: session.now(),
        attended: start.attended,
        policy: start.policy,
    };
    let run = hub.agents().begin(new, hub.editor())?;
    let connected = session.presence().connect(run.id());
    let worker = run.clone();
    let AgentFiles { reads, writes } = start.files;
    let files = reads.then(|| hub.client_files(start.folder.clone(), run.clone(), writes));
    let hub = hub.clone();
    tokio::spawn(async move {
        let _connected = connected;
        worked(worker.clone(), start, files.clone()).await;
        if let Some(files) = files {
            hub.client_left(&files);
        }
        worker.stands(AgentState::Ended);
    });
    Ok(run)
}

/// Works a run to its end.
async fn worked(run: Arc<AgentRun>, start: AgentStart, files: Option<Arc<ClientFiles>>) {
    let AgentStart { folder, model, mut task, limits, resumes, .. } = start;
    let facts = model.facts();
    let context = facts.context_tokens.unwrap_or(CONTEXT);
    let budget = context - (context * ANSWER / 100).min(LONGEST_ANSWER);
    let origin = Origin {
        agent: Some(format!("wherefore-agent/{}", env!("CARGO_PKG_VERSION"))),
        session: Some(run.id().to_owned()),
        ids: BTreeMap::from([("model".to_owned(), facts.name.clone())]),
        ..Origin::door(Door::Agent)
    };
    let cancel = run.turn();
    let resumed = resumes.as_ref().map(|conversation| conversation.run.clone());
    run.tell(AgentHappening::Began {
        task: task.clone(),
        model: facts.name.clone(),
        resumes: resumed.clone(),
    });
    if let Some(server) = &facts.found {
        let text = format!("{} is a model of {server}, found on this machine", facts.name);
        run.tell(AgentHappening::Note { text });
    }
    let instructions = reading::instructions(&folder, &origin).await;
    let settings = folder.session().workspace().governance().settings().model.clone().unwrap_or_default();
    let Assembly { system, offered, room } =
        assembled(&folder, &facts, settings.prompt, context, &task, &instructions);
    let tools = offered.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len());
    let beside = system.len() + tools.sum::<usize>();
    // A quarter of the context for one result; a token is three bytes at the least.
    let most = usize::try_from(budget / 4 * 3).unwrap_or(usize::MAX);
    let hands = Hands { folder, run: run.clone(), files, origin, most };
    let mut work = AgentLoop {
        hands,
        model,
        history: resumes.map(|conversation| History::of(conversation.messages)).unwrap_or_default(),
        unlogged_system: Some(system.clone()),
        system,
        offered,
        meter: Meter::new(limits, &facts, budget),
        budget,
        barred: None,
        seed: settings.seed,
        longest: u32::try_from(context - budget).unwrap_or(u32::MAX),
        beside,
        resumes: resumed.clone(),
    };
    if let Some(room) = room {
        work.prompt_is_short(room);
    }
    if resumed.is_none() {
        task = work.with_context(task).await;
    } else if task.is_empty() {
        task = "Go on with the task.".to_owned();
    }
    work.turns(task, cancel).await;
}

impl AgentLoop {
    /// The person's first words, with the files that matter now.
    async fn with_context(&self, task: String) -> String {
        let Hands { folder, origin, .. } = &self.hands;
        let room = if self.offered.is_short { reading::SHORT } else { reading::WHOLE };
        let (files, lacks) = reading::context(folder, origin, &task, room, self.budget).await;
        lacks.into_iter().for_each(|lacks| self.note(lacks));
        if files.is_empty() { task } else { format!("{task}\n\n{files}") }
    }

    async fn turns(&mut self, task: String, mut cancel: tokio_util::sync::CancellationToken) {
        let run = self.hands.run.clone();
        self.history.say(task);
        loop {
            let ended = self.turn(&cancel).await;
            self.ended(ended);
            run.stands(AgentState::Waiting);
            let Some(words) = run.next_said().await else { return };
            cancel = run.turn();
            let words = words.join("\n\n");
            let model = self.model.facts().name;
            run.tell(AgentHappening::Began { task: words.clone(), model, resumes: None });
            self.history.say(words);
        }
    }

    /// Tells and logs that a turn ended.
    fn ended(&mut self, TurnEnd { end, text, fault }: TurnEnd) {
        let run = self.hands.run.clone();
        let event =
            Event::AgentEnd { run: run.id().to_owned(), end, text: text.clone(), usage: self.meter.usage() };
        self.log(event);
        run.tell(AgentHappening::Ended { end, text, fault, pending: self.pending() });
    }

    /// The proposals of this run that wait for a decision.
    fn pending(&self) -> Vec<ProposalId> {
        let items = self.hands.folder.queue().select(&ProposalsParams::default());
        let own = items.iter().map(|item| item.proposal()).filter(|proposal| {
            let is_own = proposal.origin.session.as_deref() == Some(self.hands.run.id());
            is_own && proposal.state() == ProposalState::Pending
        });
        own.map(|proposal| proposal.id.clone()).collect()
    }

    /// Tells and logs what the short prompt holds, and what it does without.
    fn prompt_is_short(&self, room: Room) {
        self.note(room.told());
        let Room { budget, tokens, included, cut, left_out } = room;
        self.log(Event::ContextAssembly {
            call_id: None,
            run: Some(self.hands.run.id().to_owned()),
            why: "Have the rules and the tools fit into the model's context".to_owned(),
            budget,
            tokens,
            tokenizer: "estimate".to_owned(),
            included,
            cut,
            left_out,
        });
    }

    /// Tells the person something.
    pub(super) fn note(&self, text: String) {
        self.hands.run.tell(AgentHappening::Note { text });
    }

    /// Has an event in the log soon. That it cannot be written the run's next call says.
    pub(super) fn log(&self, event: Event) {
        if let Err(error) = self.hands.folder.session().log().post(event) {
            tracing::warn!("an event of the agent is not in the session log: {error}");
        }
    }
}
