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

impl Place {
    /// The names on the way to the entry.
    pub(super) fn path(&self) -> [&str; 2] {
        [self.container, self.name]
    }
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
pub(super) const MARK: char = '\u{feff}';

impl FileFormat {
    /// The entry in the file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn entry(self, text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
        let whole = self.parse(text.trim_start_matches(MARK))?;
        Ok(path.iter().try_fold(&whole, |whole, name| whole.get(*name)).cloned())
    }

    /// The text with the entry in it, in place of another of its name. `head` begins a file that holds nothing yet.
    ///
    /// # Errors
    /// What is wrong with the file, or why it cannot be changed.
    pub(super) fn put(
        self,
        text: &str,
        path: &[&str],
        entry: &Value,
        head: &[(&str, Value)],
    ) -> Result<String, EditError> {
        let changed = match self {
            Self::Json => jsonc::put(text.trim_start_matches(MARK), path, entry, head)?,
            Self::Toml => tables::put(text.trim_start_matches(MARK), path, entry)?,
        };
        let holds = self.entry(&changed, path)?;
        match holds.as_ref() == Some(entry) {
            true => self.checked(text, changed, path, head),
            false => Err(EditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
        }
    }

    /// The text without the entry, and without what it stood under where that holds nothing else.
    ///
    /// # Errors
    /// What is wrong with the file, or why it cannot be changed.
    pub(super) fn take(self, text: &str, path: &[&str]) -> Result<String, EditError> {
        let changed = match self {
            Self::Json => jsonc::take(text.trim_start_matches(MARK), path)?,
            Self::Toml => tables::take(text.trim_start_matches(MARK), path)?,
        };
        match self.entry(&changed, path)? {
            None => self.checked(text, changed, path, &[]),
            Some(_) => Err(EditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
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
        path: &[&str],
        head: &[(&str, Value)],
    ) -> Result<String, EditError> {
        let rest = |text: &str| self.parse(text).map(|whole| without(whole, path));
        let old = before.trim_start_matches(MARK);
        let fresh =
            || Value::Object(head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
        let (old, new) = (rest(old)?, rest(&changed)?);
        match old == new || (old == json!({}) && new == fresh()) {
            true => Ok([&before[..before.len() - before.trim_start_matches(MARK).len()], &changed].concat()),
            false => Err(EditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
        }
    }
}

/// What a file says beside the entry, and beside what it stands under where that holds nothing else.
fn without(mut whole: Value, path: &[&str]) -> Value {
    if let Some((name, below)) = path.split_first()
        && let Some(members) = whole.as_object_mut()
        && let Some(member) = members.get_mut(*name)
    {
        let left = without(member.take(), below);
        match below.is_empty() || left == json!({}) {
            true => drop(members.shift_remove(*name)),
            false => members[*name] = left,
        }
    }
    whole
}
