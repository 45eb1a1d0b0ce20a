//! The words of a command: known texts, patterns of file names, and texts that are computed.

use crate::place::HOLE;

/// The knowledge of a word before the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// The whole text.
    Known,
    /// A pattern that the shell replaces with the names of files.
    Pattern,
    /// Only parts of the text.
    Computed,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellWord {
    /// Its text, or the pattern. In a computed one U+FFFC takes the place of each part that is not known.
    pub text: String,
    /// The knowledge of its text.
    pub kind: WordKind,
    /// True if a part of it is the value of a variable that the script itself sets.
    pub derived: bool,
    /// Texts that a computed word may have.
    pub maybe: Vec<String>,
    /// True if it can have no others.
    pub listed: bool,
}

impl ShellWord {
    /// Creates a word whose text is known.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: WordKind::Known, derived: false, maybe: Vec::new(), listed: false }
    }

    /// Creates a word whose text is not known at all.
    pub fn unknown_text() -> Self {
        Self {
            text: HOLE.to_string(),
            kind: WordKind::Computed,
            derived: false,
            maybe: Vec::new(),
            listed: false,
        }
    }

    /// Returns the text, if it is known and not a pattern.
    pub fn plain_text(&self) -> Option<&str> {
        (self.kind == WordKind::Known).then_some(self.text.as_str())
    }

    /// Returns whether the word is, or begins as, an option.
    pub(crate) fn is_option(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    /// Returns the word with another text.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), maybe: Vec::new(), listed: false, ..self.clone() }
    }

    /// The texts that it has or may have.
    pub(crate) fn possible_texts(&self) -> impl Iterator<Item = &str> {
        let text = Some(self.text.as_str()).filter(|_| !self.listed || self.maybe.is_empty());
        text.into_iter().chain(self.maybe.iter().map(String::as_str))
    }

    /// The word as a person reads it.
    pub(crate) fn display_text(&self) -> String {
        let text = self.text.replace(HOLE, "…");
        let bare = |c: char| c.is_alphanumeric() || "-_./=:,+@%^~…".contains(c);
        match self.kind {
            WordKind::Known if text.is_empty() || !text.chars().all(bare) => {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
            _ => text,
        }
    }
}
