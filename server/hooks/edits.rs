//! The text after replacements, as an agent's own tool would make it: every text is taken literally.

use thiserror::Error;

use super::Replacement;

/// The reason why a text cannot be replaced.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum ReplacementError {
    /// It is not there.
    #[error("the text to replace of edit {0} is not in the file")]
    Missing(usize),
    /// It occurs more than once, and `all` is not set.
    #[error("the text to replace of edit {0} stands in the file {1} times")]
    Ambiguous(usize, usize),
}

/// The text that the replacements leave, made one after the other.
///
/// # Errors
/// The first replacement that cannot be made, counted from 1.
pub fn apply_replacements(before: &str, edits: &[Replacement]) -> Result<String, ReplacementError> {
    let mut text = before.to_owned();
    for (at, Replacement { old, new, all }) in edits.iter().enumerate() {
        text = match (old.is_empty(), text.matches(old.as_str()).count()) {
            (true, _) if text.is_empty() => new.clone(),
            (true, _) | (false, 0) => return Err(ReplacementError::Missing(at + 1)),
            (false, 1) => text.replacen(old, new, 1),
            (false, _) if *all => text.replace(old, new),
            (false, count) => return Err(ReplacementError::Ambiguous(at + 1, count)),
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
        assert_eq!(apply_replacements("a b", &edits), Ok("c c".into()));
        assert_eq!(apply_replacements("a b", &[edit("x", "", false)]), Err(ReplacementError::Missing(1)));
        assert_eq!(
            apply_replacements("a a", &[edit("a", "", false)]),
            Err(ReplacementError::Ambiguous(1, 2))
        );
        assert_eq!(apply_replacements("", &[edit("", "new", false)]), Ok("new".into()));
        assert_eq!(apply_replacements("old", &[edit("", "new", false)]), Err(ReplacementError::Missing(1)));
    }
}
