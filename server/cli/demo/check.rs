//! What must be on the disk after the review, worked out apart from the server.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::decide::Decision;
use crate::protocol::{Act, Hunk};

/// The files that proposals were made for: as they were, and what was decided.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    files: BTreeMap<String, CheckedFile>,
}

/// One file.
#[derive(Debug)]
struct CheckedFile {
    uri: String,
    before: String,
    accepted: Vec<Hunk>,
    rejected: usize,
}

/// A file whose content can be compared.
#[derive(Debug)]
pub(super) struct Outcome<'l> {
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

impl Ledger {
    /// Keeps a file as it is before its first decision.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn open(&mut self, root: &Path, path: &str, uri: &str) -> io::Result<()> {
        if !self.files.contains_key(path) {
            let before = fs::read_to_string(root.join(path))?;
            let entry = CheckedFile { uri: uri.to_owned(), before, accepted: Vec::new(), rejected: 0 };
            self.files.insert(path.to_owned(), entry);
        }
        Ok(())
    }

    /// Keeps a decision. The hunk is as it was proposed, before any other was applied.
    pub(super) fn decided(&mut self, path: &str, hunk: &Hunk, decision: &Decision) {
        let Some(entry) = self.files.get_mut(path) else { return };
        match decision.act {
            Act::Accept => {
                entry.accepted.push(hunk.clone());
                entry.accepted.sort_by_key(|hunk| hunk.start);
            }
            Act::Reject => entry.rejected += 1,
        }
    }

    /// Each file with what must be in it now.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = Outcome<'_>> {
        self.files.iter().map(|(path, entry)| Outcome {
            path,
            uri: &entry.uri,
            before: &entry.before,
            expected: with(&entry.before, &entry.accepted),
            accepted: entry.accepted.len(),
            rejected: entry.rejected,
        })
    }
}

/// The text with these hunks in place of what they remove. They stand in order and do not overlap.
fn with(before: &str, hunks: &[Hunk]) -> String {
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
    use super::with;
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
        assert_eq!(with("a\nb\nc\nd", &hunks), "0\na\nB\nC\nc\n");
    }
}
