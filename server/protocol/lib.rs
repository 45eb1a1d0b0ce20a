//! What every layer speaks of: pure data, no input or output.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod agent;
mod call;
mod discovery;
mod effects;
mod envelope;
mod event;
mod fault;
mod line_note;
mod line_why;
mod looking;
mod memory;
mod message;
mod notice;
mod point;
mod proposal;
mod requests;
mod risk;
mod running;
mod sentence;
mod settings;
mod watching;
mod why;

use wherefore_base as base;

pub use agent::{
    AgentCancelParams, AgentEnd, AgentEvent, AgentEventsAnswer, AgentEventsParams, AgentFileAnswer,
    AgentFiles, AgentHappening, AgentLimits, AgentListAnswer, AgentListParams, AgentRunAnswer,
    AgentRunParams, AgentRunSummary, AgentSayParams, AgentState, AgentUsage,
};
pub use call::{Door, Lead, Origin, RawCall};
pub use discovery::{
    ExpandToolAnswer, ExpandToolParams, ListToolsAnswer, ListToolsParams, MOST, NodeMatch, NodePointer,
    SearchNodesAnswer, SearchNodesParams, SearchToolsAnswer, SearchToolsParams, ToolPointer,
};
pub use effects::{Access, Effects, Network};
pub use envelope::{Delivery, DeliveryStatus, Envelope, Status};
pub use event::{DecidedBy, Event, EventType, HunkDecision, LogEvent, NativeOutcome};
pub use fault::{Code, Fault};
pub use line_note::{LineNote, NoteProblem, NotedLine};
pub use line_why::{LineBy, LineCall, LineCommit, LineGroup, LineWhys};
pub use looking::{
    DocumentDiagnostics, LookAnswer, LookParams, SelectedText, SlotNotice, SlotStatus, TextPlace,
};
pub use memory::{
    Advice, CollectAnswer, HintAct, HintKind, HintOutcome, HintParams, Outcome, Role, Truncate, WorkingFile,
    WorkingSetAnswer,
};
pub use message::{LONGEST_MESSAGE, LineSpan, PersonMessage, SendAnswer, SendParams, WAITING_MESSAGES};
pub use notice::{AskAnswer, AskParams, Background, CallNotice, FinishNotice, Notice};
pub use point::Point;
pub use proposal::{
    ChangeKind, FileState, Hunk, HunkState, PathContent, Proposal, ProposalState, ProposedFile,
};
pub use requests::{
    Act, ComposeForm, DecideParams, ProposalsParams, ServerStatus, ToolSummary, UndoAnswer, WorkspaceStatus,
};
pub use risk::Risk;
pub use running::{CommandNotice, CommandState, LARGEST_OUTPUT};
pub use settings::{
    AllowedCommand, CommandEffects, CommandRuleSettings, DiscoverySettings, Durability, EmbeddingSettings,
    FetchSettings, ForwardWhy, IdeSlot, Import, LimitSettings, LogSettings, McpServer, MemorySettings,
    ModelApi, ModelSettings, NativeSettings, NoteSettings, NotifySettings, Policy, PolicyRule, PromptSize,
    RequireExpand, ReviewSettings, RuleSettings, SandboxSettings, Settings, ShowCalls, StorageSettings,
    Surface, TelemetrySettings, VectorStoreSettings, Verbosity, WhenAway, WhySettings,
};
pub use watching::{Rescan, RescanReason, WatchMode, WatchStatus};
pub use why::Why;
