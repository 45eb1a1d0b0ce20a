//! One file, with what is known of each line of it.

use crate::author::Author;
use crate::carry::MarkedText;
use crate::lines::Ground;
use crate::mark::LineMark;
use crate::record::TypedRecord;
use crate::restore::History;
use crate::text::split;

/// One file.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinedFile {
    /// The text that was recorded last; none where no file was left.
    pub(crate) now: Option<MarkedText>,
    /// Its hash.
    pub(crate) hash: Option<String>,
    /// The step before: the hash of what it found, and what is known of that.
    pub(crate) before: Option<(String, Vec<LineMark>)>,
    /// Whether a text between is not kept.
    pub(crate) is_torn: bool,
    pub(crate) history: History,
    /// The hash of the text of which a snapshot was kept.
    pub(crate) kept: Option<String>,
}

impl LinedFile {
    /// Whether what is known is of the text with this hash, as it is kept or as its lines are known.
    pub(crate) fn is_at(&self, hash: Option<&str>) -> bool {
        !self.is_torn && hash.is_some() && self.hash.as_deref() == hash && self.now.is_some()
    }

    /// What is known of each line of the text with this hash, which the file held last.
    pub(crate) fn marks_of(&self, hash: &str, ground: &dyn Ground) -> Option<Vec<LineMark>> {
        match self.is_at(Some(hash)) {
            true => self.now.as_ref().map(|now| now.marks.clone()),
            false => Some(self.read(ground.text(hash)?, hash).marks),
        }
    }

    /// What is known of each line after what a person typed. None where it does not fit.
    pub(crate) fn type_in(
        &self,
        typed: &TypedRecord,
        text: Option<String>,
        ground: &dyn Ground,
    ) -> Option<MarkedText> {
        let now = self.now.as_ref().filter(|_| !self.is_torn)?;
        match self.is_at(Some(&typed.before)) {
            true => now.type_in(&typed.runs, text),
            false => self.read(ground.text(&typed.before)?, &typed.before).type_in(&typed.runs, text),
        }
    }

    /// Meets the text that a step found: what differs from the one that is known, a person changed.
    pub(crate) fn find(&mut self, before: Option<Option<String>>, hash: Option<&String>) {
        match before {
            None => self.now = None,
            Some(None) => self.is_torn = true,
            Some(Some(text)) => {
                let is_new = self.now.is_none() && self.hash.is_none() && self.before.is_none();
                self.now = Some(match (is_new, hash) {
                    (true, _) => MarkedText::whole(text, LineMark::EARLIER),
                    (false, Some(hash)) => self.read(text, hash),
                    (false, None) => MarkedText::whole(text, LineMark::UNKNOWN),
                });
                self.is_torn = false;
            }
        }
        self.hash = hash.cloned();
    }

    /// What is known of each line of a text that stands there now.
    pub(crate) fn read(&self, text: String, hash: &str) -> MarkedText {
        let Some(now) = &self.now else { return MarkedText::whole(text, LineMark::HUMAN) };
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
            && marks.len() == split(&text).len()
        {
            return MarkedText { marks: marks.clone(), ..MarkedText::whole(text, LineMark::HUMAN) };
        }
        now.carry(text, if self.is_torn { Author::Nobody } else { Author::Person }, &[]).now
    }
}
