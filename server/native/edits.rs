//! The text that replacements leave, as an agent's own tool would leave it: every text stands as it is given.

use thiserror::Error;

use super::Replacement;

/// Why a text cannot be replaced.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// It is not there.
    #[error("the text to replace of edit {0} is not in the file")]
    Missing(usize),
    /// It is there more than once, and not every occurrence is meant.
    #[error("the text to replace of edit {0} stands in the file {1} times")]
    Ambiguous(usize, usize),
}

/// The text that the replacements leave, made one after the other.
///
/// # Errors
/// The first one that cannot be made, counted from 1.
pub fn replaced(before: &str, edits: &[Replacement]) -> Result<String, EditError> {
    let mut text = before.to_owned();
    for (at, Replacement { old, new, all }) in edits.iter().enumerate() {
        text = match (old.is_empty(), text.matches(old.as_str()).count()) {
            (true, _) if text.is_empty() => new.clone(),
            (true, _) | (false, 0) => return Err(EditError::Missing(at + 1)),
            (false, 1) => text.replacen(old, new, 1),
            (false, _) if *all => text.replace(old, new),
            (false, count) => return Err(EditError::Ambiguous(at + 1, count)),
        };
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old: old.into(), new: new.into(), all }
    }

    #[test]
    fn replacements_are_made_one_after_the_other() {
        let edits = [edit("a", "b", false), edit("b", "c", true)];
        assert_eq!(replaced("a b", &edits), Ok("c c".into()));
        assert_eq!(replaced("a b", &[edit("x", "", false)]), Err(EditError::Missing(1)));
        assert_eq!(replaced("a a", &[edit("a", "", false)]), Err(EditError::Ambiguous(1, 2)));
        assert_eq!(replaced("", &[edit("", "new", false)]), Ok("new".into()));
        assert_eq!(replaced("old", &[edit("", "new", false)]), Err(EditError::Missing(1)));
    }
}
