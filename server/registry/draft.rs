//! What a tool that changes something hands over: the change, not yet made.

use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::protocol::ChangeKind;

/// A text with how its bytes are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text, line ends as they stand.
    pub text: String,
    /// The encoding it is kept in.
    pub encoding: Encoding,
}

/// A change to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is changed.
    pub path: WorkspacePath,
    /// How.
    pub kind: ChangeKind,
    /// The text as the tool saw it: unsaved text where the editor has some. None for a new path and for bytes.
    pub before: Option<Content>,
    /// The text as it should become. None for a removal, a folder and a copy of bytes.
    pub after: Option<Content>,
    /// For a copy, where from.
    pub from: Option<WorkspacePath>,
    /// What a person should look at twice: how each hunk was placed, by its first line in `after`
    /// counted from 0, where that was looser than exact.
    pub loose: Vec<(u32, String)>,
}

impl Change {
    /// A change of text: an edit where there is a text before, a new file where there is none.
    pub fn text(path: WorkspacePath, before: Option<Content>, after: Content) -> Self {
        let kind = if before.is_some() { ChangeKind::Edit } else { ChangeKind::Create };
        Self { path, kind, before, after: Some(after), from: None, loose: Vec::new() }
    }

    /// A change with no text to show: a folder to make, bytes to copy.
    pub fn bare(path: WorkspacePath, kind: ChangeKind, from: Option<WorkspacePath>) -> Self {
        Self { path, kind, before: None, after: None, from, loose: Vec::new() }
    }
}

/// Every change of one call, and what its answer says beside their fate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The changes, in the order in which they are to be made. None means that nothing had to change.
    pub changes: Vec<Change>,
    /// Members added to the answer (`created`, a patch's report).
    pub notes: serde_json::Map<String, serde_json::Value>,
}
