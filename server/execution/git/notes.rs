//! The notes that commits carry on why their lines are as they are. Anybody may have written them: they are data alone.

use std::collections::BTreeMap;

use super::{GitError, GitReader, is_hash, to_arguments};
use crate::protocol::LineNote;

/// The refs of the notes: those of this repository, then those fetched from others.
const NOTES: [&str; 2] = ["--notes=refs/notes/wherefore", "--notes=refs/notes/remotes/*/wherefore"];
/// Commits whose notes are read at most.
const COMMITS: usize = 2000;

/// The notes of commits.
#[derive(Debug, Default)]
pub(crate) struct LineNotes {
    /// The notes, by the commit's hash. Several where git joined commits, or others wrote some too.
    pub(crate) notes: BTreeMap<String, Vec<LineNote>>,
    /// The errors of notes that cannot be read.
    pub(crate) warnings: Vec<String>,
}

impl GitReader<'_> {
    /// The notes of `commits`, which are whole hashes.
    ///
    /// # Errors
    /// Fails where git cannot be run, or refuses.
    pub(crate) async fn line_notes(&self, commits: &[String]) -> Result<LineNotes, GitError> {
        if commits.is_empty() {
            return Ok(LineNotes::default());
        }
        let all = to_arguments(&[
            "log",
            "-z",
            "--no-walk=unsorted",
            "--no-show-signature",
            "--no-color",
            "--no-patch",
            NOTES[0],
            NOTES[1],
            "--format=tformat:%H%n%N",
            "--stdin",
        ]);
        let asked: String = commits.iter().take(COMMITS).map(|commit| format!("{commit}\n")).collect();
        let output = self.run_git(all, Some(asked.into_bytes())).await?;
        let mut notes = LineNotes::parse_notes(&String::from_utf8_lossy(&output.bytes));
        if output.is_cut || commits.len() > COMMITS {
            notes
                .warnings
                .push("not every note of the commits was read: there is too much in them".to_owned());
        }
        Ok(notes)
    }
}

impl LineNotes {
    /// Reads what git listed: each commit and its notes, with a NUL behind.
    pub(crate) fn parse_notes(text: &str) -> Self {
        let mut notes = Self::default();
        for piece in text.split('\0') {
            let (commit, text) = piece.split_once('\n').unwrap_or((piece, ""));
            if text.trim().is_empty() || !is_hash(commit.as_bytes()) {
                continue;
            }
            let (read, problem) = LineNote::parse_notes(text);
            if let Some(problem) = problem {
                let commit = commit.get(..10).unwrap_or(commit);
                notes.warnings.push(format!("a note of commit {commit} is not read: {problem}"));
            }
            if !read.is_empty() {
                notes.notes.insert(commit.to_owned(), read);
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_by_commit_and_what_is_none_is_told() {
        let (one, two, three) = ("1".repeat(40), "2".repeat(40), "3".repeat(40));
        let note = LineNote::new().to_text().unwrap();
        let text = format!("{one}\n{note}\n\0{two}\n\0{three}\nsome text\n\0rubbish\nsome text\0");
        let notes = LineNotes::parse_notes(&text);
        assert_eq!(notes.notes, BTreeMap::from([(one.clone(), vec![LineNote::new()])]));
        assert_eq!(notes.warnings.len(), 1, "{:?}", notes.warnings);
    }
}
