//! Replays a session: its calls on a copy of the workspace, or its questions to another model.
//!
//! The copy is a workspace like any other, with its rules, its sandbox and a log of its own. No answer of the person is made up
//! beyond the decisions that the log has on changes: a call for which a rule asks is not run again.
//!
//! # Invariants
//!
//! - No replay of a session touches the workspace, runs what the rules do not let run unasked, or answers for the
//!   person.
//!   Test: `recorded_sessions_go_as_they_went_and_the_workspace_stays_as_it_is`,
//!   `what_the_rules_close_is_not_run_again`

mod ask_again;
mod caller;
mod compare;
mod copy;
mod recording;
mod rewind;
mod run;

pub use ask_again::{RepeatedQuestions, RepeatedStep, ask_again};
pub use compare::ResultDifference;
pub use copy::WorkspaceCopy;
pub use recording::{SessionCall, SessionRecording};
pub use run::{RepeatedCall, ReplayOutcome, ReplayReport, replay_calls};
