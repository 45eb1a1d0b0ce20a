//! Agents' own tools: the messages of an agent's hook about a call, and the answers in that agent's form.
//!
//! Nothing here touches the workspace. `crate::agents` says which form each agent has.
//!
//! # Invariants
//!
//! - No call of an agent's own tool that edits, runs or reads goes on where it cannot be read as its agent reads it.
//!   Test: `a_decoy_beside_what_the_agent_reads_is_refused`, `what_cannot_be_read_is_refused_and_the_status_says_so`,
//!   `a_patch_is_an_edit_however_it_is_wrapped_and_never_a_command_that_runs`

mod act;
pub mod agent_rules;
mod answer;
mod approval_mode;
mod change_text;
mod codex_sandbox;
mod command_result;
mod command_route;
mod edits;
mod hook_wire;
mod input;
mod json_text;
mod message;
mod notebook;
pub mod outcome_text;
mod person_text;
mod reason;
mod sentence;
mod tools;

pub use act::{CellEdit, CellMode, NativeAct, NativeCall, Replacement};
pub use answer::HookAnswer;
pub use change_text::change_text;
pub use command_result::{describe_command_result, describe_timeout};
pub use command_route::CommandRoute;
pub use edits::{ReplacementError, apply_replacements};
pub use hook_wire::{CommandClaim, CommandStep, NativeAnswer, NativeParams, NativeVerdict};
pub use message::{HookMessage, HookMoment, MessageError};
pub use notebook::{NotebookError, with_cell};
pub use person_text::message_texts;
pub use reason::call_reason;
pub use sentence::last_sentence;
pub use tools::NativeCallError;
