//! What a tool that changes something hands over: the change, not yet made.

use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::protocol::{ChangeKind, PathContent};

/// What a path holds before or after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text, with how its bytes are written.
    Text {
        /// The text, line ends as they stand.
        text: String,
        /// The encoding it is kept in.
        encoding: Encoding,
    },
    /// Something with no text: a symlink by its target, or bytes by the hash under which the state folder keeps them.
    Other(PathContent),
}

impl Content {
    /// Its text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Other(_) => None,
        }
    }

    /// How the bytes of its text are written.
    pub fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Text { encoding, .. } => Some(*encoding),
            Self::Other(_) => None,
        }
    }
}

/// A change to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is changed.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// What stands there as the tool saw it: unsaved text where the editor has some. None for a new path, and where the
    /// kind says enough.
    pub before: Option<Content>,
    /// What is to stand there. None for a removal, and where the kind says enough.
    pub after: Option<Content>,
    /// For a copy and a rename, where from.
    pub from: Option<WorkspacePath>,
    /// Whether the file is to be executable: of a change of mode, and of a new file. None leaves it as it is.
    pub executable: Option<bool>,
    /// What a person should look at twice: how each hunk was placed, by its first line in `after`
    /// counted from 0, where that was looser than exact.
    pub loose: Vec<(u32, String)>,
}

impl Change {
    /// A change of text: an edit where there is a text before, a new file where there is none.
    pub fn text(path: WorkspacePath, before: Option<Content>, after: Content) -> Self {
        let kind = if before.is_some() { ChangeKind::Edit } else { ChangeKind::Create };
        Self { before, after: Some(after), ..Self::bare(path, kind, None) }
    }

    /// The removal of a file with a text.
    pub fn delete(path: WorkspacePath, before: Content) -> Self {
        Self { before: Some(before), ..Self::bare(path, ChangeKind::Delete, None) }
    }

    /// A change with no content to state: a folder to make or to remove, bytes to copy, a file to rename.
    pub fn bare(path: WorkspacePath, kind: ChangeKind, from: Option<WorkspacePath>) -> Self {
        Self { path, kind, before: None, after: None, from, executable: None, loose: Vec::new() }
    }

    /// A file that becomes executable, or is so no longer.
    pub fn mode(path: WorkspacePath, executable: bool) -> Self {
        Self { executable: Some(executable), ..Self::bare(path, ChangeKind::Mode, None) }
    }

    /// A symlink or a binary file that is made, replaced or removed: what stands there, and what is to.
    pub fn other(path: WorkspacePath, before: Option<PathContent>, after: Option<PathContent>) -> Self {
        let link = [&before, &after].into_iter().flatten().any(|one| matches!(one, PathContent::Symlink(_)));
        let kind = if link { ChangeKind::Symlink } else { ChangeKind::Binary };
        Self {
            before: before.map(Content::Other),
            after: after.map(Content::Other),
            ..Self::bare(path, kind, None)
        }
    }
}

/// Every change of one call, and what its answer says beside their fate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The changes, in the order in which they are to be made: after a rename its file is named by the new path. None means
    /// that nothing had to change.
    pub changes: Vec<Change>,
    /// Members added to the answer (`created`, a patch's report).
    pub notes: serde_json::Map<String, serde_json::Value>,
    /// Whether the person's settings have such changes applied without a review. Rules for single tools and paths, and a
    /// policy that refuses or that the person chose for the agent, hold all the same.
    pub applies: bool,
}
