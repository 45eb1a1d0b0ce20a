//! Why lines of a commit are as they are, as a git note keeps it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{LineBy, LineCall};

/// The version of the form that is written and read.
const VERSION: u32 = 1;
/// Bytes of the longest note that is read.
const LONGEST: usize = 256 << 10;
/// Characters of the longest value that is read from a note.
const LONGEST_VALUE: usize = 4000;

/// Lines of a commit that follow on each other: the first, the last, who wrote them, and the call by its place.
pub type NotedLines = (u32, u32, LineBy, Option<u32>);

/// Why the lines that a commit added or changed are as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineNote {
    /// The version of the form.
    pub wherefore: u32,
    /// The commit, by hash: a note that was copied to another one says nothing of that one's lines.
    pub commit: String,
    /// The calls that lines come from.
    pub calls: Vec<LineCall>,
    /// The lines of each file, by its path in the commit.
    pub files: BTreeMap<String, Vec<NotedLines>>,
}

/// The version of a form, whatever else it holds.
#[derive(Deserialize)]
struct NoteVersion {
    wherefore: u32,
}

/// Why a note is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteProblem {
    /// It is longer than any of ours.
    Long,
    /// It has the form of another version.
    Version(u32),
    /// It has no form of ours.
    Malformed,
    /// It was written for another commit.
    OtherCommit,
}

impl std::fmt::Display for NoteProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Long => write!(f, "it is too long"),
            Self::Version(version) => write!(f, "its form has version {version}, which is not known"),
            Self::Malformed => write!(f, "it does not have the form of a note of wherefore"),
            Self::OtherCommit => write!(f, "it was written for another commit"),
        }
    }
}

impl LineNote {
    /// An empty note on a commit.
    pub fn on(commit: &str) -> Self {
        Self { wherefore: VERSION, commit: commit.to_owned(), ..Self::default() }
    }

    /// The note of a commit, from its text, which anybody may have written.
    ///
    /// # Errors
    /// Where the text is no note of ours on that commit.
    pub fn read(text: &str, commit: &str) -> Result<Self, NoteProblem> {
        if text.len() > LONGEST {
            return Err(NoteProblem::Long);
        }
        let form: NoteVersion = serde_json::from_str(text).map_err(|_| NoteProblem::Malformed)?;
        if form.wherefore != VERSION {
            return Err(NoteProblem::Version(form.wherefore));
        }
        let mut note: Self = serde_json::from_str(text).map_err(|_| NoteProblem::Malformed)?;
        if note.commit != commit {
            return Err(NoteProblem::OtherCommit);
        }
        note.calls.iter_mut().for_each(shorten);
        Ok(note)
    }

    /// Who wrote a line of the commit's file at `path`, and for which call.
    pub fn line(&self, path: &str, line: u32) -> Option<(LineBy, Option<&LineCall>)> {
        let noted =
            self.files.get(path)?.iter().find(|(first, last, ..)| (*first..=*last).contains(&line))?;
        Some((noted.2, noted.3.and_then(|at| self.calls.get(at as usize))))
    }
}

/// Values of others are as long as ours are at most.
fn shorten(call: &mut LineCall) {
    let texts = [&mut call.tool, &mut call.agent, &mut call.why, &mut call.decision];
    let others = [&mut call.decided_by, &mut call.reason, &mut call.time];
    for text in texts.into_iter().chain(others).flatten().chain([&mut call.session]) {
        if let Some((end, _)) = text.char_indices().nth(LONGEST_VALUE) {
            text.truncate(end);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_and_others_are_refused() {
        let mut note = LineNote::on("abc");
        note.calls.push(LineCall { why: Some("Count".to_owned()), ..LineCall::default() });
        note.files
            .insert("a.txt".to_owned(), vec![(2, 4, LineBy::Agent, Some(0)), (5, 5, LineBy::Mixed, Some(9))]);
        let text = serde_json::to_string(&note).unwrap();
        let read = LineNote::read(&text, "abc").unwrap();
        assert_eq!(read, note);
        assert_eq!(read.line("a.txt", 4).unwrap().1.unwrap().why.as_deref(), Some("Count"));
        assert_eq!(read.line("a.txt", 5), Some((LineBy::Mixed, None)));
        assert_eq!((read.line("a.txt", 6), read.line("b.txt", 2)), (None, None));
        assert_eq!(LineNote::read(&text, "abd"), Err(NoteProblem::OtherCommit));
        assert_eq!(LineNote::read("{\"wherefore\": 2}", "abc"), Err(NoteProblem::Version(2)));
        for odd in ["", "text", "[]", "{\"wherefore\": -1}", &"[".repeat(9999), "{\"wherefore\": 1}"] {
            assert_eq!(LineNote::read(odd, "abc"), Err(NoteProblem::Malformed), "{odd:.20}");
        }
        assert_eq!(LineNote::read(&" ".repeat(LONGEST + 1), "abc"), Err(NoteProblem::Long));
        let long = text.replace("Count", &"é".repeat(9000));
        let why = LineNote::read(&long, "abc").unwrap().calls[0].why.clone().unwrap();
        assert_eq!(why.chars().count(), LONGEST_VALUE);
    }
}
