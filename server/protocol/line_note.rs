//! A git note that records why lines of a commit are as they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LineBy, LineCall};

/// The version of the form that is written and read.
const VERSION: u32 = 2;
/// Bytes of the longest text of notes that is read, and of the longest note that is written.
const LONGEST: usize = 1 << 20;
/// Characters of the longest value that is read from a note.
const LONGEST_VALUE: usize = 4000;
/// Notes that are read from one text: git joins the notes of commits that it joins.
const MOST: usize = 64;
/// Digits of the hash of a line.
const DIGITS: usize = 8;

/// Lines of a commit's file that follow on each other: the first, who wrote them, the call by its place, and for each line
/// eight digits of its hash.
type NotedLines = (u32, LineBy, Option<u32>, String);

/// The reasons for the lines that a commit added or changed. It does not name the commit: it may be copied to another
/// one, and describes the lines there that are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineNote {
    /// The version of the form.
    pub wherefore: u32,
    /// The calls that lines come from.
    pub calls: Vec<LineCall>,
    /// The lines of each file, by its path in the commit.
    pub files: BTreeMap<String, Vec<NotedLines>>,
}

/// A line of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedLine<'n> {
    /// The line, counted from 1.
    pub line: u32,
    /// The hash of its text.
    pub hash: u32,
    /// The author.
    pub by: LineBy,
    /// The call that it comes from.
    pub call: Option<&'n LineCall>,
}

/// The reason why a note is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteProblem {
    /// It is longer than any note of this program.
    Long,
    /// It has the form of another version.
    Version(u64),
    /// It does not have the form of a note.
    Malformed,
}

impl std::fmt::Display for NoteProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Long => write!(f, "it is too long"),
            Self::Version(version) => write!(f, "its form has version {version}, which is not known"),
            Self::Malformed => write!(f, "it does not have the form of a note of wherefore"),
        }
    }
}

impl LineNote {
    /// An empty note.
    pub fn new() -> Self {
        Self { wherefore: VERSION, ..Self::default() }
    }

    /// Reads the notes in a text of any origin, and returns the problem of the first invalid one.
    pub fn parse_notes(text: &str) -> (Vec<Self>, Option<NoteProblem>) {
        if text.len() > LONGEST {
            return (Vec::new(), Some(NoteProblem::Long));
        }
        let (mut notes, mut problem) = (Vec::new(), None);
        for value in serde_json::Deserializer::from_str(text).into_iter::<Value>().take(MOST) {
            let note = value.map_err(|_| NoteProblem::Malformed).and_then(Self::from_value);
            match note {
                Ok(note) => notes.push(note),
                Err(found) => problem = problem.or(Some(found)),
            }
        }
        if notes.is_empty() && problem.is_none() {
            problem = Some(NoteProblem::Malformed);
        }
        (notes, problem)
    }

    fn from_value(value: Value) -> Result<Self, NoteProblem> {
        let version = value.get("wherefore").and_then(Value::as_u64).ok_or(NoteProblem::Malformed)?;
        if version != u64::from(VERSION) {
            return Err(NoteProblem::Version(version));
        }
        let mut note: Self = serde_json::from_value(value).map_err(|_| NoteProblem::Malformed)?;
        note.calls.iter_mut().for_each(truncate_values);
        Ok(note)
    }

    /// The text of the note; none if it is longer than one that is read.
    pub fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok().filter(|text| text.len() < LONGEST)
    }

    /// Adds a line of the commit's file at `path`. Lines come in their order.
    pub fn add_line(&mut self, path: &str, line: NotedLine<'_>) {
        let call = line.call.and_then(|call| {
            let known = self.calls.iter().position(|known| known == call);
            let at = known.unwrap_or_else(|| {
                self.calls.push(call.clone());
                self.calls.len() - 1
            });
            u32::try_from(at).ok()
        });
        let runs = self.files.entry(path.to_owned()).or_default();
        let hash = format!("{:08x}", line.hash);
        if let Some((first, by, of, hashes)) = runs.last_mut()
            && *by == line.by
            && *of == call
            && usize::try_from(line.line - *first).ok() == Some(hashes.len() / DIGITS)
        {
            hashes.push_str(&hash);
            return;
        }
        runs.push((line.line, line.by, call, hash));
    }

    /// The lines of the commit's file at `path`, in their order. Lines without a hash are skipped.
    pub fn lines_of(&self, path: &str) -> Vec<NotedLine<'_>> {
        let mut lines: Vec<NotedLine<'_>> = Vec::new();
        for (first, by, call, hashes) in self.files.get(path).into_iter().flatten() {
            let call = call.and_then(|at| self.calls.get(at as usize));
            let numbers = (0..).map_while(|at| first.checked_add(at));
            for (line, digits) in numbers.zip(hashes.as_bytes().chunks(DIGITS)) {
                let digits = std::str::from_utf8(digits).unwrap_or_default();
                if let Ok(hash) = u32::from_str_radix(digits, 16) {
                    lines.push(NotedLine { line, hash, by: *by, call });
                }
            }
        }
        lines.sort_by_key(|line| line.line);
        lines
    }

    /// Returns the number of lines of all files in the note.
    pub fn line_count(&self) -> usize {
        self.files.values().flatten().map(|(.., hashes)| hashes.len() / DIGITS).sum()
    }
}

/// Shortens the values of foreign notes to the longest that this program writes.
fn truncate_values(call: &mut LineCall) {
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
        let call = LineCall { why: Some("Count".to_owned()), ..LineCall::default() };
        let mut note = LineNote::new();
        let line = |line, hash, by, call| NotedLine { line, hash, by, call };
        let lines = [
            line(2, 7, LineBy::Agent, Some(&call)),
            line(3, 0xffff_ffff, LineBy::Agent, Some(&call)),
            line(4, 9, LineBy::Human, None),
            line(9, 9, LineBy::Human, None),
        ];
        lines.iter().for_each(|line| note.add_line("a.txt", *line));
        let text = note.to_text().unwrap();
        let (read, problem) = LineNote::parse_notes(&text);
        assert_eq!((read.as_slice(), problem), ([note.clone()].as_slice(), None));
        assert_eq!(read[0].lines_of("a.txt"), lines);
        assert_eq!(
            (read[0].lines_of("b.txt"), read[0].line_count(), note.files["a.txt"].len()),
            (vec![], 4, 3)
        );
        // Git joins the notes of commits that it joins.
        let (both, problem) = LineNote::parse_notes(&format!("{text}\n\n{text}\n{{\"wherefore\": 1}}"));
        assert_eq!((both.len(), problem), (2, Some(NoteProblem::Version(1))));
    }

    #[test]
    fn a_hostile_note_is_refused_or_bounded() {
        for odd in ["", "text", "[]", "{\"wherefore\": -1}", &"[".repeat(9999), "{\"wherefore\": 2}"] {
            assert_eq!(LineNote::parse_notes(odd), (vec![], Some(NoteProblem::Malformed)), "{odd:.20}");
        }
        assert_eq!(LineNote::parse_notes(&" ".repeat(LONGEST + 1)).1, Some(NoteProblem::Long));
        let many = "{\"wherefore\":2,\"calls\":[],\"files\":{}}".repeat(2000);
        assert_eq!(LineNote::parse_notes(&many).0.len(), MOST);
        let odd = r#"{"wherefore":2,"calls":[],"files":{"a":[[4294967295,"agent",9,"0000000100000002zz"]]}}"#;
        assert!(LineNote::parse_notes(odd).0[0].lines_of("a").iter().all(|line| line.call.is_none()));
        let call = format!(r#"{{"session":"s","call":"c1","why":"{}"}}"#, "é".repeat(9000));
        let text = format!(r#"{{"wherefore":2,"calls":[{call}],"files":{{}}}}"#);
        let why = LineNote::parse_notes(&text).0[0].calls[0].why.clone().unwrap();
        assert_eq!(why.chars().count(), LONGEST_VALUE);
    }
}
