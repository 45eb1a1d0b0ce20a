//! Answers and faults on the standard streams: JSON for programs, lines for people.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::protocol::Fault;

/// The exit code of a fault.
pub const FAULT: u8 = 1;

/// Writes a line to standard output. Once nobody reads it there is nothing left to do: the process ends.
pub fn line(text: &str) {
    out(&format!("{text}\n"));
}

/// Writes text to standard output as it is. What cannot be written for another reason than that nobody reads is
/// an answer lost: the process says so and ends with the code of a fault.
pub fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            note(&format!("wherefore: the answer cannot be written: {error}; `wherefore log` has it"));
            std::process::exit(i32::from(FAULT));
        }
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes a value as JSON: indented for a person at a terminal, else on one line.
pub fn json(value: &impl Serialize) {
    let text = match std::io::stdout().is_terminal() {
        true => serde_json::to_string_pretty(value),
        false => serde_json::to_string(value),
    };
    line(&text.unwrap_or_default());
}

/// Writes a fault for a person to standard error; returns its exit code.
pub fn fault(fault: &Fault) -> ExitCode {
    note(&format!("wherefore: {}", fault.message));
    for hint in &fault.hints {
        note(&format!("  {hint}"));
    }
    if let Some(suggestion) = &fault.suggestion {
        note(&format!("  {suggestion}"));
    }
    ExitCode::from(FAULT)
}
