//! The kind of change of a file, as answers name it.

use schemars::JsonSchema;
use serde::Serialize;

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeWord {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    /// A file became a symlink or a submodule, or the reverse.
    TypeChanged,
    /// A merge left it in conflict.
    Unmerged,
}

impl ChangeWord {
    /// The word for a letter of git's; nothing where nothing changed.
    pub(super) fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'A' => Some(Self::Added),
            b'M' => Some(Self::Modified),
            b'D' => Some(Self::Deleted),
            b'R' => Some(Self::Renamed),
            b'C' => Some(Self::Copied),
            b'T' => Some(Self::TypeChanged),
            b'U' => Some(Self::Unmerged),
            _ => None,
        }
    }

    /// Returns whether git names two paths with it.
    pub(super) fn has_two_paths(self) -> bool {
        matches!(self, Self::Renamed | Self::Copied)
    }
}
