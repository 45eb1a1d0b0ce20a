//! What the demo ends with: the difference on the disk held against what was decided, and the log.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::check::{Ledger, Outcome};
use super::show;
use crate::cli::print::{TerminalPage, visible};
use crate::patch;

/// Shows the difference that was made to each file; whether it is what was decided, on the disk and, where the editor
/// is ours, in what it shows.
///
/// # Errors
/// What the file system or the terminal says.
pub(super) fn on_disk<'l>(
    page: TerminalPage,
    root: &Path,
    ledger: &'l Ledger,
    shown: impl Fn(&Outcome<'l>) -> Option<&'l str>,
) -> io::Result<bool> {
    show::heading(page, "On the disk")?;
    let mut findings = Vec::new();
    for outcome in ledger.outcomes() {
        let disk = fs::read_to_string(root.join(outcome.path))?;
        show::diff(page, &patch::unified(outcome.path, Some(outcome.before), Some(&disk)))?;
        let same = disk == outcome.expected && shown(&outcome).is_none_or(|shown| shown == outcome.expected);
        findings.push((same, format!("{} is what was decided, byte for byte", outcome.path)));
    }
    findings.into_iter().try_fold(true, |right, (same, text)| {
        show::checked(page, same, &text)?;
        Ok(right && same)
    })
}

/// Says where the log is and has its chain checked as anyone can; whether it is whole.
///
/// # Errors
/// What the system or the terminal says.
pub(super) fn log(page: TerminalPage, root: &Path, path: &str) -> io::Result<bool> {
    show::heading(page, "The session log")?;
    page.line(format!("   {}", visible(path)))?;
    let verified =
        Command::new(std::env::current_exe()?).args(["log", "verify", "--root"]).arg(root).output()?;
    let said = visible(String::from_utf8_lossy(&verified.stdout).trim());
    show::checked(page, verified.status.success(), &format!("wherefore log verify: {said}"))?;
    Ok(verified.status.success())
}
