//! Adds wherefore's entry to an agent's settings file, and removes it: the rest of the file stays as it is, or the
//! whole file does.

use serde_json::{Value, json};

use super::error::SettingsEditError;
use super::{jsonc, tables};
pub(super) use crate::agents::FileFormat;

/// The byte order mark that some programs write at the start of a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

impl FileFormat {
    /// The entry in the file.
    ///
    /// # Errors
    /// The problem with the file.
    pub(super) fn read_entry(self, text: &str, path: &[&str]) -> Result<Option<Value>, SettingsEditError> {
        let whole = self.parse(text.trim_start_matches(BYTE_ORDER_MARK))?;
        Ok(path.iter().try_fold(&whole, |whole, name| whole.get(*name)).cloned())
    }

    /// The text with the entry in it, in place of another of its name. `head` begins a file that holds nothing yet.
    ///
    /// # Errors
    /// The problem with the file, or why it cannot be changed.
    pub(super) fn put_entry(
        self,
        text: &str,
        path: &[&str],
        entry: &Value,
        head: &[(&str, Value)],
    ) -> Result<String, SettingsEditError> {
        let changed = match self {
            Self::Json => jsonc::put_member(text.trim_start_matches(BYTE_ORDER_MARK), path, entry, head)?,
            Self::Toml => tables::put_table(text.trim_start_matches(BYTE_ORDER_MARK), path, entry)?,
        };
        let holds = self.read_entry(&changed, path)?;
        match holds.as_ref() == Some(entry) {
            true => self.check_rest(text, changed, path, head),
            false => Err(SettingsEditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
        }
    }

    /// The text without the entry, and without its containers if they hold nothing else.
    ///
    /// # Errors
    /// The problem with the file, or why it cannot be changed.
    pub(super) fn take_entry(self, text: &str, path: &[&str]) -> Result<String, SettingsEditError> {
        let changed = match self {
            Self::Json => jsonc::take_member(text.trim_start_matches(BYTE_ORDER_MARK), path)?,
            Self::Toml => tables::take_table(text.trim_start_matches(BYTE_ORDER_MARK), path)?,
        };
        match self.read_entry(&changed, path)? {
            None => self.check_rest(text, changed, path, &[]),
            Some(_) => Err(SettingsEditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
        }
    }

    /// Returns whether a text holds nothing but the members of `head`, not even a comment.
    pub(super) fn is_bare(self, text: &str, head: &[(&str, Value)]) -> bool {
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        match self {
            Self::Json => {
                let known = |name: &String| head.iter().any(|(own, _)| own == name);
                let whole = jsonc::parse_jsonc(text).unwrap_or(Value::Null);
                whole.as_object().is_some_and(|all| all.keys().all(known)) && !jsonc::has_comments(text)
            }
            Self::Toml => text.trim().is_empty(),
        }
    }

    /// The value of a text; none if it cannot be read.
    pub(super) fn try_parse(self, text: &str) -> Option<Value> {
        self.parse(text.trim_start_matches(BYTE_ORDER_MARK)).ok()
    }

    fn parse(self, text: &str) -> Result<Value, SettingsEditError> {
        match self {
            Self::Json => jsonc::parse_jsonc(text),
            Self::Toml => tables::parse_toml(text),
        }
    }

    /// The changed text, after a check that everything but the entry is as before.
    fn check_rest(
        self,
        before: &str,
        changed: String,
        path: &[&str],
        head: &[(&str, Value)],
    ) -> Result<String, SettingsEditError> {
        let rest = |text: &str| self.parse(text).map(|whole| without_entry(whole, path));
        let old = before.trim_start_matches(BYTE_ORDER_MARK);
        let fresh =
            || Value::Object(head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
        let (old, new) = (rest(old)?, rest(&changed)?);
        match old == new || (old == json!({}) && new == fresh()) {
            true => {
                Ok([&before[..before.len() - before.trim_start_matches(BYTE_ORDER_MARK).len()], &changed]
                    .concat())
            }
            false => Err(SettingsEditError::ByHand(path[..path.len().saturating_sub(1)].join("."))),
        }
    }
}

/// The value of a file without the entry, and without its containers if they hold nothing else.
fn without_entry(mut whole: Value, path: &[&str]) -> Value {
    if let Some((name, below)) = path.split_first()
        && let Some(members) = whole.as_object_mut()
        && let Some(member) = members.get_mut(*name)
    {
        let left = without_entry(member.take(), below);
        match below.is_empty() || left == json!({}) {
            true => drop(members.shift_remove(*name)),
            false => members[*name] = left,
        }
    }
    whole
}
