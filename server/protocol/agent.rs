//! The built-in agent: how a run of it is asked for, and what is told while it goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Policy, Status};
use crate::base::{CallId, ProposalId};

/// What ends a run of the built-in agent, whatever its model does. A limit that is not set does not hold, but for the
/// steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentLimits {
    /// Answers of the model in one turn; 60 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Tokens that the model reads and writes in the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Minutes of one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<f64>,
    /// What the model may cost in the whole run, in US dollars. It holds where the price of the model is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

/// Params of `wherefore/agentRun`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentRunParams {
    /// What the agent is to do, in the person's words. It may be empty where a run is resumed.
    pub task: String,
    /// The model, as the settings or its server name it; the one of the settings where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What ends the run.
    pub limits: AgentLimits,
    /// An earlier run whose conversation goes on, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// What becomes of the agent's changes; the settings' word where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// What the run's id ends with, in place of a word that nobody chose: up to 40 of `a-z`, `0-9` and `-`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Where not, an
    /// editor that is attached does.
    pub attended: bool,
    /// What the client does with the files of its own editor.
    pub files: AgentFiles,
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// What a client that is no attached editor does with files for a run: it answers `read_file` and `write_file` among the
/// events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentFiles {
    /// Whether it tells the text of a file as its editor has it, unsaved or not.
    pub reads: bool,
    /// Whether it writes a file through its editor.
    pub writes: bool,
}

/// What came of a `read_file` or a `write_file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentFileAnswer {
    /// The id of what was asked.
    pub id: String,
    /// The text that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it could not be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` tell how it goes.
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
    /// Whether the run ends too. Where not, its turn ends, and it waits for the person's next words.
    pub end: bool,
}

/// Params of `wherefore/agentSay`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentSayParams {
    /// The run.
    pub run: String,
    /// The person's words. A run that is at work hears them before its next step, and one that waits goes on with them.
    pub text: String,
    /// The question that `text` answers, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// A proposal that the person decides on later: the call that waits for it is answered `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<ProposalId>,
    /// What becomes of the run's changes from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// What came of a `read_file` or a `write_file`.
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
    /// How long to wait for a further one, in milliseconds; 30 seconds at the most.
    pub wait_ms: u64,
    /// Whether the whole conversation of the run is told as the session log has it, also that of an earlier server.
    pub logged: bool,
    /// The workspace folder meant, where a server has several and `logged` is set: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/agentEvents`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentEventsAnswer {
    /// What happened since, in order. The pieces of a text that came meanwhile are one event.
    pub events: Vec<AgentEvent>,
    /// How the run stands.
    pub state: AgentState,
}

/// Params of `wherefore/agentList`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentListParams {
    /// The workspace folder meant, where a server has several: an absolute path inside it.
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
    /// What it was asked for first.
    pub task: String,
    /// The model that answered last.
    pub model: String,
    /// When it began, RFC 3339.
    pub time: String,
    /// How it stands; `ended` for one of an earlier server.
    pub state: AgentState,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// A turn is under way.
    Working,
    /// A turn ended, and the person's words begin the next one.
    Waiting,
    /// It is over; its conversation can be resumed.
    #[default]
    Ended,
}

/// Why a turn ended.
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
    /// Its name, as the log has it.
    pub fn word(self) -> &'static str {
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

/// What a run took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentUsage {
    /// Answers of the model.
    pub steps: u32,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
    /// What that cost in US dollars, where the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Tokens of the conversation as it stands, estimated.
    pub context_tokens: u64,
    /// Tokens that the conversation may have.
    pub context_budget: u64,
}

/// One thing that happened in a run: the params of `wherefore/agentEvent`. Only a client with the capability
/// `experimental.wherefore.agent` gets that notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEvent {
    /// The run.
    pub run: String,
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// Its number in the run, from 1.
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: AgentHappening,
}

impl AgentEvent {
    /// Whether it is a piece of what the model writes or thinks.
    pub fn is_piece(&self) -> bool {
        matches!(self.what, AgentHappening::Text { .. } | AgentHappening::Thinking { .. })
    }

    /// Whether it is for the client that began the run alone.
    pub fn is_for_client(&self) -> bool {
        matches!(self.what, AgentHappening::ReadFile { .. } | AgentHappening::WriteFile { .. })
    }

    /// Adds a later piece of the same text to this one; whether it is one. The event has the number of the later piece
    /// then.
    pub fn append(&mut self, later: &Self) -> bool {
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

/// What happened in a run.
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
        /// Which time it is in this turn, from 1.
        step: u32,
    },
    /// The model wrote something.
    Text {
        /// What it wrote, since the event before.
        text: String,
    },
    /// The model thought something.
    Thinking {
        /// What it thought, since the event before.
        text: String,
    },
    /// A call of the model's begins.
    Call {
        /// The model's own id of the call.
        call: String,
        /// The tool, by its dotted name.
        tool: String,
        /// Why it is called; empty where the model did not say.
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
        /// How it ended.
        status: Status,
        /// What came of it, in a line.
        summary: String,
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
        /// What may be answered; the first one allows.
        answers: Vec<String>,
    },
    /// The text of a file is wanted, as the client's editor has it: `file` of `wherefore/agentSay` answers. Only a client
    /// whose run has `files` meets this.
    ReadFile {
        /// What the answer names.
        id: String,
        /// The absolute path of the file.
        path: String,
    },
    /// A file is to be written through the client's editor: `file` of `wherefore/agentSay` answers.
    WriteFile {
        /// What the answer names.
        id: String,
        /// The absolute path of the file.
        path: String,
        /// The whole text.
        text: String,
    },
    /// Something that the person may want to know: what was cut, repaired, tried again.
    Note {
        /// What, as a sentence.
        text: String,
    },
    /// The model answered.
    Usage {
        /// What the run took so far.
        usage: AgentUsage,
    },
    /// A turn ended.
    Ended {
        /// Why.
        end: AgentEnd,
        /// The summary that the model gave, its answer, or what went wrong.
        text: String,
        /// What went wrong, for a program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// Proposals of the run that wait for a decision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pending: Vec<ProposalId>,
    },
}
