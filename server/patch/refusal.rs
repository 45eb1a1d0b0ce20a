//! The reason why a diff was not applied, and the next step.

use serde::Serialize;

/// The reason why a diff was not applied, for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefusalCode {
    /// Most of a hunk's lines are in the file, but some have changed.
    Stale,
    /// A hunk fits equally well in several places.
    Ambiguous,
    /// Nothing like a hunk's lines is in the file, or the file does not exist.
    NotFound,
    /// A hunk only adds lines, with no evidence of their place.
    NoAnchor,
    /// Two hunks change the same lines, or the file to be made exists.
    Conflict,
    /// The diff ends before it is complete.
    Truncated,
    /// A form or an operation that is not applied: a rename, a binary patch, another patch format.
    Unsupported,
    /// There is no hunk in it, or none that changes anything.
    Empty,
    /// The diff is for other files.
    OtherFile,
}

/// The first line of a hunk that is not in the file as stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineDifference {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The line that the diff states.
    pub expected: String,
    /// The line in the file; none past its end.
    pub actual: Option<String>,
}

/// An excerpt of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileExcerpt {
    /// Its first line, counted from 1.
    pub start: usize,
    /// Its lines, without their ends; very long ones are cut.
    pub lines: Vec<String>,
}

impl FileExcerpt {
    /// Returns its last line, counted from 1.
    pub fn end(&self) -> usize {
        (self.start + self.lines.len()).saturating_sub(1)
    }
}

/// Lines of a file, counted from 1, the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineRange {
    /// The first line.
    pub start: usize,
    /// The last line.
    pub end: usize,
}

/// The reason why a diff was not applied. The text is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct PatchRefusal {
    /// The reason, for a program.
    pub code: RefusalCode,
    /// The reason, for a reader.
    pub message: String,
    /// The file that the diff was applied to.
    pub path: String,
    /// The number of the hunk in the diff, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk: Option<usize>,
    /// The line where the hunk was sought first, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sought_at: Option<usize>,
    /// The first line that differs at the nearest place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<LineDifference>,
    /// The text at the nearest place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<FileExcerpt>,
    /// The lines where it would fit, or nearly, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<usize>,
    /// Hunks whose result is already in the file, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub already: Vec<usize>,
    /// The files that the diff names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// An action that the writer of the diff can take next.
    pub suggestion: String,
    /// The lines of the file to read before the diff is written again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<LineRange>,
}

impl PatchRefusal {
    pub(super) fn new(
        code: RefusalCode,
        path: &str,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            path: path.to_owned(),
            hunk: None,
            sought_at: None,
            difference: None,
            nearest: None,
            candidates: Vec::new(),
            already: Vec::new(),
            files: Vec::new(),
            suggestion: suggestion.into(),
            read: None,
        }
    }

    /// Sets the hunk, counted from 0.
    pub(super) fn at_hunk(mut self, hunk: usize) -> Self {
        self.hunk = Some(hunk + 1);
        self
    }

    /// Names the lines to read next, counted from 1.
    pub(super) fn then_read(mut self, start: usize, end: usize) -> Self {
        self.read = Some(LineRange { start, end });
        self
    }

    /// The lines of the file that it points to, counted from 1.
    pub fn lines(&self) -> Vec<usize> {
        let mut lines = self.candidates.clone();
        lines.extend(self.difference.iter().map(|difference| difference.line));
        lines.extend(self.nearest.iter().flat_map(|nearest| [nearest.start, nearest.end()]));
        lines.dedup();
        lines
    }

    /// The hints for a reader, a line each.
    pub fn to_hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        if let Some(LineDifference { line, expected, actual }) = &self.difference {
            hints.push(format!("line {line}, expected: {expected}"));
            hints.push(match actual {
                Some(actual) => format!("line {line}, found:    {actual}"),
                None => format!("line {line}, found:    the end of the file"),
            });
        }
        if self.code == RefusalCode::Ambiguous {
            hints.extend(self.candidates.iter().map(|line| format!("fits at line {line}")));
        }
        if let Some(nearest) = &self.nearest {
            let numbered = nearest.lines.iter().zip(nearest.start..);
            let text: Vec<String> = numbered.map(|(line, number)| format!("{number:>6}  {line}")).collect();
            hints.push(format!("the file now:\n{}", text.join("\n")));
        }
        hints
    }
}
