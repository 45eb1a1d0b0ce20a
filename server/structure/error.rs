//! The reason why a part is not found or not changed, and the next step.

use std::ops::Range;

use crate::lines::line_number;

/// The reason, for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureErrorCode {
    /// Nothing has the address.
    NotThere,
    /// Several parts have the address.
    Ambiguous,
    /// The address cannot be read, or is for another kind of file.
    BadAddress,
    /// The new text or value cannot stand there.
    BadValue,
    /// The file does not parse as its format.
    Unreadable,
    /// The part can be changed by its text alone.
    Unsupported,
}

/// The reason why a part is not found or not changed. The text is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StructureError {
    /// The reason, for a program.
    pub code: StructureErrorCode,
    /// The reason, for a reader.
    pub message: String,
    /// An action that the caller can take next.
    pub suggestion: String,
    /// The nearest addresses that are there, or the places of several.
    pub hints: Vec<String>,
    /// The line of the file that it is about, counted from 1.
    pub line: Option<usize>,
    /// The column of that line in characters, counted from 1.
    pub column: Option<usize>,
}

impl StructureError {
    pub(crate) fn new(
        code: StructureErrorCode,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            suggestion: suggestion.into(),
            hints: Vec::new(),
            line: None,
            column: None,
        }
    }

    /// The error of a place that only a text can change.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(StructureErrorCode::Unsupported, message, BY_TEXT)
    }

    pub(crate) fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Names the line of a byte of the text.
    pub(crate) fn at_byte(mut self, text: &str, at: usize) -> Self {
        self.line = Some(line_number(text, at));
        self
    }
}

/// The suggestion where an address leads no further.
pub(crate) const BY_TEXT: &str = "leave `at` out and change the text itself with `find` and `replace`";

/// The error of a file that does not parse, with the place.
pub(crate) fn unreadable(format: &str, text: &str, at: usize, reason: &str) -> StructureError {
    let at = text.floor_char_boundary(at.min(text.len()));
    let line = line_number(text, at);
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let column = text[start..at].chars().count() + 1;
    StructureError {
        line: Some(line),
        column: Some(column),
        ..StructureError::new(
            StructureErrorCode::Unreadable,
            format!("the file does not parse as {format}: line {line}, column {column}: {reason}"),
            BY_TEXT,
        )
    }
}

/// The error of a change whose result is not what was meant.
pub(crate) fn unsound(reason: &str) -> StructureError {
    StructureError::new(
        StructureErrorCode::BadValue,
        format!("nothing was changed: {reason}"),
        "send a part that is complete in itself, or leave `at` out and change the text with `find` and `replace`",
    )
}

/// A place of the text for a hint.
pub(crate) fn placed(text: &str, at: &Range<usize>, name: &str) -> String {
    format!("{name} (line {})", line_number(text, at.start))
}
