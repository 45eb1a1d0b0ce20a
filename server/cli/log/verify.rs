//! `wherefore log verify`: whether a log is as it was written, and who vouches for it.

use std::io::{self, Write};

use crate::base::hidden::short;
use crate::base::numbers;
use crate::journal::{Ending, Log, Report, Vouched, verify};
use crate::protocol::Fault;

/// Characters of what is told of one place.
const LINE: usize = 300;

/// What was found, as the exit code tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum LogVerdict {
    /// As it was written, on this machine, and whole, or recovered; or not keyed, with hashes that fit.
    Sound,
    /// Altered, or cut off at its end.
    Damaged,
    /// Nothing wrong was seen, but nobody here can vouch for it.
    Unvouched,
}

/// Reads a log and prints how it stands.
///
/// # Errors
/// Those of reading it; a failure to print is in the inner result.
pub(super) fn check(log: &Log, out: &mut impl Write) -> Result<io::Result<LogVerdict>, Fault> {
    let report = verify(log)?;
    let name = log.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(print(&short(&name, 80), &report, out))
}

fn print(name: &str, report: &Report, out: &mut impl Write) -> io::Result<LogVerdict> {
    let (verdict, said) = judged(report);
    writeln!(out, "{name}: {said}")?;
    places(report, out)?;
    Ok(verdict)
}

/// How a log stands, with a sentence that says so.
pub(in crate::cli) fn judged(report: &Report) -> (LogVerdict, String) {
    let Report { blocks, values, parts, .. } = report;
    let counted = [(*blocks, "event"), (*values, "stored value"), (*parts, "part")];
    let counted = counted.map(|(count, noun)| numbers::counted(count, noun)).join(", ");
    match (report.damage.first(), report.vouched, report.ending) {
        (Some(first), ..) => {
            let line = first.place.line.map_or_else(String::new, |line| format!("{line}:"));
            let said = format!("damaged, first at {}:{line} byte {}", first.place.part, first.place.offset);
            (LogVerdict::Damaged, said)
        }
        (None, Vouched::Here, Ending::Cut(events)) => {
            (LogVerdict::Damaged, format!("cut at the end: {events} events were durable, {blocks} are there"))
        }
        (None, _, Ending::Cut(events)) => (
            LogVerdict::Damaged,
            format!("not the log that this machine wrote, which had {events} events: {counted}"),
        ),
        (None, Vouched::Here, Ending::Whole) => {
            let state = if report.recovered.is_empty() { "sound" } else { "recovered" };
            (LogVerdict::Sound, format!("{state}: {counted}"))
        }
        (None, Vouched::Here, Ending::Unknown) => (
            LogVerdict::Unvouched,
            format!(
                "written on this machine, {counted}; but this machine does not know how long the log was, so events cut \
                 off its end would not show"
            ),
        ),
        (None, Vouched::Elsewhere, _) => (
            LogVerdict::Unvouched,
            format!(
                "cannot be vouched for here: it was written on another machine, or by someone without this machine's \
                 key; {counted}"
            ),
        ),
        (None, Vouched::Nobody, _) => (
            LogVerdict::Sound,
            format!(
                "not keyed: its hashes fit, but anybody can make them, and events cut off its end would not show; \
                 {counted}"
            ),
        ),
    }
}

fn places(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let all = report.damage.iter().map(|damage| ("", damage));
    for (kind, damage) in all.chain(report.recovered.iter().map(|damage| ("recovered: ", damage))) {
        let line = damage.place.line.map_or_else(String::new, |line| line.to_string());
        writeln!(out, "  {}:{line}: {kind}{}", damage.place.part, short(&damage.what, LINE))?;
    }
    let more = report.damages.saturating_sub(report.damage.len() as u64);
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}
