//! `wherefore log verify`: whether a log is as it was written, and who vouches for it.

use std::io::{self, Write};

use crate::base::hidden::short;
use crate::journal::{Log, LogVerdict, Report, verify};
use crate::protocol::Fault;

/// Characters of what is told of one place.
const LINE: usize = 300;

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
    let (verdict, said) = report.verdict();
    writeln!(out, "{name}: {said}")?;
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
