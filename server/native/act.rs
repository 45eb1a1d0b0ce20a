//! What a call of an agent's own tool does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call of an agent's own tool does. Paths are as the agent wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum NativeAct {
    /// Texts of a file are replaced, one after the other.
    Replace {
        /// The file.
        path: String,
        /// What is replaced.
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
        /// Which.
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
    /// Nothing that is reviewed: a tool of ours, or one that changes no file.
    #[default]
    Other,
}

impl NativeAct {
    /// Whether it changes files.
    pub fn edits(&self) -> bool {
        matches!(self, Self::Replace { .. } | Self::Write { .. } | Self::Patch { .. } | Self::Cell { .. })
    }
}

/// One text replaced by another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replacement {
    /// The text that is there; empty where the file is to be made.
    pub old: String,
    /// The text to put there.
    pub new: String,
    /// Whether every occurrence is meant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// A change of a notebook's cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// What is done.
    #[serde(default)]
    pub mode: CellMode,
}

/// What is done to a cell.
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
