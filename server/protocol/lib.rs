//! The data types that every layer shares: pure data, no input or output.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod agent;
mod call;
mod change_answer;
mod command_notice;
mod diagnostics;
mod direct_writes;
mod discovery;
mod effects;
mod envelope;
mod environment;
mod event;
mod fault;
mod held_proposal;
mod line_edit;
mod line_note;
mod line_why;
mod memory;
mod message;
mod notice;
mod point;
mod proposal;
mod repository;
mod requests;
mod risk;
mod run_ending;
mod sentence;
mod settings;
mod subject;
mod watch_status;
mod why;

use wherefore_base as base;

pub use agent::{
    AgentCancelParams, AgentEnd, AgentEvent, AgentEventsAnswer, AgentEventsParams, AgentFileAnswer,
    AgentFiles, AgentHappening, AgentLimits, AgentListAnswer, AgentListParams, AgentRunAnswer,
    AgentRunParams, AgentRunSummary, AgentSayParams, AgentState, AgentUsage,
};
pub use call::{CallContext, Door, Origin, RawCall};
pub use change_answer::{AnsweredHunk, ChangeAnswer, ChangeStatus};
pub use command_notice::{CommandNotice, CommandState, LARGEST_OUTPUT};
pub use diagnostics::{DiagnosticsAnswer, DiagnosticsParams, DocumentDiagnostics};
pub use direct_writes::{ApartAct, DirectWrites};
pub use discovery::{
    ExpandToolAnswer, ExpandToolParams, ListNodeAnswer, ListNodeParams, MAX_LIMIT, NodeMatch, NodePointer,
    SearchNodesAnswer, SearchNodesParams, SearchToolsAnswer, SearchToolsParams, ToolPointer,
};
pub use effects::{CallEffects, NetworkTarget, PathAccess};
pub use envelope::{Delivery, DeliveryStatus, Envelope, Status};
pub use environment::{EnvironmentAnswer, EnvironmentParams, EnvironmentSource};
pub use event::{DecidedBy, Event, EventType, FIXED_ANSWER, HunkDecision, LogEvent, NativeOutcome};
pub use fault::{Code, Fault};
pub use held_proposal::HeldProposal;
pub use line_edit::LineEdit;
pub use line_note::{LineNote, NoteProblem, NotedLine};
pub use line_why::{LineBy, LineCall, LineCommit, LineGroup, LineWhys};
pub use memory::{
    Advice, CollectAnswer, HintAct, HintKind, HintOutcome, HintParams, Outcome, Role, Truncate, WorkingFile,
    WorkingSetAnswer,
};
pub use message::{LONGEST_MESSAGE, LineSpan, PersonMessage, SendAnswer, SendParams, WAITING_MESSAGES};
pub use notice::{AskAnswer, AskParams, BackgroundWork, CallNotice, EditorNotice, FinishNotice, Unanswered};
pub use point::Point;
pub use proposal::{
    ChangeKind, FileState, Hunk, HunkState, PathContent, Proposal, ProposalCommand, ProposalState,
    ProposedFile,
};
pub use repository::{RepositoryAct, RepositoryChange};
pub use requests::{
    Act, ComposeForm, DecideParams, ProposalsParams, ServerStatus, ToolSummary, UndoAnswer, WorkspaceStatus,
};
pub use risk::Risk;
pub use run_ending::{RunEnding, ran_confined};
pub use settings::{
    ActivitySettings, AllowedCommand, AllowedHost, CommandEffects, CommandRuleSettings, CommitDecision,
    DiscoverySettings, Durability, EmbeddingSettings, FetchSettings, ForwardWhy, GitSettings, IgnoredEffects,
    Import, LimitSettings, LogSettings, McpServer, MemorySettings, ModelApi, ModelSettings, NativeSettings,
    NetworkRuleSettings, NoteSettings, NotifySettings, Policy, PolicyRule, PortForwarding, PromptSize,
    RequireExpand, ReviewSettings, RuleSettings, SandboxSettings, Settings, ShowCalls, StorageSettings,
    Surface, TelemetrySettings, VectorStoreSettings, Verbosity, WatchSettings, WhenAway, WhySettings,
    WithoutOverlay, is_environment_name,
};
pub use subject::{call_paths, call_subject};
pub use watch_status::{Rescan, RescanReason, WatchBackend, WatchMode, WatchStatus};
pub use why::Why;
