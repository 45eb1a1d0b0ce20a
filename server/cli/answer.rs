//! Answers and faults on the standard streams: JSON for programs, lines for people.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use super::print::escape_hidden;
use crate::base::hidden::escape_in_json;
use crate::protocol::Fault;

/// The exit code of a fault.
pub(super) const FAULT: u8 = 1;

/// Writes a line to standard output. Ends the process if standard output has no reader any more.
pub(super) fn write_line(text: &str) {
    write_text(&format!("{text}\n"));
}

/// Writes text to standard output, with its hidden characters as escapes. If the write fails although there is a
/// reader, the answer is lost: the process reports that and ends with the exit code of a fault.
pub(super) fn write_text(text: &str) {
    write_raw(&escape_hidden(text));
}

/// Rings the terminal's bell.
pub(super) fn ring_bell() {
    write_raw("\u{7}");
}

/// Writes text to standard output as it is, for a program to read.
pub(super) fn write_raw(text: &str) {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            write_note(&format!("wherefore: the answer cannot be written: {error}; `wherefore log` has it"));
            std::process::exit(i32::from(FAULT));
        }
    }
}

/// Writes a line to standard error, its hidden characters shown.
pub(super) fn write_note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", escape_hidden(text));
}

/// Writes a value as JSON: indented for a person at a terminal, else on one line. Hidden characters are escapes of
/// JSON's, so that a terminal obeys none and a program reads the same.
pub(super) fn write_json(value: &impl Serialize) {
    let text = match std::io::stdout().is_terminal() {
        true => serde_json::to_string_pretty(value),
        false => serde_json::to_string(value),
    };
    write_raw(&format!("{}\n", escape_in_json(&text.unwrap_or_default())));
}

/// Writes a value as one line of JSON.
pub(super) fn write_json_line(value: &impl Serialize) {
    write_raw(&format!("{}\n", escape_in_json(&serde_json::to_string(value).unwrap_or_default())));
}

/// Writes a fault for a person to standard error; returns its exit code.
pub(super) fn show_fault(fault: &Fault) -> ExitCode {
    write_fault("wherefore", fault)
}

/// Writes a fault to standard error, with `who` before it as its source.
pub(super) fn write_fault(who: &str, fault: &Fault) -> ExitCode {
    // Only the first line starts at the margin, so that a line end in a value cannot forge another message.
    let mut lines = fault.message.lines();
    write_note(&format!("{who}: {}", lines.next().unwrap_or_default()));
    let ways = ways_out(fault);
    lines.chain(ways.iter().flat_map(|way| way.lines())).for_each(|line| write_note(&format!("  {line}")));
    ExitCode::from(FAULT)
}

/// The actions that a person can take about a fault. Similar names are offered as a question.
fn ways_out(fault: &Fault) -> Vec<String> {
    if fault.near
        && let Some((last, others)) = fault.hints.split_last()
    {
        return vec![match others.is_empty() {
            true => format!("did you mean {last}?"),
            false => format!("did you mean {} or {last}?", others.join(", ")),
        }];
    }
    fault.hints.iter().chain(&fault.suggestion).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::ways_out;
    use crate::protocol::{Code, Fault};

    #[test]
    fn near_names_are_asked_for_and_other_ways_are_told() {
        let unknown = |names: &[&str]| {
            Fault::new(Code::ToolNotFound, "there is no tool named \"fs.raed\"")
                .with_suggestion("call fs.read, or another of the names in `hints`")
                .with_near_names(names.iter().map(|name| (*name).to_owned()))
        };
        assert_eq!(ways_out(&unknown(&["fs.read"])), ["did you mean fs.read?"]);
        assert_eq!(
            ways_out(&unknown(&["fs.read", "fs.append", "fs.patch"])),
            ["did you mean fs.read, fs.append or fs.patch?"]
        );
        let other = Fault::new(Code::NotFound, "gone")
            .with_hints(["near it: a.rs".to_owned()])
            .with_suggestion("list it");
        assert_eq!(ways_out(&other), ["near it: a.rs", "list it"]);
    }
}
