//! A session made again: its calls on a copy of the workspace, or its questions to another model.
//!
//! The copy is a workspace like any other, with its rules, its sandbox and a log of its own. Nobody answers for the person
//! but the decisions that the log has on changes: what a rule asks about is not run again.

mod asked;
mod caller;
mod compare;
mod copy;
mod recorded;
mod rewind;
mod run;

pub use asked::{AskedAgain, StepAgain, ask_again};
pub use compare::Difference;
pub use copy::WorkspaceCopy;
pub use recorded::{RecordedCall, Recording};
pub use run::{CallAgain, Outcome, ReplayReport, replay};
