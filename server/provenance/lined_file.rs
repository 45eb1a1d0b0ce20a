//! A file, with the mark of each line of it.

use crate::author::ChangeAuthor;
use crate::carry::MarkedText;
use crate::lines::WorkspaceTexts;
use crate::mark::LineMark;
use crate::record::TypedRecord;
use crate::restore::FileHistory;
use crate::text::split_lines;

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinedFile {
    /// The text that was recorded last; `None` if no file was left.
    pub(crate) now: Option<MarkedText>,
    /// Its hash.
    pub(crate) hash: Option<String>,
    /// The step before: the hash of what it found, and what is known of that.
    pub(crate) before: Option<(String, Vec<LineMark>)>,
    /// True if a text between two known ones is not kept.
    pub(crate) is_torn: bool,
    pub(crate) history: FileHistory,
    /// The hash of the text of which a snapshot was kept.
    pub(crate) kept: Option<String>,
    /// The hashes that the last step and the typing since are recorded to lead to, oldest first, also where their texts
    /// are not kept.
    pub(crate) recorded: Vec<String>,
}

impl LinedFile {
    /// Returns whether the marks are those of the text with this hash, of which the text or its lines are kept.
    pub(crate) fn is_at(&self, hash: Option<&str>) -> bool {
        !self.is_torn && hash.is_some() && self.hash.as_deref() == hash && self.now.is_some()
    }

    /// Returns whether a snapshot of the text with this hash is at least as new as what is known: another process may have
    /// recorded a step between the reading of the records and the writing of the snapshot.
    pub(crate) fn is_outdone_by(&self, hash: &str) -> bool {
        let place = |wanted: &str| self.recorded.iter().rposition(|recorded| recorded == wanted);
        let known = self.hash.as_deref().filter(|_| !self.is_torn).and_then(place);
        match place(hash) {
            Some(at) => known.is_none_or(|known| known <= at),
            // Nothing was recorded of it before.
            None => self.now.is_none() && self.hash.is_none() && self.before.is_none(),
        }
    }

    /// Returns the marks of the text with this hash, which the file held last.
    pub(crate) fn marks_of(&self, hash: &str, ground: &dyn WorkspaceTexts) -> Option<Vec<LineMark>> {
        match self.is_at(Some(hash)) {
            true => self.now.as_ref().map(|now| now.marks.clone()),
            false => Some(self.read_text(ground.text_of(hash)?, hash).marks),
        }
    }

    /// Returns the marks after a person's typing, or `None` if the record does not fit.
    pub(crate) fn type_in(
        &self,
        typed: &TypedRecord,
        text: Option<String>,
        ground: &dyn WorkspaceTexts,
    ) -> Option<MarkedText> {
        let now = self.now.as_ref().filter(|_| !self.is_torn)?;
        match self.is_at(Some(&typed.before)) {
            true => now.type_in(&typed.runs, text),
            false => self.read_text(ground.text_of(&typed.before)?, &typed.before).type_in(&typed.runs, text),
        }
    }

    /// Meets the text that a step found: what differs from the one that is known, a person changed.
    pub(crate) fn meet_text(&mut self, before: Option<Option<String>>, hash: Option<&String>) {
        match before {
            None => self.now = None,
            Some(None) => self.is_torn = true,
            Some(Some(text)) => {
                let is_new = self.now.is_none() && self.hash.is_none() && self.before.is_none();
                self.now = Some(match (is_new, hash) {
                    (true, _) => MarkedText::with_one_mark(text, LineMark::EARLIER),
                    (false, Some(hash)) => self.read_text(text, hash),
                    (false, None) => MarkedText::with_one_mark(text, LineMark::UNKNOWN),
                });
                self.is_torn = false;
            }
        }
        self.hash = hash.cloned();
    }

    /// Returns the marks of a text that is in the file now.
    pub(crate) fn read_text(&self, text: String, hash: &str) -> MarkedText {
        let Some(now) = &self.now else { return MarkedText::with_one_mark(text, LineMark::HUMAN) };
        let is_same = match &now.text {
            Some(known) => *known == text,
            None => self.hash.as_deref() == Some(hash),
        };
        if is_same {
            return MarkedText { text: Some(text), ..now.clone() };
        }
        // Somebody took the last step back by hand.
        if let Some((before, marks)) = &self.before
            && before == hash
            && marks.len() == split_lines(&text).len()
        {
            return MarkedText { marks: marks.clone(), ..MarkedText::with_one_mark(text, LineMark::HUMAN) };
        }
        now.carry_to(text, if self.is_torn { ChangeAuthor::Nobody } else { ChangeAuthor::Person }, &[]).now
    }
}
