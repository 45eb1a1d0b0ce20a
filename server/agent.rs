//! The built-in agent: a model of the person's works with the tools until the task is complete.
//!
//! A run ([`AgentRun`](crate::hub::AgentRun)) is one conversation. A turn of it begins with the person's words and ends with
//! `task_complete`, an answer in words, a limit, or the person. Each step of a turn asks the model once and makes the calls
//! that it answers. They go through the same pipeline as any agent's, so the same rules, reviews and logs hold.

mod again;
mod ask;
mod assemble;
mod caller;
mod calls;
mod choose;
mod compact;
mod constrained;
mod feedback;
mod history;
mod limits;
mod prompt;
mod reading;
mod resume;
mod run;
mod short;
mod step;
mod stuck;
mod surface;
mod told;
mod turn;

#[cfg(test)]
mod tests;

pub use again::{PlainCall, RecordedStep, plain_calls, recorded_steps, request_for, with_text_calls};
pub use choose::model_of;
pub use resume::{Conversation, conversation, earlier_runs};
pub use run::{AgentStart, start};
pub use told::told;
