//! What the session log holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AgentEnd, AgentUsage, Fault, HintOutcome, HunkState, Origin, PersonMessage, ProposalState, Status,
};
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

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
    OutsideChanges,
    PersonMessage,
    Recovery,
    SessionEnd,
}

impl EventType {
    /// The type of that name, as the log has it.
    pub fn named(name: &str) -> Option<Self> {
        let name: de::value::StrDeserializer<'_, de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// What was decided on one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct HunkDecision {
    /// The hunk.
    pub id: HunkId,
    /// Its file, relative to the root.
    pub path: WorkspacePath,
    /// What became of it.
    pub state: HunkState,
    /// The person's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The lines it added, where a person changed them before they accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Who decided on hunks.
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
    /// Nobody: the text changed under the hunk.
    Text,
    /// Nobody: a process put the hunk in place, and ended before it could say so.
    Recovery,
}

impl DecidedBy {
    /// The word that the log has for it.
    pub fn word(self) -> &'static str {
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

/// What became of an edit of an agent's own tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeOutcome {
    /// All of it was accepted and written.
    Applied,
    /// Some of its hunks were.
    PartlyApplied,
    /// None was.
    Rejected,
    /// A person has not decided yet.
    Pending,
    /// The files stood like that already.
    Unchanged,
    /// It became no proposal: the rules refuse it, or it does not fit the text.
    Refused,
    /// The agent's tool made it itself.
    LetThrough,
}

impl NativeOutcome {
    /// The outcome in words.
    pub fn words(self) -> &'static str {
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

/// One event, as its YAML block holds it.
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
    /// A call, written before anything comes of it.
    ToolCall {
        /// Its id.
        call_id: CallId,
        /// Who called.
        origin: Origin,
        /// The tool, by its dotted name, or as asked for where there is none such.
        tool: String,
        /// Its arguments, `why` among them.
        args: Map<String, Value>,
        /// The call whose answer led to it: the tool's expansion, or the search that found it.
        #[serde(skip_serializing_if = "Option::is_none")]
        follows: Option<CallId>,
        /// What the caller should do better.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// A call ran.
    ToolResult {
        /// Its id.
        call_id: CallId,
        /// The tool.
        tool: String,
        /// How it ended.
        status: Status,
        /// Its output.
        result: Arc<Value>,
        /// `latent` where no code ran: the model filled the output.
        #[serde(skip_serializing_if = "Option::is_none")]
        activity: Option<String>,
        /// How long it took, in milliseconds.
        duration_ms: f64,
    },
    /// A call was refused or failed.
    ToolError {
        /// Its id.
        call_id: CallId,
        /// The tool.
        tool: String,
        /// What went wrong.
        error: Fault,
        /// How long it took, in milliseconds.
        duration_ms: f64,
    },
    /// A command that a call left in the background ended.
    CommandEnd {
        /// The call.
        call_id: CallId,
        /// How, in words: `exit code 0`, `cancelled`.
        outcome: String,
        /// The exit code, where it exited by itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// How long it ran, in milliseconds.
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
        /// Who decided: `person`; `client`, for an answer to the form in an agent's client, which may have filled it
        /// in by itself; `policy`; `editor` for what it applied by itself; `text` where that changed under a hunk; or
        /// `recovery` for what a process had put in place that ended before it could say so.
        #[schemars(with = "String")]
        by: DecidedBy,
        /// What became of each.
        hunks: Vec<HunkDecision>,
        /// How the proposal stands after it.
        #[schemars(with = "String")]
        status: ProposalState,
    },
    /// A change was taken back.
    Undo {
        /// The call undone.
        call_id: CallId,
        /// The session that holds that call, where it is another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// The id that undoes this undo.
        undo_id: CallId,
        /// The files brought back.
        paths: Vec<WorkspacePath>,
    },
    /// A person answered a question that a rule asked.
    UserApproval {
        /// The call.
        call_id: CallId,
        /// The rule that asked.
        rule: String,
        /// Whether it was granted.
        granted: bool,
    },
    /// Files were advised hot or cold, pinned, or dropped from the working set.
    Hint {
        /// Who: an agent's name, `person`, or `wherefore` where it cleaned up by itself.
        by: String,
        /// The call that advised it.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<CallId>,
        /// Why it was done.
        why: String,
        /// Each file with what became of the hint.
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
        /// What it is for.
        why: String,
        /// The tokens it might hold.
        budget: u64,
        /// The tokens it holds.
        tokens: u64,
        /// What counted them: a tokenizer's name, or `estimate`.
        tokenizer: String,
        /// The files in it, whole or in part, or the parts of the prompt, with their tokens.
        included: BTreeMap<String, u64>,
        /// Those of them that are cut.
        cut: Vec<String>,
        /// What was left out, and why.
        left_out: BTreeMap<String, String>,
    },
    /// The built-in agent asked its model.
    ModelInput {
        /// The run.
        run: String,
        /// Which time in the run it was, from 1.
        step: u32,
        /// The model.
        model: String,
        /// The run whose conversation goes on.
        #[serde(skip_serializing_if = "Option::is_none")]
        resumes: Option<String>,
        /// The system prompt, where it is another than the time before.
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The place of the first of `messages` in the conversation, from 0. What stood from there on before is gone.
        from: usize,
        /// The messages that are new.
        messages: Vec<Value>,
        /// The tools that the model could call.
        tools: Vec<String>,
        /// Tokens of the whole conversation, estimated.
        tokens: u64,
        /// Tokens that it may have.
        budget: u64,
        /// What was shortened or left out since the time before, a sentence each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<String>,
    },
    /// The model of the built-in agent answered.
    ModelOutput {
        /// The run.
        run: String,
        /// Which time in the run it was, from 1.
        step: u32,
        /// The model, as it names itself.
        model: String,
        /// What it wrote.
        text: String,
        /// What it thought, where its server tells.
        #[serde(skip_serializing_if = "String::is_empty")]
        thinking: String,
        /// What it called: `id`, `name`, and `arguments` as they came.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Value>,
        /// What was repaired in its calls, a sentence each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<String>,
        /// Tokens that it read.
        input_tokens: u64,
        /// Tokens that it wrote.
        output_tokens: u64,
        /// Why it stopped, in its server's word.
        stop: String,
        /// What went wrong, where it did not answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Fault>,
        /// How long it took, in milliseconds.
        duration_ms: f64,
    },
    /// A turn of the built-in agent ended.
    AgentEnd {
        /// The run.
        run: String,
        /// Why.
        end: AgentEnd,
        /// The summary that the model gave, its answer, or what went wrong.
        text: String,
        /// What the run took.
        usage: AgentUsage,
    },
    /// An agent's own tool was to edit files.
    NativeEdit {
        /// The call of ours that the edit became.
        call_id: CallId,
        /// The agent.
        agent: String,
        /// Its tool.
        tool: String,
        /// What became of the edit.
        outcome: NativeOutcome,
        /// What the agent's model was told.
        told: String,
    },
    /// Files were changed by another program, and are not offered for review.
    OutsideChanges {
        /// How many.
        files: u64,
        /// Why they are not offered.
        why: String,
    },
    /// A person said something to an agent, which its next result brings.
    PersonMessage {
        /// The agent; none where no agent was known: the first that called got it.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// What was said, of which file, lines or hunk.
        message: PersonMessage,
    },
    /// The log goes on after something befell it: a torn or foreign end was set aside, a sync failed, its folder was
    /// removed.
    Recovery {
        /// What was found.
        reason: String,
        /// Where it was set aside, relative to the session's folder; empty where there was nothing to set aside.
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

/// An event with what stands around its block.
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
