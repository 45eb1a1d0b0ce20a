//! An agent's settings file with our entry put in or taken out: nothing else in it changes, or it is left alone.

use serde_json::{Value, json};

use super::error::EditError;
use super::{jsonc, tables};

/// Where an entry stands in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// What holds the entries: a member of the file's object, or a table.
    pub(super) container: &'static str,
    /// The entry's name there.
    pub(super) name: &'static str,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FileFormat {
    /// JSON; comments and trailing commas are borne.
    Json,
    /// TOML.
    Toml,
}

/// What some programs put at the front of a text.
const MARK: char = '\u{feff}';

impl FileFormat {
    /// The entry in the file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn entry(self, text: &str, place: Place) -> Result<Option<Value>, EditError> {
        let whole = self.parse(text.trim_start_matches(MARK))?;
        Ok(whole.get(place.container).and_then(|entries| entries.get(place.name)).cloned())
    }

    /// The text with the entry in it, in place of another of its name. `head` begins a file that holds nothing yet.
    ///
    /// # Errors
    /// What is wrong with the file, or why it cannot be changed.
    pub(super) fn put(
        self,
        text: &str,
        place: Place,
        entry: &Value,
        head: &[(&str, Value)],
    ) -> Result<String, EditError> {
        let changed = match self {
            Self::Json => jsonc::put(text.trim_start_matches(MARK), place, entry, head)?,
            Self::Toml => tables::put(text.trim_start_matches(MARK), place, entry)?,
        };
        let holds = self.entry(&changed, place)?;
        match holds.as_ref() == Some(entry) {
            true => self.checked(text, changed, place, head),
            false => Err(EditError::ByHand(place.container)),
        }
    }

    /// The text without the entry, and without what it stood under where that holds nothing else.
    ///
    /// # Errors
    /// What is wrong with the file, or why it cannot be changed.
    pub(super) fn take(self, text: &str, place: Place) -> Result<String, EditError> {
        let changed = match self {
            Self::Json => jsonc::take(text.trim_start_matches(MARK), place)?,
            Self::Toml => tables::take(text.trim_start_matches(MARK), place)?,
        };
        match self.entry(&changed, place)? {
            None => self.checked(text, changed, place, &[]),
            Some(_) => Err(EditError::ByHand(place.container)),
        }
    }

    /// Whether a text holds nothing but what `head` says, not even a comment.
    pub(super) fn is_bare(self, text: &str, head: &[(&str, Value)]) -> bool {
        let text = text.trim_start_matches(MARK);
        match self {
            Self::Json => {
                let known = |name: &String| head.iter().any(|(own, _)| own == name);
                let whole = jsonc::parse(text).unwrap_or(Value::Null);
                whole.as_object().is_some_and(|all| all.keys().all(known)) && !jsonc::has_comments(text)
            }
            Self::Toml => text.trim().is_empty(),
        }
    }

    fn parse(self, text: &str) -> Result<Value, EditError> {
        match self {
            Self::Json => jsonc::parse(text),
            Self::Toml => tables::parse(text),
        }
    }

    /// The changed text, once all but the entry is seen to say what it said.
    fn checked(
        self,
        before: &str,
        changed: String,
        place: Place,
        head: &[(&str, Value)],
    ) -> Result<String, EditError> {
        let rest = |text: &str| self.parse(text).map(|whole| without(whole, place));
        let old = before.trim_start_matches(MARK);
        let fresh =
            || Value::Object(head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
        let (old, new) = (rest(old)?, rest(&changed)?);
        match old == new || (old == json!({}) && new == fresh()) {
            true => Ok([&before[..before.len() - before.trim_start_matches(MARK).len()], &changed].concat()),
            false => Err(EditError::ByHand(place.container)),
        }
    }
}

/// What a file says beside the entry.
fn without(mut whole: Value, place: Place) -> Value {
    let entries = whole.get_mut(place.container).and_then(Value::as_object_mut);
    let empty = entries.is_some_and(|entries| {
        entries.shift_remove(place.name);
        entries.is_empty()
    });
    if let Some(whole) = whole.as_object_mut().filter(|_| empty) {
        whole.shift_remove(place.container);
    }
    whole
}
