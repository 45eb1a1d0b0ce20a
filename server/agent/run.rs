//! A run from its first message to its end: its initial context, its turns, and its log entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::assemble::{AssembledPrompt, PromptRoom, assemble_prompt};
use super::history::ConversationHistory;
use super::initial_context;
use super::limits::RunMeter;
use super::resume::EarlierConversation;
use super::step::CallMaker;
use super::surface::OfferedTools;
use super::turn::TurnEnd;
use crate::base::{ProposalId, WorkspacePath};
use crate::hub::{AgentRun, ClientFiles, Hub, NewRun, ServedFolder};
use crate::model::LanguageModel;
use crate::protocol::{
    AgentFiles, AgentHappening, AgentLimits, AgentState, Door, Event, Fault, Origin, Policy, ProposalState,
    ProposalsParams,
};

/// Tokens of a model's context where its server does not say.
const CONTEXT: u64 = 16_384;
/// Tokens that are reserved for an answer: a share of the context in percent, and the maximum.
const ANSWER: u64 = 20;
const LONGEST_ANSWER: u64 = 16_384;

/// The parameters of a run.
pub struct AgentStart {
    /// The folder that it works in.
    pub folder: Arc<ServedFolder>,
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// The person's message; it may be empty if a conversation is continued.
    pub task: String,
    /// The limits of the run.
    pub limits: AgentLimits,
    /// The policy for its changes, if the person set one.
    pub policy: Option<Policy>,
    /// True if its client answers questions and decides on changes.
    pub attended: bool,
    /// The capabilities of its client for the files of its own editor.
    pub files: AgentFiles,
    /// The end of its id, if its client set one.
    pub name: Option<String>,
    /// The conversation that is continued.
    pub resumes: Option<EarlierConversation>,
}

/// A run at work.
pub(super) struct AgentLoop {
    pub(super) call_maker: CallMaker,
    pub(super) model: Arc<dyn LanguageModel>,
    pub(super) history: ConversationHistory,
    pub(super) system: String,
    pub(super) offered: OfferedTools,
    pub(super) meter: RunMeter,
    /// The token budget of the conversation.
    pub(super) budget: u64,
    /// Tokens of an answer, if the prompt is short.
    pub(super) longest: u32,
    /// The tool that the next answer may not call, if the model is held to a form: its last call led nowhere.
    pub(super) barred_tool: Option<String>,
    /// The seed of the chance in its answers.
    pub(super) seed: Option<u64>,
    /// Characters that are sent in addition to the messages.
    pub(super) beside: usize,
    /// The system prompt, if it is not logged yet.
    pub(super) unlogged_system: Option<String>,
    /// The run whose conversation is continued, if that is not logged yet.
    pub(super) resumes: Option<String>,
}

/// Starts a run in the background.
///
/// # Errors
/// The reason why the log cannot be written, and QUOTA_EXCEEDED where too many runs are under way.
pub fn start_run(hub: &Hub, start: AgentStart) -> Result<Arc<AgentRun>, Fault> {
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
    let run = hub.agent_runs().begin_run(new, hub.editor())?;
    let connected = session.presence().add_connection(run.id(), None);
    let worker = run.clone();
    let AgentFiles { reads, writes } = start.files;
    let files = reads.then(|| hub.client_files(start.folder.clone(), run.clone(), writes));
    let hub = hub.clone();
    tokio::spawn(async move {
        let _connected = connected;
        work_to_end(worker.clone(), start, files.clone()).await;
        if let Some(files) = files {
            hub.client_left(&files);
        }
        worker.set_state(AgentState::Ended);
    });
    Ok(run)
}

/// Works a run to its end.
async fn work_to_end(run: Arc<AgentRun>, start: AgentStart, files: Option<Arc<ClientFiles>>) {
    let AgentStart { folder, model, mut task, limits, resumes, .. } = start;
    let facts = model.facts();
    let context = facts.context_tokens.unwrap_or(CONTEXT);
    let budget = context - (context * ANSWER / 100).min(LONGEST_ANSWER);
    let origin = Origin {
        agent: Some(format!("wherefore-agent/{}", env!("CARGO_PKG_VERSION"))),
        session: Some(run.id().to_owned()),
        ids: BTreeMap::from([("model".to_owned(), facts.name.clone())]),
        ..Origin::from_door(Door::Agent)
    };
    let cancel = run.begin_turn();
    let resumed = resumes.as_ref().map(|conversation| conversation.run.clone());
    run.record_event(AgentHappening::Began {
        task: task.clone(),
        model: facts.name.clone(),
        resumes: resumed.clone(),
    });
    if let Some(server) = &facts.found {
        let text = format!("{} is a model of {server}, found on this machine", facts.name);
        run.record_event(AgentHappening::Note { text });
    }
    let instructions = initial_context::read_instructions(&folder, &origin).await;
    let settings = folder.session().workspace().governance().settings().model.clone().unwrap_or_default();
    let AssembledPrompt { system, offered, room } =
        assemble_prompt(&folder, &facts, settings.prompt, context, &task, &instructions);
    let tools = offered.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len());
    let beside = system.len() + tools.sum::<usize>();
    // A quarter of the context for one result; a token has at least three bytes.
    let most = usize::try_from(budget / 4 * 3).unwrap_or(usize::MAX);
    let hands = CallMaker { folder, run: run.clone(), files, origin, most };
    let mut work = AgentLoop {
        call_maker: hands,
        model,
        history: resumes
            .map(|conversation| ConversationHistory::of(conversation.messages))
            .unwrap_or_default(),
        unlogged_system: Some(system.clone()),
        system,
        offered,
        meter: RunMeter::new(limits, &facts, budget),
        budget,
        barred_tool: None,
        seed: settings.seed,
        longest: u32::try_from(context - budget).unwrap_or(u32::MAX),
        beside,
        resumes: resumed.clone(),
    };
    if let Some(room) = room {
        work.log_short_prompt(room);
    }
    if resumed.is_none() {
        task = work.with_context(task).await;
    } else if task.is_empty() {
        task = "Go on with the task.".to_owned();
    }
    work.run_turns(task, cancel).await;
}

impl AgentLoop {
    /// The person's first words, with the files that matter now.
    async fn with_context(&self, task: String) -> String {
        let CallMaker { folder, origin, .. } = &self.call_maker;
        let room = if self.offered.is_short { initial_context::SHORT } else { initial_context::WHOLE };
        let (files, lacks) =
            initial_context::assemble_context(folder, origin, &task, room, self.budget).await;
        lacks.into_iter().for_each(|lacks| self.note_to_person(lacks));
        if files.is_empty() { task } else { format!("{task}\n\n{files}") }
    }

    async fn run_turns(&mut self, task: String, mut cancel: tokio_util::sync::CancellationToken) {
        let run = self.call_maker.run.clone();
        self.history.push_words(task);
        loop {
            let ended = self.run_turn(&cancel).await;
            self.log_turn_end(ended);
            run.set_state(AgentState::Waiting);
            let Some(words) = run.next_messages().await else { return };
            cancel = run.begin_turn();
            let words = words.join("\n\n");
            let model = self.model.facts().name;
            run.record_event(AgentHappening::Began { task: words.clone(), model, resumes: None });
            self.history.push_words(words);
        }
    }

    /// Reports and logs the end of a turn.
    fn log_turn_end(&mut self, TurnEnd { end, text, fault }: TurnEnd) {
        let run = self.call_maker.run.clone();
        let event =
            Event::AgentEnd { run: run.id().to_owned(), end, text: text.clone(), usage: self.meter.usage() };
        self.log_event(event);
        run.record_event(AgentHappening::Ended { end, text, fault, pending: self.pending_proposals() });
    }

    /// The proposals of this run that wait for a decision.
    fn pending_proposals(&self) -> Vec<ProposalId> {
        let items = self.call_maker.folder.queue().store().select_items(&ProposalsParams::default());
        let own = items.iter().map(|item| item.proposal()).filter(|proposal| {
            let is_own = proposal.origin.session.as_deref() == Some(self.call_maker.run.id());
            is_own && proposal.state() == ProposalState::Pending
        });
        own.map(|proposal| proposal.id.clone()).collect()
    }

    /// Reports and logs the contents of the short prompt, and the parts that were left out.
    fn log_short_prompt(&self, room: PromptRoom) {
        self.note_to_person(room.describe_room());
        let PromptRoom { budget, tokens, included, cut, left_out } = room;
        self.log_event(Event::ContextAssembly {
            call_id: None,
            run: Some(self.call_maker.run.id().to_owned()),
            why: "Have the rules and the tools fit into the model's context".to_owned(),
            budget,
            tokens,
            tokenizer: "estimate".to_owned(),
            included,
            cut,
            left_out,
        });
    }

    /// Sends a note to the person.
    pub(super) fn note_to_person(&self, text: String) {
        self.call_maker.run.record_event(AgentHappening::Note { text });
    }

    /// Posts an event to the log. The run's next call reports an error of the log.
    pub(super) fn log_event(&self, event: Event) {
        if let Err(error) = self.call_maker.folder.session().log().post_event(event) {
            tracing::warn!("an event of the agent is not in the session log: {error}");
        }
    }
}
