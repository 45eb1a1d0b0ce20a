//! JavaScript that others wrote, run in QuickJS: for a process that is confined already, which [`serve`] is the routine of.
//!
//! The code finds the language, a console, timers and its input, and nothing of the machine. Its time, its memory and its
//! stack are bounded inside the engine. A built-in function of the engine can run past its time, so whoever starts the
//! process ends it a little later.
//!
//! A [`ScriptRequest`] goes in as JSON. Lines of JSON come out: one for each message of the console as it is written, and
//! one at the end. [`ScriptReport::read`] reads them. Node.js with [`NODE_RUNNER`] takes and writes the same.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod engine;
mod report;
mod request;
mod serve;
#[cfg(test)]
mod tests;

pub use engine::MEMORY;
pub use report::{LogEntry, LogLevel, ScriptEnd, ScriptError, ScriptLimit, ScriptReport};
pub use request::ScriptRequest;
pub use serve::serve;

/// The program that Node.js runs in place of [`serve`].
pub const NODE_RUNNER: &str =
    concat!("const connect = ", include_str!("host.js"), ";\n", include_str!("node.js"));
