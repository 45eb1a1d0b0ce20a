//! The end of the demo: the files on the disk are compared with the decisions, and the log is verified.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::check::{FileOutcome, ReviewLedger};
use super::project::DemoProject;
use super::show;
use crate::cli::print::{TerminalPage, visible_line};
use crate::patch;

/// Shows the diff of each file; returns whether the files match the decisions, on the disk and in the demo's own editor.
///
/// # Errors
/// The error of the file system or the terminal.
pub(super) fn compare_disk<'l>(
    page: TerminalPage,
    root: &Path,
    ledger: &'l ReviewLedger,
    shown: impl Fn(&FileOutcome<'l>) -> Option<&'l str>,
) -> io::Result<bool> {
    show::show_heading(page, "On the disk")?;
    let mut findings = Vec::new();
    for outcome in ledger.outcomes() {
        let disk = fs::read_to_string(root.join(outcome.path))?;
        show::show_diff(page, &patch::unified_diff(outcome.path, Some(outcome.before), Some(&disk)))?;
        let same = disk == outcome.expected && shown(&outcome).is_none_or(|shown| shown == outcome.expected);
        findings.push((same, format!("{} is what was decided, byte for byte", outcome.path)));
    }
    findings.into_iter().try_fold(true, |right, (same, text)| {
        show::show_check(page, same, &text)?;
        Ok(right && same)
    })
}

/// Verifies the log's hash chain with `wherefore log verify`, and prints the log's path if the log is kept. Returns
/// whether the chain is intact.
///
/// # Errors
/// The error of the system or the terminal.
pub(super) fn verify_log(page: TerminalPage, root: &Path, path: Option<&str>) -> io::Result<bool> {
    show::show_heading(page, "The session log")?;
    if let Some(path) = path {
        page.write_line(format!("   {}", visible_line(path)))?;
    }
    let verified =
        Command::new(std::env::current_exe()?).args(["log", "verify", "--root"]).arg(root).output()?;
    let said = visible_line(String::from_utf8_lossy(&verified.stdout).trim());
    show::show_check(page, verified.status.success(), &format!("wherefore log verify: {said}"))?;
    Ok(verified.status.success())
}

/// Removes the copy of the project or prints where it is kept, and suggests the next steps.
///
/// # Errors
/// The error of the system or the terminal.
pub(super) fn leave_project(page: TerminalPage, project: &DemoProject, keeps: bool) -> io::Result<()> {
    show::show_heading(page, "Next")?;
    let folder = visible_line(&project.folder.to_string_lossy());
    match keeps {
        true => page.write_line(format!("   The copy stays in {folder}: `rm -r` removes it."))?,
        false => {
            fs::remove_dir_all(&project.folder)?;
            page.write_line(
                "   The copy is removed. `wherefore demo --keep` keeps it, with its session log.",
            )?;
        }
    }
    page.write_line("   In a project of yours, `wherefore init` adds wherefore's tools to your agents, and `wherefore init --guard`")?;
    page.write_line("   sends their own edits, commands and reads through it: you review each edit, and commands run in a sandbox.")?;
    page.write_line("   `wherefore doctor` says what works on this machine, and how to mend the rest.")
}
