//! `wherefore log verify`: whether a log is as it was written, and who vouches for it.

use std::io::{self, Write};

use crate::base::hidden::short;
use crate::journal::{Ending, Log, Report, Vouched, verify};
use crate::protocol::Fault;

/// Characters of what is told of one place.
const LINE: usize = 300;

/// What was found, as the exit code tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
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
pub(super) fn check(log: &Log, out: &mut impl Write) -> Result<io::Result<Verdict>, Fault> {
    let report = verify(log)?;
    let name = log.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(print(&short(&name, 80), &report, out))
}

fn print(name: &str, report: &Report, out: &mut impl Write) -> io::Result<Verdict> {
    let Report { blocks, values, parts, .. } = report;
    let counted = format!("{blocks} events, {values} stored values, {parts} parts");
    let verdict = match (report.damage.first(), report.vouched, report.ending) {
        (Some(first), ..) => {
            let line = first.place.line.map_or_else(String::new, |line| format!("{line}:"));
            writeln!(
                out,
                "{name}: damaged, first at {}:{line} byte {}",
                first.place.part, first.place.offset
            )?;
            Verdict::Damaged
        }
        (None, Vouched::Here, Ending::Cut(events)) => {
            writeln!(out, "{name}: cut at the end: {events} events were durable, {blocks} are there")?;
            Verdict::Damaged
        }
        (None, _, Ending::Cut(events)) => {
            writeln!(
                out,
                "{name}: not the log that this machine wrote, which had {events} events: {counted}"
            )?;
            Verdict::Damaged
        }
        (None, Vouched::Here, Ending::Whole) => {
            let state = if report.recovered.is_empty() { "sound" } else { "recovered" };
            writeln!(out, "{name}: {state}: {counted}")?;
            Verdict::Sound
        }
        (None, Vouched::Here, Ending::Unknown) => {
            writeln!(
                out,
                "{name}: written on this machine, {counted}; but how long it was is not known here, so that events \
                 cut off its end would not show"
            )?;
            Verdict::Unvouched
        }
        (None, Vouched::Elsewhere, _) => {
            writeln!(
                out,
                "{name}: cannot be vouched for here: it was written on another machine, or by someone without this \
                 machine's key; {counted}"
            )?;
            Verdict::Unvouched
        }
        (None, Vouched::Nobody, _) => {
            writeln!(
                out,
                "{name}: not keyed: its hashes fit, but anybody can make them, and events cut off its end would not \
                 show; {counted}"
            )?;
            Verdict::Sound
        }
    };
    places(report, out)?;
    Ok(verdict)
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
