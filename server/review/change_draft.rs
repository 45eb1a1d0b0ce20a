//! The draft of a change, which a tool hands over before it is made.

use crate::base::WorkspacePath;
use crate::base::text::TextEncoding;
use crate::protocol::{ChangeKind, PathContent};

/// The content of a path before or after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeContent {
    /// A text, with how its bytes are written.
    Text {
        /// The text, line ends as they stand.
        text: String,
        /// The encoding it is kept in.
        encoding: TextEncoding,
    },
    /// Something with no text: a symlink by its target, or bytes by the hash under which the state folder keeps them.
    Other(PathContent),
}

impl ChangeContent {
    /// Its text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Other(_) => None,
        }
    }

    /// The encoding of its text.
    pub fn encoding(&self) -> Option<TextEncoding> {
        match self {
            Self::Text { encoding, .. } => Some(*encoding),
            Self::Other(_) => None,
        }
    }
}

/// A change to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The changed path.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// The content that the tool saw: unsaved text where the editor has some. None for a new path, and where the kind
    /// is enough.
    pub before: Option<ChangeContent>,
    /// The new content. None for a removal, and where the kind is enough.
    pub after: Option<ChangeContent>,
    /// For a copy and a rename, where from.
    pub from: Option<WorkspacePath>,
    /// True where the file is to be executable: of a change of mode, and of a new file. None leaves it as it is.
    pub executable: Option<bool>,
    /// The hunks that a person should check: how each was placed, by its first line in `after` counted from 0, where
    /// that was looser than exact.
    pub loose: Vec<(u32, String)>,
}

impl PathChange {
    /// A change of text: an edit where there is a text before, a new file where there is none.
    pub fn of_text(path: WorkspacePath, before: Option<ChangeContent>, after: ChangeContent) -> Self {
        let kind = if before.is_some() { ChangeKind::Edit } else { ChangeKind::Create };
        Self { before, after: Some(after), ..Self::without_content(path, kind, None) }
    }

    /// The removal of a file with a text.
    pub fn of_removal(path: WorkspacePath, before: ChangeContent) -> Self {
        Self { before: Some(before), ..Self::without_content(path, ChangeKind::Delete, None) }
    }

    /// A change with no content to state: a folder to make or to remove, bytes to copy, a file to rename.
    pub fn without_content(path: WorkspacePath, kind: ChangeKind, from: Option<WorkspacePath>) -> Self {
        Self { path, kind, before: None, after: None, from, executable: None, loose: Vec::new() }
    }

    /// A file that becomes executable, or is so no longer.
    pub fn of_mode(path: WorkspacePath, executable: bool) -> Self {
        Self { executable: Some(executable), ..Self::without_content(path, ChangeKind::Mode, None) }
    }

    /// Returns the change of a symlink or a binary file that is made, replaced or removed: its content before and
    /// afterwards.
    pub fn of_content(path: WorkspacePath, before: Option<PathContent>, after: Option<PathContent>) -> Self {
        let link = [&before, &after].into_iter().flatten().any(|one| matches!(one, PathContent::Symlink(_)));
        let kind = if link { ChangeKind::Symlink } else { ChangeKind::Binary };
        Self {
            before: before.map(ChangeContent::Other),
            after: after.map(ChangeContent::Other),
            ..Self::without_content(path, kind, None)
        }
    }
}

/// Every change of one call, with the further members of its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallDraft {
    /// The changes, in the order in which they are to be made: after a rename its file is named by the new path. None means
    /// that nothing had to change.
    pub changes: Vec<PathChange>,
    /// Members added to the answer (`created`, a patch's report).
    pub notes: serde_json::Map<String, serde_json::Value>,
    /// True where the person's settings have such changes applied without a review. Rules for single tools and paths,
    /// and a policy that refuses or that the person chose for the agent, hold all the same.
    pub applies: bool,
    /// True where the changes are in the workspace already: they are reviewed afterwards, and nothing is written.
    pub stands: bool,
}

impl CallDraft {
    /// Returns the path and the bytes of the largest text that the changes leave, in UTF-8.
    pub fn largest_text(&self) -> Option<(&WorkspacePath, u64)> {
        let sizes = self.changes.iter().filter_map(|change| {
            let text = change.after.as_ref()?.text()?;
            Some((&change.path, text.len() as u64))
        });
        sizes.max_by_key(|(_, size)| *size)
    }
}
