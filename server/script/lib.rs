//! JavaScript that others wrote, run in QuickJS, in a process that is confined already: [`serve_script`] is its
//! routine.
//!
//! The code finds the language, a console, timers and its input, and nothing of the machine. Its time, its memory and
//! its stack are limited inside the engine. A built-in function of the engine can run past its time, so the starter
//! of the process ends it a little later.
//!
//! A [`ScriptRequest`] goes in as JSON. Lines of JSON come out: one for each message of the console as it is written, and
//! one at the end. [`ScriptReport::from_output`] reads them. Node.js with [`NODE_RUNNER`] takes and writes the same.
//!
//! # Invariants
//!
//! - No script of `js.exec` in QuickJS finds a file, a network or a process, and none outlives its limit.
//!   Test: `a_routine_finds_no_file_of_the_host`, `a_script_finds_nothing_of_the_machine`,
//!   `limits_end_a_script_and_keep_its_messages`
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
pub use serve::serve_script;

/// The program that Node.js runs in place of [`serve_script`].
pub const NODE_RUNNER: &str =
    concat!("const connect = ", include_str!("host.js"), ";\n", include_str!("node.js"));
