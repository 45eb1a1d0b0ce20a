//! Attempts to get out of the sandbox, each with a control run that shows that it works unconfined.
//!
//! The test's own program makes the attempts: it starts itself, once unconfined and once under `sandbox-run`, and
//! then checks from the outside for effects. `cargo test --test escapes -- TEXT` runs the attempts whose group or
//! name holds a text. `WHEREFORE_SANDBOX_RUN` names another launcher with equal arguments.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod arena;
mod groups;
mod host;
mod inside;
mod passes;
mod run;
mod signs;
mod sys;
mod table;
mod victim;
mod works;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("attempt") => inside::main(&args[1..]),
        Some("victim") => victim::main(),
        _ => passes::main(&args),
    }
}
