//! Answers and faults on the standard streams: JSON for programs, lines for people.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use super::print::inert;
use crate::base::hidden::in_json;
use crate::protocol::Fault;

/// The exit code of a fault.
pub(super) const FAULT: u8 = 1;

/// Writes a line to standard output. Once nobody reads it there is nothing left to do: the process ends.
pub(super) fn line(text: &str) {
    out(&format!("{text}\n"));
}

/// Writes text to standard output, its hidden characters shown. What cannot be written for another reason than that nobody reads is
/// an answer lost: the process says so and ends with the code of a fault.
pub(super) fn out(text: &str) {
    raw(&inert(text));
}

/// Rings the terminal's bell.
pub(super) fn bell() {
    raw("\u{7}");
}

fn raw(text: &str) {
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

/// Writes a line to standard error, its hidden characters shown.
pub(super) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", inert(text));
}

/// Writes a value as JSON: indented for a person at a terminal, else on one line. Hidden characters are escapes of
/// JSON's, so that a terminal obeys none and a program reads the same.
pub(super) fn json(value: &impl Serialize) {
    let text = match std::io::stdout().is_terminal() {
        true => serde_json::to_string_pretty(value),
        false => serde_json::to_string(value),
    };
    raw(&format!("{}\n", in_json(&text.unwrap_or_default())));
}

/// Writes a value as one line of JSON.
pub(super) fn json_line(value: &impl Serialize) {
    raw(&format!("{}\n", in_json(&serde_json::to_string(value).unwrap_or_default())));
}

/// Writes a fault for a person to standard error; returns its exit code.
pub(super) fn fault(fault: &Fault) -> ExitCode {
    told("wherefore", fault)
}

/// Writes a fault with the name of whoever says so before it.
pub(super) fn told(who: &str, fault: &Fault) -> ExitCode {
    // Only the first line stands at the margin: a value with line ends forges no message of ours.
    let mut lines = fault.message.lines();
    note(&format!("{who}: {}", lines.next().unwrap_or_default()));
    let ways = ways_out(fault);
    lines.chain(ways.iter().flat_map(|way| way.lines())).for_each(|line| note(&format!("  {line}")));
    ExitCode::from(FAULT)
}

/// What a person can do about a fault. Names like the one that was meant are asked for as a person is asked.
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
                .suggest("call fs.read, or another of the names in `hints`")
                .near(names.iter().map(|name| (*name).to_owned()))
        };
        assert_eq!(ways_out(&unknown(&["fs.read"])), ["did you mean fs.read?"]);
        assert_eq!(
            ways_out(&unknown(&["fs.read", "fs.append", "fs.patch"])),
            ["did you mean fs.read, fs.append or fs.patch?"]
        );
        let other = Fault::new(Code::NotFound, "gone").hint(["near it: a.rs".to_owned()]).suggest("list it");
        assert_eq!(ways_out(&other), ["near it: a.rs", "list it"]);
    }
}
