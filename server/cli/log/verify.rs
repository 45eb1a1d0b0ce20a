//! `wherefore log verify`: checks that a log is as it was written, and names who vouches for it.

use std::io::{self, Write};

use crate::base::hidden::shorten_to_line;
use crate::journal::{LogReader, LogReport, LogVerdict, verify_log};
use crate::protocol::Fault;

/// Characters of the description of one place.
const LINE: usize = 300;

/// Verifies a log and prints the result.
///
/// # Errors
/// The errors of reading it; a failure to print is in the inner result.
pub(super) fn verify_and_print(
    log: &LogReader,
    out: &mut impl Write,
) -> Result<io::Result<LogVerdict>, Fault> {
    let report = verify_log(log)?;
    let name = log.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(print_report(&shorten_to_line(&name, 80), &report, out))
}

fn print_report(name: &str, report: &LogReport, out: &mut impl Write) -> io::Result<LogVerdict> {
    let (verdict, said) = report.verdict();
    writeln!(out, "{name}: {said}")?;
    print_damage(report, out)?;
    Ok(verdict)
}

fn print_damage(report: &LogReport, out: &mut impl Write) -> io::Result<()> {
    let all = report.damage.iter().map(|damage| ("", damage));
    for (kind, damage) in all.chain(report.recovered.iter().map(|damage| ("recovered: ", damage))) {
        let line = damage.place.line.map_or_else(String::new, |line| line.to_string());
        writeln!(out, "  {}:{line}: {kind}{}", damage.place.part, shorten_to_line(&damage.what, LINE))?;
    }
    let more = report.damages.saturating_sub(report.damage.len() as u64);
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}
