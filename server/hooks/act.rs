//! The action of a call of an agent's own tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The action of a call of an agent's own tool. Paths are as the agent wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum NativeAct {
    /// Texts of a file are replaced, one after the other.
    Replace {
        /// The file.
        path: String,
        /// The replacements.
        edits: Vec<Replacement>,
    },
    /// A file is written whole.
    Write {
        /// The file.
        path: String,
        /// Its whole text.
        content: String,
    },
    /// A patch is applied, in the form between `*** Begin Patch` and `*** End Patch`.
    Patch {
        /// The patch.
        patch: String,
    },
    /// A cell of a notebook is changed.
    Cell {
        /// The notebook.
        path: String,
        /// The change.
        cell: CellEdit,
    },
    /// A command is run.
    Command {
        /// The script, as `bash -c` takes it; where the agent gave an argument vector, that vector quoted.
        script: String,
    },
    /// Files or folders are read.
    Read {
        /// The files or folders.
        paths: Vec<String>,
    },
    /// The lines of files are searched.
    Search {
        /// The regular expression that they are searched for.
        pattern: String,
        /// The file or folder that is searched; the folder that the agent works in, where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// A glob over the files that are searched.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<String>,
    },
    /// It was refused, since its action could not be determined.
    Unread {
        /// Why.
        why: String,
    },
    /// A call that is not reviewed: of wherefore's own tool, or of a tool that changes no file.
    #[default]
    Other,
}

/// A call of an agent's own tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeCall {
    /// The action.
    pub act: NativeAct,
    /// Further actions of the call: other places that are read or searched.
    pub other_acts: Vec<NativeAct>,
    /// The folder that its relative paths start from, where that is not the one that the agent works in.
    pub folder: Option<String>,
    /// True if the agent's own tool must not run whatever the policy is: a shell was given an edit.
    pub is_refused_to_agent: bool,
}

impl NativeAct {
    /// Returns whether the action changes files.
    pub fn is_edit(&self) -> bool {
        matches!(self, Self::Replace { .. } | Self::Write { .. } | Self::Patch { .. } | Self::Cell { .. })
    }
}

/// A text replaced by another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The text that is there; empty where the file is to be made.
    pub old: String,
    /// The text to put there.
    pub new: String,
    /// True if every occurrence is replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// A change of a notebook's cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellEdit {
    /// The cell's id, or `cell-N` for the one at place N, counted from 0. Where a cell is inserted, the one before it;
    /// none inserts at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// Its source.
    pub source: String,
    /// `code` or `markdown`, for a new cell or where it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The kind of the change.
    #[serde(default)]
    pub mode: CellMode,
}

/// The kind of a cell's change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellMode {
    /// Its source is replaced.
    #[default]
    Replace,
    /// A cell is inserted behind it.
    Insert,
    /// It is removed.
    Delete,
}
