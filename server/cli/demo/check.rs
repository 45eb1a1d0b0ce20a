//! The content that each file must have after the review, computed independently of the server.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::decide::DemoDecision;
use crate::protocol::{Act, Hunk};

/// The files with proposals: their original texts, and the decisions.
#[derive(Debug, Default)]
pub(super) struct ReviewLedger {
    files: BTreeMap<String, CheckedFile>,
}

/// A file for which a change was proposed.
#[derive(Debug)]
struct CheckedFile {
    uri: String,
    before: String,
    accepted: Vec<Hunk>,
    rejected: usize,
}

/// A file whose content can be compared.
#[derive(Debug)]
pub(super) struct FileOutcome<'l> {
    /// Relative to the root.
    pub path: &'l str,
    /// Its URI.
    pub uri: &'l str,
    /// As it was before the review.
    pub before: &'l str,
    /// As it must be now.
    pub expected: String,
    /// Hunks accepted.
    pub accepted: usize,
    /// Hunks rejected.
    pub rejected: usize,
}

impl ReviewLedger {
    /// Keeps a file as it is before its first decision.
    ///
    /// # Errors
    /// The error of the file system.
    pub(super) fn add_file(&mut self, root: &Path, path: &str, uri: &str) -> io::Result<()> {
        if !self.files.contains_key(path) {
            let before = fs::read_to_string(root.join(path))?;
            let entry = CheckedFile { uri: uri.to_owned(), before, accepted: Vec::new(), rejected: 0 };
            self.files.insert(path.to_owned(), entry);
        }
        Ok(())
    }

    /// Keeps a decision. The hunk is as it was proposed, before any other was applied.
    pub(super) fn add_decision(&mut self, path: &str, hunk: &Hunk, decision: &DemoDecision) {
        let Some(entry) = self.files.get_mut(path) else { return };
        match decision.act {
            Act::Accept => {
                entry.accepted.push(hunk.clone());
                entry.accepted.sort_by_key(|hunk| hunk.start);
            }
            Act::Reject => entry.rejected += 1,
        }
    }

    /// Each file with its expected content.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = FileOutcome<'_>> {
        self.files.iter().map(|(path, entry)| FileOutcome {
            path,
            uri: &entry.uri,
            before: &entry.before,
            expected: apply_hunks(&entry.before, &entry.accepted),
            accepted: entry.accepted.len(),
            rejected: entry.rejected,
        })
    }
}

/// The text with these hunks applied. They are in order and do not overlap.
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
