//! A replacement of lines, as an editor makes it in a document.

/// A replacement of whole lines in a document that the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// First line replaced, counted from 0.
    pub start: u32,
    /// The number of lines that are replaced.
    pub count: u32,
    /// The new text, each line with its end.
    pub text: String,
}
