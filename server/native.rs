//! Agents' own tools: what the hook of an agent says of a call, and the answer in that agent's form.
//!
//! Nothing here touches the workspace. Each agent's form was seen with the real program; `docs/agents.md` names the
//! versions.

mod act;
mod agent;
mod answer;
mod edits;
mod message;
mod notebook;
mod patch_files;
mod reason;
mod said;
mod sentence;
mod standing;
pub mod told;
mod tools;
mod wire;

pub use act::{CellEdit, CellMode, NativeAct, Replacement};
pub use agent::NativeAgent;
pub use answer::HookAnswer;
pub use edits::{EditError, replaced};
pub use message::{HookMessage, HookMoment, MessageError};
pub use notebook::{NotebookError, with_cell};
pub use patch_files::{PatchFile, PatchKind, patch_files};
pub use reason::reason;
pub use said::said;
pub use sentence::last_sentence;
pub use standing::ChangeStanding;
pub use wire::{NativeAnswer, NativeParams, NativeVerdict};
