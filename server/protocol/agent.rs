//! The built-in agent: how a run is requested, and the events that report its progress.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Policy, Status};
use crate::base::{CallId, ProposalId};

/// The limits that end a run of the built-in agent, whatever its model does. A limit that is not set does not apply,
/// except for the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentLimits {
    /// Answers of the model in one turn; 60 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Tokens that the model reads and writes in the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Minutes of one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<f64>,
    /// The cost of the model in the whole run, in US dollars. It applies if the price of the model is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

/// Params of `wherefore/agentRun`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentRunParams {
    /// The task for the agent, in the person's words. It may be empty when a run is resumed.
    pub task: String,
    /// The model, as the settings or its server name it; by default the model of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The limits that end the run.
    pub limits: AgentLimits,
    /// An earlier run whose conversation goes on, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The review policy for the agent's changes; by default that of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The end of the run's id, instead of a generated word: up to 40 of `a-z`, `0-9` and `-`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// True if the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Otherwise
    /// an attached editor does.
    pub attended: bool,
    /// The client's access to the files of its own editor.
    pub files: AgentFiles,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// File access of a client that is not an attached editor: it answers the events `read_file` and `write_file` of a
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentFiles {
    /// True if it gives the text of a file as its editor has it, unsaved or not.
    pub reads: bool,
    /// True if it writes a file through its editor.
    pub writes: bool,
}

/// The outcome of a `read_file` or a `write_file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentFileAnswer {
    /// The id of the request.
    pub id: String,
    /// The text that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The reason for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` report its
/// progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunAnswer {
    /// The id of the run.
    pub run: String,
    /// The session whose log has it.
    pub session: String,
    /// The model that answers.
    pub model: String,
}

/// Params of `wherefore/agentCancel`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentCancelParams {
    /// The run.
    pub run: String,
    /// True if the run ends too. Otherwise only its turn ends, and it waits for the person's next message.
    pub end: bool,
}

/// Params of `wherefore/agentSay`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentSayParams {
    /// The run.
    pub run: String,
    /// The person's message. A run that is at work receives it before its next step; a waiting run continues with it.
    pub text: String,
    /// The question that `text` answers, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// A proposal that the person decides on later: the call that waits for it is answered `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<ProposalId>,
    /// The review policy for the run's changes from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The outcome of a `read_file` or a `write_file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<AgentFileAnswer>,
}

/// Params of `wherefore/agentEvents`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentEventsParams {
    /// The run.
    pub run: String,
    /// The number of the last event that is known; 0 for none.
    pub after: u64,
    /// The time to wait for a further event, in milliseconds; 30 seconds at most.
    pub wait_ms: u64,
    /// True if the answer holds the run's whole conversation as the session log has it, also that of an earlier
    /// server.
    pub logged: bool,
    /// The workspace folder, if a server has several and `logged` is set: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/agentEvents`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentEventsAnswer {
    /// The events since then, in order. Pieces of one text that arrived meanwhile are one event.
    pub events: Vec<AgentEvent>,
    /// The state of the run.
    pub state: AgentState,
}

/// Params of `wherefore/agentList`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentListParams {
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/agentList`: the runs of this server, and those that the newest session logs hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentListAnswer {
    /// The runs, newest first.
    pub runs: Vec<AgentRunSummary>,
}

/// A run in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunSummary {
    /// Its id.
    pub run: String,
    /// The session whose log has it.
    pub session: String,
    /// The first task of the run.
    pub task: String,
    /// The model that answered last.
    pub model: String,
    /// When it began, RFC 3339.
    pub time: String,
    /// The state of the run; `ended` for a run of an earlier server.
    pub state: AgentState,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// A turn is under way.
    Working,
    /// A turn ended, and the person's next message begins another one.
    Waiting,
    /// It is over; its conversation can be resumed.
    #[default]
    Ended,
}

/// The reason why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentEnd {
    /// The model called `task_complete`.
    Complete,
    /// The model answered in words, and called nothing.
    Answered,
    /// The model asks the person something.
    Asks,
    /// A limit was reached.
    Limit,
    /// The model went round in circles, or answered nothing.
    Stuck,
    /// The person cancelled it.
    Cancelled,
    /// The model, or the way to it, failed.
    Failed,
}

impl AgentEnd {
    /// Returns its name in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Answered => "answered",
            Self::Asks => "asks",
            Self::Limit => "limit",
            Self::Stuck => "stuck",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// The resources that a run used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentUsage {
    /// Answers of the model.
    pub steps: u32,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
    /// The cost in US dollars, if the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Tokens of the conversation at the moment, estimated.
    pub context_tokens: u64,
    /// Tokens that the conversation may have.
    pub context_budget: u64,
}

/// An event of a run: the params of `wherefore/agentEvent`. Only a client with the capability
/// `experimental.wherefore.agent` gets that notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEvent {
    /// The run.
    pub run: String,
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// Its number in the run, from 1.
    pub seq: u64,
    /// The event itself.
    #[serde(flatten)]
    pub what: AgentHappening,
}

impl AgentEvent {
    /// Returns whether it is a piece of the model's text or thinking.
    pub fn is_piece(&self) -> bool {
        matches!(self.what, AgentHappening::Text { .. } | AgentHappening::Thinking { .. })
    }

    /// Returns whether it is only for the client that began the run.
    pub fn is_for_client(&self) -> bool {
        matches!(self.what, AgentHappening::ReadFile { .. } | AgentHappening::WriteFile { .. })
    }

    /// Appends a later piece of the same text; returns false if `later` is none. The event then has the number of the
    /// later piece.
    pub fn append_piece(&mut self, later: &Self) -> bool {
        if self.run != later.run {
            return false;
        }
        match (&mut self.what, &later.what) {
            (AgentHappening::Text { text }, AgentHappening::Text { text: more })
            | (AgentHappening::Thinking { text }, AgentHappening::Thinking { text: more }) => {
                text.push_str(more);
                self.seq = later.seq;
                true
            }
            _ => false,
        }
    }
}

/// The kinds of events of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentHappening {
    /// A turn began.
    Began {
        /// The person's words.
        task: String,
        /// The model that answers.
        model: String,
        /// The run whose conversation goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<String>,
    },
    /// The model is asked.
    Step {
        /// The number of this step in the turn, from 1.
        step: u32,
    },
    /// The model wrote something.
    Text {
        /// The text since the event before.
        text: String,
    },
    /// The model thought something.
    Thinking {
        /// The thinking since the event before.
        text: String,
    },
    /// A call of the model's begins.
    Call {
        /// The model's own id of the call.
        call: String,
        /// The tool, by its dotted name.
        tool: String,
        /// The reason for the call; empty if the model gave none.
        why: String,
        /// The paths that it names.
        paths: Vec<String>,
    },
    /// A call ended.
    Result {
        /// The model's own id of the call.
        call: String,
        /// The call's id in the session log.
        call_id: CallId,
        /// The tool, by its dotted name.
        tool: String,
        /// The status of the call.
        status: Status,
        /// The result of the call, in a line.
        summary: String,
        /// True if the call failed, or the command that it ran: with another exit code than 0.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
        /// The proposal that its change became.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proposal: Option<ProposalId>,
    },
    /// A change waits for the person's decision, and the call for it.
    Proposed {
        /// The proposal: `wherefore/proposals` shows it.
        proposal: ProposalId,
        /// The call that made it.
        call_id: CallId,
    },
    /// The person is asked something: `wherefore/agentSay` answers.
    Question {
        /// The question's id.
        id: String,
        /// The question.
        text: String,
        /// The possible answers; the first one allows.
        answers: Vec<String>,
    },
    /// The text of a file is wanted, as the client's editor has it: `file` of `wherefore/agentSay` answers. Only a client
    /// whose run has `files` meets this.
    ReadFile {
        /// The id that the answer repeats.
        id: String,
        /// The absolute path of the file.
        path: String,
    },
    /// A file is to be written through the client's editor: `file` of `wherefore/agentSay` answers.
    WriteFile {
        /// The id that the answer repeats.
        id: String,
        /// The absolute path of the file.
        path: String,
        /// The whole text.
        text: String,
    },
    /// Something that the person may want to know: what was cut, repaired, tried again.
    Note {
        /// The note, as a sentence.
        text: String,
    },
    /// The model answered.
    Usage {
        /// The usage of the run so far.
        usage: AgentUsage,
    },
    /// A turn ended.
    Ended {
        /// The reason.
        end: AgentEnd,
        /// The summary that the model gave, its answer, or what went wrong.
        text: String,
        /// The error, for a program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// Proposals of the run that wait for a decision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pending: Vec<ProposalId>,
    },
}
