//! The parts of a patch between `*** Begin Patch` and `*** End Patch`, the form of Codex's `apply_patch`.
//!
//! Each agent reads the form in its own way: indented marks, a here-document around it, a text before it. Every variant
//! that one of them accepts is accepted here or refused; no line is left out.

use thiserror::Error;

/// The part of a patch for one file. A patch may have several parts for one file: they are applied one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchPart {
    /// The file, as the patch names it.
    pub path: String,
    /// The kind of the change.
    pub kind: PatchKind,
    /// Its new path, if it is renamed.
    pub new_path: Option<String>,
    /// A patch of this file only; none if none of its lines change.
    pub patch: Option<String>,
}

/// The kind of a file's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// It is made.
    Add,
    /// Its text is changed.
    Update,
    /// It is removed.
    Delete,
}

/// Why a patch cannot be read, with the line counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchFormError {
    /// It does not begin as a patch.
    #[error("the patch does not begin with a line `*** Begin Patch`")]
    Beginning,
    /// It was cut off.
    #[error("the patch is cut off: its last line is not `*** End Patch`")]
    End,
    /// It has no part.
    #[error("the patch names no file")]
    Empty,
    /// A line belongs to no part.
    #[error("line {0} of the patch belongs to no file that it names: {1:?}")]
    Line(usize, String),
    /// A part names no file, or changes nothing.
    #[error("the part of the patch at line {0} {1}")]
    Part(usize, &'static str),
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";
const KINDS: [(&str, PatchKind); 3] = [
    ("*** Add File:", PatchKind::Add),
    ("*** Update File:", PatchKind::Update),
    ("*** Delete File:", PatchKind::Delete),
];

/// The parts of a patch, in its order.
///
/// # Errors
/// An error where a line of it would be lost.
pub fn envelope_parts(patch: &str) -> Result<Vec<PatchPart>, PatchFormError> {
    let patch = without_here_document(patch.trim_start_matches('\u{feff}').trim());
    let lines: Vec<&str> =
        patch.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').lines().collect();
    let [first, inner @ .., last] = &lines[..] else { return Err(PatchFormError::Beginning) };
    if first.trim() != BEGIN {
        return Err(PatchFormError::Beginning);
    }
    if last.trim() != END {
        return Err(PatchFormError::End);
    }
    let mut parts: Vec<PartLines> = Vec::new();
    for (at, line) in inner.iter().enumerate() {
        // The first line of the patch is its mark.
        let number = at + 2;
        match part_head(line) {
            // A line of a hunk may look like an indented mark; agents differ in how they read it.
            Some(_)
                if line.starts_with(char::is_whitespace)
                    && parts.last().is_some_and(PartLines::has_hunks) =>
            {
                return Err(PatchFormError::Line(number, shorten_line(line)));
            }
            Some((_, "")) => return Err(PatchFormError::Part(number, "names no file")),
            Some((kind, path)) => {
                parts.push(PartLines { number, kind, path, moved: None, lines: Vec::new() });
            }
            None => match parts.last_mut() {
                Some(part) => part.take_line(number, line)?,
                None if line.trim().is_empty() => {}
                None => return Err(PatchFormError::Line(number, shorten_line(line))),
            },
        }
    }
    match parts.is_empty() {
        true => Err(PatchFormError::Empty),
        false => parts.into_iter().map(PartLines::into_part).collect(),
    }
}

/// Returns whether a text is such a patch, or begins as one.
pub fn is_envelope(text: &str) -> bool {
    without_here_document(text.trim_start_matches('\u{feff}').trim()).trim_start().starts_with(BEGIN)
}

/// The text of the here-document around a patch, or the text itself.
fn without_here_document(text: &str) -> &str {
    let inner = || {
        let (first, rest) = text.split_once('\n')?;
        let mark = first.trim().strip_prefix("cat").unwrap_or(first).trim().strip_prefix("<<")?;
        let mark = mark.trim().trim_matches(['\'', '"']);
        let (inner, last) = rest.rsplit_once('\n')?;
        (!mark.is_empty() && last.trim() == mark).then_some(inner)
    };
    inner().unwrap_or(text)
}

/// The kind and the path of a line that begins a part.
fn part_head(line: &str) -> Option<(PatchKind, &str)> {
    KINDS.iter().find_map(|(head, kind)| Some((*kind, line.trim().strip_prefix(head)?.trim())))
}

fn shorten_line(line: &str) -> String {
    line.chars().take(80).collect()
}

/// A part, while its lines are read.
struct PartLines<'a> {
    number: usize,
    kind: PatchKind,
    path: &'a str,
    moved: Option<&'a str>,
    lines: Vec<&'a str>,
}

impl<'a> PartLines<'a> {
    fn has_hunks(&self) -> bool {
        self.kind == PatchKind::Update && self.lines.iter().any(|line| !line.trim().is_empty())
    }

    /// Takes a line that begins no other part.
    fn take_line(&mut self, number: usize, line: &'a str) -> Result<(), PatchFormError> {
        let lost = || Err(PatchFormError::Line(number, shorten_line(line)));
        let is_blank = line.trim().is_empty();
        let renamed = line.trim().strip_prefix(MOVE).map(str::trim);
        if let Some(to) = renamed.filter(|_| self.kind == PatchKind::Update && self.lines.is_empty()) {
            return match self.moved.replace(to) {
                None if !to.is_empty() => Ok(()),
                _ => lost(),
            };
        }
        let fits = match self.kind {
            // Blank lines may part it from the next one.
            PatchKind::Add if line.starts_with('+') => {
                self.lines.last().is_none_or(|last| last.starts_with('+'))
            }
            PatchKind::Add => is_blank,
            PatchKind::Delete if is_blank => return Ok(()),
            PatchKind::Delete => false,
            PatchKind::Update => {
                is_blank
                    || line.starts_with(['+', '-', ' ', '\\'])
                    || line.starts_with("@@")
                    || line.trim() == END_OF_FILE
            }
        };
        if !fits {
            return lost();
        }
        self.lines.push(line);
        Ok(())
    }

    fn into_part(mut self) -> Result<PatchPart, PatchFormError> {
        while self.lines.last().is_some_and(|line| line.trim().is_empty() && !line.starts_with(' ')) {
            self.lines.pop();
        }
        let lines = without_empty_hunks(&self.lines);
        if self.kind == PatchKind::Update && lines.is_empty() && self.moved.is_none() {
            return Err(PatchFormError::Part(
                self.number,
                "changes no line of its file and gives it no other name",
            ));
        }
        let head =
            KINDS.iter().find(|(_, kind)| *kind == self.kind).map(|(head, _)| *head).unwrap_or_default();
        let has_lines = self.kind == PatchKind::Add || !lines.is_empty();
        let patch = has_lines.then(|| {
            let lines: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
            format!("{BEGIN}\n{head} {}\n{lines}{END}\n", self.path)
        });
        Ok(PatchPart {
            path: self.path.to_owned(),
            kind: self.kind,
            new_path: self.moved.map(str::to_owned),
            patch,
        })
    }
}

/// The lines without a bare `@@` that no line of a hunk follows.
fn without_empty_hunks<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let follows = |at: usize| lines.get(at + 1).is_some_and(|next| !next.starts_with("@@"));
    let kept = lines.iter().enumerate().filter(|(at, line)| line.trim_end() != "@@" || follows(*at));
    kept.map(|(_, line)| *line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(path: &str, lines: &str) -> PatchPart {
        PatchPart {
            path: path.into(),
            kind: PatchKind::Update,
            new_path: None,
            patch: Some(format!("*** Begin Patch\n*** Update File: {path}\n{lines}*** End Patch\n")),
        }
    }

    #[test]
    fn each_part_of_a_patch_stands_by_itself() {
        let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Add File: c\n+z\n\n*** Delete File: d\n*** Update File: a\n-v\n+w\n*** End Patch\n";
        let files = envelope_parts(patch).unwrap();
        let seen: Vec<_> =
            files.iter().map(|file| (file.path.as_str(), file.kind, file.new_path.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("a", PatchKind::Update, Some("b")),
                ("c", PatchKind::Add, None),
                ("d", PatchKind::Delete, None),
                ("a", PatchKind::Update, None),
            ]
        );
        let first = PatchPart { new_path: Some("b".into()), ..update("a", "@@\n-x\n+y\n") };
        assert_eq!(files[0], first);
        assert_eq!(files[1].patch.as_deref(), Some("*** Begin Patch\n*** Add File: c\n+z\n*** End Patch\n"));
        assert_eq!((files[2].patch.as_deref(), &files[3]), (None, &update("a", "-v\n+w\n")));
    }

    #[test]
    fn what_some_agent_takes_around_a_patch_is_taken() {
        let inner = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
        let expected = [update("a", "@@\n-x\n+y\n")];
        for patch in [
            inner.to_owned(),
            format!("\n\n{inner}\n\n"),
            format!("\u{feff}{inner}"),
            format!(" \u{feff}{inner}"),
            format!("<<'EOF'\n{inner}\nEOF\n"),
            format!("<<\"P\"\n{inner}\nP"),
            format!("cat <<EOF\n{inner}\nEOF"),
            inner.replace("*** Begin", "  *** Begin").replace("*** End", "\t*** End"),
            inner.replace("*** Update", " *** Update"),
            inner.replace("@@\n", "@@\n@@\n"),
            inner.replace("+y\n", "+y\n@@\n"),
            inner.replace('\n', "\r\n"),
            inner.replace("*** Update", "\n*** Update"),
        ] {
            assert_eq!(envelope_parts(&patch).as_deref(), Ok(&expected[..]), "{patch:?}");
        }
    }

    #[test]
    fn a_patch_of_which_a_line_would_be_lost_is_refused() {
        for (patch, error) in [
            ("no patch", PatchFormError::Beginning),
            ("note\n*** Begin Patch\n*** Delete File: a\n*** End Patch", PatchFormError::Beginning),
            ("*** Begin Patch\n*** End Patch", PatchFormError::Empty),
            ("*** Begin Patch\n*** Update File: a\n@@\n-x\n+hal", PatchFormError::End),
            ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore", PatchFormError::End),
            (
                "*** Begin Patch\nnote\n*** Delete File: a\n*** End Patch",
                PatchFormError::Line(2, "note".into()),
            ),
            ("*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch", PatchFormError::Line(3, "-x".into())),
            ("*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch", PatchFormError::Line(4, "y".into())),
            (
                "*** Begin Patch\n*** Add File: a\n+x\n\n+y\n*** End Patch",
                PatchFormError::Line(5, "+y".into()),
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n-x\nnote\n*** End Patch",
                PatchFormError::Line(5, "note".into()),
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n-x\n *** Delete File: b\n*** End Patch",
                PatchFormError::Line(5, " *** Delete File: b".into()),
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Move to: b\n*** End Patch",
                PatchFormError::Line(6, "*** Move to: b".into()),
            ),
            ("*** Begin Patch\n*** Add File:\n+x\n*** End Patch", PatchFormError::Part(2, "names no file")),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n*** End Patch",
                PatchFormError::Part(2, "changes no line of its file and gives it no other name"),
            ),
        ] {
            assert_eq!(envelope_parts(patch), Err(error), "{patch:?}");
        }
    }
}
