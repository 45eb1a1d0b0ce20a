//! The words of a command: known texts, patterns of file names, and texts that are computed.

use crate::place::HOLE;

/// What is known of a word before the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// All of its text.
    Known,
    /// A pattern that the shell replaces with the names of files.
    Pattern,
    /// No more than parts of its text.
    Computed,
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its text, or the pattern. In a computed one U+FFFC stands for each part that is not known.
    pub text: String,
    /// What is known of it.
    pub kind: WordKind,
    /// Whether a part of it is the value of a variable that the script itself sets.
    pub derived: bool,
    /// Texts that a computed word may have.
    pub maybe: Vec<String>,
    /// Whether it can have no others.
    pub listed: bool,
}

impl Word {
    /// A word whose text is known.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: WordKind::Known, derived: false, maybe: Vec::new(), listed: false }
    }

    /// A word of which nothing is known.
    pub fn computed() -> Self {
        Self {
            text: HOLE.to_string(),
            kind: WordKind::Computed,
            derived: false,
            maybe: Vec::new(),
            listed: false,
        }
    }

    /// The text, where it is known and stands in the command as it is.
    pub fn plain(&self) -> Option<&str> {
        (self.kind == WordKind::Known).then_some(self.text.as_str())
    }

    /// Whether the word is, or begins as, an option.
    pub(crate) fn is_option(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    /// The same word with another text.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), maybe: Vec::new(), listed: false, ..self.clone() }
    }

    /// The texts that it has or may have.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let text = Some(self.text.as_str()).filter(|_| !self.listed || self.maybe.is_empty());
        text.into_iter().chain(self.maybe.iter().map(String::as_str))
    }

    /// The word as a person reads it.
    pub(crate) fn shown(&self) -> String {
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
