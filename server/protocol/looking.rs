//! What an editor is asked for by name: what the person has selected, and what its language servers say of files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Params of `wherefore/look`: what an agent at the editor's side asks about the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LookParams {
    /// Whether diagnostics are wanted.
    pub diagnostics: bool,
    /// The one document whose diagnostics are wanted; those of every document where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Answer of `wherefore/look`: what the person has before them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LookAnswer {
    /// What is selected; none where no file is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectedText>,
    /// The diagnostics, by document.
    pub diagnostics: Vec<DocumentDiagnostics>,
}

/// A place in a document, as the Language Server Protocol counts: from 0, characters in UTF-16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TextPlace {
    /// The line.
    pub line: u32,
    /// The character in it.
    pub character: u32,
}

/// The selection of the person; an empty one is the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SelectedText {
    /// The document.
    pub uri: String,
    /// The text that is selected.
    pub text: String,
    /// Where it begins.
    pub start: TextPlace,
    /// Where it ends.
    pub end: TextPlace,
}

/// What language servers say of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DocumentDiagnostics {
    /// The document.
    pub uri: String,
    /// Diagnostics as the Language Server Protocol writes them.
    pub diagnostics: Vec<Value>,
}

/// How the IDE slot that the person's settings want stands, in the answer of `wherefore/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlotStatus {
    /// The agent, by its name in the settings.
    pub agent: String,
    /// The absolute path of the file by which it finds its editor; none where the slot is not open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What keeps the slot from being open, or stands beside it, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The IDE slot changed: the params of `wherefore/slot`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlotNotice {
    /// The variables that the editor's terminals are to have from now on, so that the agent in them finds this editor; none
    /// where no agent is served. Those of an earlier notice that are not named here are to go.
    pub env: BTreeMap<String, String>,
}
