//! The built-in agent: a model of the person's works with the tools until the task is complete.
//!
//! A run ([`AgentRun`](crate::hub::AgentRun)) is one conversation. A turn of it begins with the person's words and ends with
//! `task_complete`, an answer in words, a limit, or the person. Each step of a turn asks the model once and makes the calls
//! that it answers. They go through the same pipeline as any agent's, so the same rules, reviews and logs hold.
//!
//! # Invariants
//!
//! - No call of the built-in agent passes a rule, a review or the log, and no file steers it past them.
//!   Test: `a_run_reads_writes_and_completes_and_all_of_it_is_in_the_log`,
//!   `what_the_rules_close_stays_closed_whatever_a_file_says`
//! - No `why` is invented for a model that gives none.
//!   Test: `a_missing_why_is_asked_for_again_and_no_file_is_changed_for_it`
//! - No part of a prompt is left out for want of room without a message to the person and an event in the log.
//!   Test: `a_small_context_gets_a_short_prompt_and_what_it_does_without_is_told_and_logged`
//! - No turn of the built-in agent goes on without end.
//!   Test: `circles_empty_answers_and_limits_end_a_turn_with_their_reason`

mod ask;
mod assemble;
mod caller;
mod calls;
mod compact;
mod constrained;
mod feedback;
mod history;
mod initial_context;
mod limits;
mod model_choice;
mod prompt;
mod recorded_steps;
mod replayed_events;
mod resume;
mod run;
mod short_prompt;
mod step;
mod surface;
mod turn;
mod watchdog;

#[cfg(test)]
mod tests;

pub use model_choice::open_chosen_model;
pub use recorded_steps::{
    ComparableCall, RecordedStep, comparable_calls, recorded_steps, request_for, with_text_calls,
};
pub use replayed_events::replayed_events;
pub use resume::{EarlierConversation, earlier_runs, read_conversation};
pub use run::{AgentStart, start_run};
