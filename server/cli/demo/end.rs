//! What the demo ends with: the difference on the disk held against what was decided, and the log.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::check::{Ledger, Outcome};
use super::project::Project;
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

/// Has the log's chain checked as anyone can, and says where the log is if it stays; whether it is whole.
///
/// # Errors
/// What the system or the terminal says.
pub(super) fn log(page: TerminalPage, root: &Path, path: Option<&str>) -> io::Result<bool> {
    show::heading(page, "The session log")?;
    if let Some(path) = path {
        page.line(format!("   {}", visible(path)))?;
    }
    let verified =
        Command::new(std::env::current_exe()?).args(["log", "verify", "--root"]).arg(root).output()?;
    let said = visible(String::from_utf8_lossy(&verified.stdout).trim());
    show::checked(page, verified.status.success(), &format!("wherefore log verify: {said}"))?;
    Ok(verified.status.success())
}

/// Removes the copy of the project, or says where it stays; then says what comes next.
///
/// # Errors
/// What the system or the terminal says.
pub(super) fn leave(page: TerminalPage, project: &Project, keeps: bool) -> io::Result<()> {
    show::heading(page, "Next")?;
    let folder = visible(&project.folder.to_string_lossy());
    match keeps {
        true => page.line(format!("   The copy stays in {folder}: `rm -r` removes it."))?,
        false => {
            fs::remove_dir_all(&project.folder)?;
            page.line("   The copy is removed. `wherefore demo --keep` keeps it, with its session log.")?;
        }
    }
    page.line("   In a project of yours, `wherefore init` adds wherefore to your agents.")?;
    page.line("   `wherefore doctor` says what works on this machine, and how to mend the rest.")
}
