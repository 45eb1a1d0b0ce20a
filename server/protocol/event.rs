//! The events of the session log.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AgentEnd, AgentUsage, ApartAct, DirectWrites, Fault, HintOutcome, HunkState, Origin, PersonMessage,
    ProposalState, RepositoryAct, Status, Unanswered,
};
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

/// The words of an activity that answers each call with the same result: the tool's own work is not done.
pub const FIXED_ANSWER: &str = "a fixed answer";

/// The kinds of events that a log may hold; a reader knows all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum EventType {
    SessionStart,
    ToolCall,
    ToolResult,
    ToolError,
    CommandEnd,
    Proposal,
    Decision,
    Undo,
    UserApproval,
    Hint,
    ContextAssembly,
    ModelInput,
    ModelOutput,
    AgentEnd,
    NativeEdit,
    NativeRefusal,
    OutsideChanges,
    PersonMessage,
    ApartDecision,
    RepositoryDecision,
    Recovery,
    SessionEnd,
}

impl EventType {
    /// The type of that name, as the log has it.
    pub fn from_name(name: &str) -> Option<Self> {
        let name: de::value::StrDeserializer<'_, de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// The decision on one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct HunkDecision {
    /// The hunk.
    pub id: HunkId,
    /// Its file, relative to the root.
    pub path: WorkspacePath,
    /// The state of the hunk.
    pub state: HunkState,
    /// The person's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The lines it added, if a person changed them before they accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The party that decided on hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// A person.
    Person,
    /// An agent's client, which was shown a form for a person and may have filled it in by itself.
    Client,
    /// The policy that the change fell under.
    Policy,
    /// The editor, which put the hunk in place by itself.
    Editor,
    /// No one: the text changed under the hunk.
    Text,
    /// No one: a process applied the hunk, and ended before it could record that.
    Recovery,
}

impl DecidedBy {
    /// The word that the log has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Client => "client",
            Self::Policy => "policy",
            Self::Editor => "editor",
            Self::Text => "text",
            Self::Recovery => "recovery",
        }
    }
}

/// The outcome of an edit of an agent's own tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeOutcome {
    /// All of it was accepted and written.
    Applied,
    /// Some of its hunks were applied.
    PartlyApplied,
    /// None of its hunks was applied.
    Rejected,
    /// A person has not decided yet.
    Pending,
    /// The files already had that content.
    Unchanged,
    /// It became no proposal: the rules refuse it, or it does not fit the text.
    Refused,
    /// The agent's tool made it itself.
    LetThrough,
}

impl NativeOutcome {
    /// The outcome in words.
    pub fn as_phrase(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::PartlyApplied => "partly applied",
            Self::Rejected => "rejected",
            Self::Pending => "pending",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
            Self::LetThrough => "let through",
        }
    }
}

/// An event, as its YAML block holds it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A session began, or a log is continued in a new part.
    SessionStart {
        /// The session's id.
        session: String,
        /// This program's version.
        version: String,
        /// The workspace's absolute path.
        root: String,
        /// The part before, when this one continues it.
        #[serde(skip_serializing_if = "Option::is_none")]
        continues: Option<String>,
        /// The name of the key that the log's hashes are made with; a log without one is not keyed.
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// A call, written before its effects.
    ToolCall {
        /// Its id.
        call_id: CallId,
        /// The caller.
        origin: Origin,
        /// The tool, by its dotted name, or as asked for if there is none such.
        tool: String,
        /// Its arguments, `why` among them.
        args: Map<String, Value>,
        /// The call whose answer led to it: the tool's expansion, or the search that found it.
        #[serde(skip_serializing_if = "Option::is_none")]
        follows: Option<CallId>,
        /// The environment with its activity in words, if that activity replaces the one of the tool's definition: `dev: a fixed
        /// answer`.
        #[serde(skip_serializing_if = "Option::is_none")]
        environment: Option<String>,
        /// Hints for better calls.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// A call ran.
    ToolResult {
        /// Its id.
        call_id: CallId,
        /// The tool.
        tool: String,
        /// The status of the call.
        status: Status,
        /// Its output.
        result: Arc<Value>,
        /// `latent` if no code ran: the caller itself filled the output, or is to fill it.
        #[serde(skip_serializing_if = "Option::is_none")]
        activity: Option<String>,
        /// The duration, in milliseconds.
        duration_ms: f64,
    },
    /// A call was refused or failed.
    ToolError {
        /// Its id.
        call_id: CallId,
        /// The tool.
        tool: String,
        /// The error.
        error: Fault,
        /// The duration, in milliseconds.
        duration_ms: f64,
    },
    /// A command that a call left in the background ended.
    CommandEnd {
        /// The call.
        call_id: CallId,
        /// The outcome, in words: `exit code 0`, `cancelled`.
        outcome: String,
        /// The exit code, if it exited by itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// The duration, in milliseconds.
        duration_ms: u64,
    },
    /// A change waits for decisions.
    Proposal {
        /// Its id.
        proposal: ProposalId,
        /// The call that made it.
        call_id: CallId,
        /// The policy it fell under.
        policy: super::Policy,
        /// The change as a unified diff, a file each.
        files: BTreeMap<String, String>,
        /// Each hunk with its file.
        hunks: Vec<HunkDecision>,
    },
    /// Hunks were decided.
    Decision {
        /// The proposal.
        proposal: ProposalId,
        /// The call that made it.
        call_id: CallId,
        /// The deciding party: `person`; `client`, for an answer to the form in an agent's client, which may have
        /// filled it in by itself; `policy`; `editor` for changes that it applied by itself; `text` if that changed
        /// under a hunk; or `recovery` for a hunk that a process had put in place before it ended, without recording
        /// that.
        #[schemars(with = "String")]
        by: DecidedBy,
        /// The state of each hunk.
        hunks: Vec<HunkDecision>,
        /// The state of the proposal afterwards.
        #[schemars(with = "String")]
        status: ProposalState,
    },
    /// A change was taken back.
    Undo {
        /// The call undone.
        call_id: CallId,
        /// The session that holds that call, if it is another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// The id that undoes this undo.
        undo_id: CallId,
        /// The files brought back.
        paths: Vec<WorkspacePath>,
    },
    /// A question that a rule asked is over.
    UserApproval {
        /// The call.
        call_id: CallId,
        /// The rule that asked.
        rule: String,
        /// True if it was granted.
        granted: bool,
        /// The reason why no person answered, if so.
        #[serde(skip_serializing_if = "Option::is_none")]
        unanswered: Option<Unanswered>,
        /// True if the agent's client answered, which was shown a form for a person and may have filled it in by itself.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        by_client: bool,
    },
    /// Files were advised hot or cold, pinned, or dropped from the working set.
    Hint {
        /// The author: an agent's name, `person`, or `wherefore` if it cleaned up by itself.
        by: String,
        /// The call that advised it.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<CallId>,
        /// The reason for the hint.
        why: String,
        /// Each file with the outcome of the hint.
        paths: Vec<HintOutcome>,
    },
    /// A context was put together: by a call, or as the short prompt of a run of the built-in agent.
    ContextAssembly {
        /// The call.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<CallId>,
        /// The run whose prompt it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// The purpose.
        why: String,
        /// The tokens it might hold.
        budget: u64,
        /// The tokens it holds.
        tokens: u64,
        /// The tokenizer that counted them, or `estimate`.
        tokenizer: String,
        /// The files in it, whole or in part, or the parts of the prompt, with their tokens.
        included: BTreeMap<String, u64>,
        /// The included files or parts that are cut.
        cut: Vec<String>,
        /// The files or parts that were left out, each with the reason.
        left_out: BTreeMap<String, String>,
    },
    /// The built-in agent asked its model.
    ModelInput {
        /// The run.
        run: String,
        /// The number of the request in the run, from 1.
        step: u32,
        /// The model.
        model: String,
        /// The run whose conversation goes on.
        #[serde(skip_serializing_if = "Option::is_none")]
        resumes: Option<String>,
        /// The system prompt, if it differs from the request before.
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The position of the first of `messages` in the conversation, from 0. Earlier messages from there on are
        /// gone.
        from: usize,
        /// The messages that are new.
        messages: Vec<Value>,
        /// The tools that the model could call.
        tools: Vec<String>,
        /// Tokens of the whole conversation, estimated.
        tokens: u64,
        /// Tokens that it may have.
        budget: u64,
        /// Parts that were shortened or left out since the request before, a sentence each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<String>,
    },
    /// The model of the built-in agent answered.
    ModelOutput {
        /// The run.
        run: String,
        /// The number of the request in the run, from 1.
        step: u32,
        /// The model, as it names itself.
        model: String,
        /// The text of the model.
        text: String,
        /// The thinking of the model, if its server reveals it.
        #[serde(skip_serializing_if = "String::is_empty")]
        thinking: String,
        /// The calls of the model: `id`, `name`, and `arguments` as they came.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Value>,
        /// Repairs to its calls, a sentence each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<String>,
        /// Tokens that it read.
        input_tokens: u64,
        /// Tokens that it wrote.
        output_tokens: u64,
        /// The reason why it stopped, as its server names it.
        stop: String,
        /// The error, if it did not answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Fault>,
        /// The duration, in milliseconds.
        duration_ms: f64,
    },
    /// A turn of the built-in agent ended.
    AgentEnd {
        /// The run.
        run: String,
        /// The reason.
        end: AgentEnd,
        /// The summary that the model gave, its answer, or what went wrong.
        text: String,
        /// The usage of the run.
        usage: AgentUsage,
    },
    /// An agent's own tool was to edit files.
    NativeEdit {
        /// The call that the edit became.
        call_id: CallId,
        /// The agent.
        agent: String,
        /// Its tool.
        tool: String,
        /// The outcome of the edit.
        outcome: NativeOutcome,
        /// The text that the agent's model received.
        told: String,
    },
    /// A call of an agent's own tool was refused, because its effects could not be determined.
    NativeRefusal {
        /// The agent.
        agent: String,
        /// Its tool; empty if the call named none.
        tool: String,
        /// The reason.
        why: String,
    },
    /// Files were changed by another program, and are not offered for review.
    OutsideChanges {
        /// The number of files.
        files: u64,
        /// The reason why they are not offered.
        why: String,
    },
    /// A person sent an agent a message, which its next result brings.
    PersonMessage {
        /// The agent; none if no agent was known: the first that called got it.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// The message with its file, lines or hunk.
        message: PersonMessage,
    },
    /// A person took over or dropped changes to ignored paths that commands had made and that were kept apart.
    ApartDecision {
        /// The decision.
        act: ApartAct,
        /// The files it was about, by ignored folder.
        files: Vec<DirectWrites>,
        /// The files that were not taken over, a sentence each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// A person took over, dropped or moved back what commands had done to the repository.
    RepositoryDecision {
        /// The decision.
        act: RepositoryAct,
        /// The changes that were decided on, in words.
        changes: Vec<String>,
        /// A sentence for each reason why it was not carried out.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        problems: Vec<String>,
    },
    /// The log continues after damage or an interruption: a torn or foreign end was set aside, a sync failed, its
    /// folder was removed.
    Recovery {
        /// A description of the damage.
        reason: String,
        /// The path of the copy, relative to the session's folder; empty if there was nothing to set aside.
        kept: String,
        /// Its size.
        bytes: u64,
        /// The first and the last event that may be missing or torn in the part before.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<(u64, u64)>,
    },
    /// A session ended.
    SessionEnd {
        /// Calls, by how they ended, and hunks, by what was decided.
        totals: BTreeMap<String, u64>,
    },
}

/// An event with the text around its block.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEvent {
    /// The event.
    pub event: Event,
    /// Comments of the model's on its own arguments, by path (`args.path`).
    pub comments: BTreeMap<String, String>,
}

impl From<Event> for LogEvent {
    fn from(event: Event) -> Self {
        Self { event, comments: BTreeMap::new() }
    }
}
