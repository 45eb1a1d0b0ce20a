//! The end of the demo: what the agent is told, the files on the disk, the undo and the log must match the decisions.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::agent::AgentWork;
use super::recording::DemoRecording;
use super::show;
use crate::cli::backend::RequestTarget;
use crate::cli::print::{TerminalPage, visible_line};
use crate::patch;
use crate::protocol::{ChangeAnswer, Fault, Hunk, HunkState};
use crate::requests::Undo;
use crate::requests::undo::UndoParams;

/// A file that the recording changes, as it was before.
#[derive(Debug)]
struct ChangedFile {
    path: String,
    before: String,
}

/// Compares the outcome of the demo with the decisions, and prints each finding.
#[derive(Debug)]
pub(super) struct OutcomeCheck<'a> {
    page: TerminalPage,
    root: &'a str,
    files: Vec<ChangedFile>,
    is_right: bool,
}

impl<'a> OutcomeCheck<'a> {
    /// Keeps the files that the recording changes, as they are before it is played.
    ///
    /// # Errors
    /// The error of the file system.
    pub(super) fn before(root: &'a str, recording: &DemoRecording) -> io::Result<Self> {
        let keep = |path: &str| -> io::Result<ChangedFile> {
            let before = fs::read_to_string(Path::new(root).join(path))?;
            Ok(ChangedFile { path: path.to_owned(), before })
        };
        let files = recording.changed_paths().map(keep).collect::<io::Result<_>>()?;
        Ok(Self { page: TerminalPage::stdout(), root, files, is_right: true })
    }

    /// Returns whether all that was compared matches the decisions.
    pub(super) fn is_right(&self) -> bool {
        self.is_right
    }

    /// Compares the agent's results with the recording.
    ///
    /// # Errors
    /// The error of the terminal.
    pub(super) fn check_results(&mut self, work: &AgentWork) -> io::Result<()> {
        work.mismatches.iter().try_for_each(|mismatch| self.report(false, mismatch))
    }

    /// Compares the answers that the agent got with the decisions.
    ///
    /// # Errors
    /// The error of the terminal.
    pub(super) fn check_answers(&mut self, work: &AgentWork) -> io::Result<()> {
        for change in &work.changes {
            let count = |state| change.now.hunks().filter(|hunk| hunk.state == state).count();
            let decided = (count(HunkState::Accepted), count(HunkState::Rejected));
            let answer = change.answer.as_ref().and_then(ChangeAnswer::from_envelope);
            let answered = |state| {
                answer
                    .as_ref()
                    .map_or(0, |answer| answer.hunks.iter().filter(|hunk| hunk.state == state).count())
            };
            let (accepted, rejected) = (answered(HunkState::Accepted), answered(HunkState::Rejected));
            let words = format!("the agent is told: {accepted} accepted, {rejected} rejected");
            self.report((accepted, rejected) == decided, &words)?;
        }
        Ok(())
    }

    /// Shows the diff of each file, and compares it with the decisions.
    ///
    /// # Errors
    /// The error of the file system or the terminal.
    pub(super) fn check_disk(&mut self, work: &AgentWork) -> io::Result<()> {
        show::show_heading(self.page, "On the disk")?;
        let mut findings = Vec::new();
        for file in &self.files {
            let disk = fs::read_to_string(Path::new(self.root).join(&file.path))?;
            show::show_diff(self.page, &patch::unified_diff(&file.path, Some(&file.before), Some(&disk)))?;
            let is_same = disk == apply_hunks(&file.before, &accepted_hunks(work, &file.path));
            findings.push((is_same, format!("{} is what was decided, byte for byte", file.path)));
        }
        findings.into_iter().try_for_each(|(is_same, words)| self.report(is_same, &words))
    }

    /// Takes back what was accepted, and compares the files with those before.
    ///
    /// # Errors
    /// The error of the undo, the file system or the terminal.
    pub(super) fn check_undo(&mut self, work: &AgentWork, target: &mut RequestTarget) -> io::Result<()> {
        let Some(change) = work.changes.iter().find(|change| is_accepted(&change.now)) else { return Ok(()) };
        let call = change.now.call_id.to_string();
        show::show_heading(self.page, &format!("Undo of {call}"))?;
        let answer = target.ask::<Undo>(UndoParams { call: Some(call), root: None }).map_err(fault_error)?;
        let mut findings = Vec::new();
        for file in &self.files {
            let disk = fs::read_to_string(Path::new(self.root).join(&file.path))?;
            findings.push((disk == file.before, format!("{} is as it was, byte for byte", file.path)));
        }
        findings.push((!answer.paths.is_empty(), format!("{} would bring the change back", answer.undo_id)));
        findings.into_iter().try_for_each(|(is_same, words)| self.report(is_same, &words))
    }

    /// Verifies the log's hash chain with `wherefore log verify`, and prints the log's path if the log is kept.
    ///
    /// # Errors
    /// The error of the system or the terminal.
    pub(super) fn check_log(&mut self, path: Option<&str>) -> io::Result<()> {
        show::show_heading(self.page, "The session log")?;
        if let Some(path) = path {
            self.page.write_line(format!("   {}", visible_line(path)))?;
        }
        let verified =
            Command::new(std::env::current_exe()?).args(["log", "verify", "--root", self.root]).output()?;
        let words = visible_line(String::from_utf8_lossy(&verified.stdout).trim());
        self.report(verified.status.success(), &format!("wherefore log verify: {words}"))
    }

    fn report(&mut self, is_right: bool, words: &str) -> io::Result<()> {
        self.is_right &= is_right;
        show::show_check(self.page, is_right, words)
    }
}

/// A fault as an error of the demo.
pub(super) fn fault_error(fault: Fault) -> io::Error {
    io::Error::other(fault.message)
}

fn is_accepted(proposal: &crate::protocol::Proposal) -> bool {
    proposal.hunks().any(|hunk| hunk.state == HunkState::Accepted)
}

/// The accepted hunks of a file, at the lines where they were proposed, with the lines that a person gave them.
fn accepted_hunks(work: &AgentWork, path: &str) -> Vec<Hunk> {
    let mut accepted = Vec::new();
    for change in &work.changes {
        for (file, now) in change.proposed.files.iter().zip(&change.now.files) {
            let hunks = file.hunks.iter().zip(&now.hunks).filter(|_| file.path.as_str() == path);
            let hunks = hunks.filter(|(_, now)| now.state == HunkState::Accepted);
            accepted.extend(hunks.map(|(hunk, now)| Hunk { new: now.new.clone(), ..hunk.clone() }));
        }
    }
    accepted.sort_by_key(|hunk| hunk.start);
    accepted
}

/// The text with these hunks applied, independently of the server. They are in order and do not overlap.
fn apply_hunks(before: &str, hunks: &[Hunk]) -> String {
    let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
    for hunk in hunks.iter().rev() {
        let start = (hunk.start as usize).min(lines.len());
        let end = (start + hunk.old.len()).min(lines.len());
        lines.splice(start..end, hunk.new.iter().map(String::as_str));
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::apply_hunks;
    use crate::base::HunkId;
    use crate::protocol::{Hunk, HunkState};

    #[test]
    fn accepted_hunks_replace_their_lines() {
        let hunk = |start, old: &[&str], new: &[&str]| {
            let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
            let (id, state) = (HunkId::default(), HunkState::Pending);
            Hunk { id, state, start, old: lines(old), new: lines(new), ..Hunk::default() }
        };
        let hunks = [hunk(0, &[], &["0\n"]), hunk(1, &["b\n"], &["B\n", "C\n"]), hunk(3, &["d"], &[])];
        assert_eq!(apply_hunks("a\nb\nc\nd", &hunks), "0\na\nB\nC\nc\n");
    }
}
