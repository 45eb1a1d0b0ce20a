//! The request for what the language servers of an editor say of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Params of `wherefore/diagnostics`: asks an editor for what its language servers say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DiagnosticsParams {
    /// The one document that is asked about; every document where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Answer of `wherefore/diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DiagnosticsAnswer {
    /// The documents of which something is said.
    pub documents: Vec<DocumentDiagnostics>,
}

impl DiagnosticsAnswer {
    /// Adds the diagnostics of another editor; equal ones of a document are kept once.
    pub fn merge(&mut self, other: Self) {
        for document in other.documents {
            match self.documents.iter_mut().find(|known| known.uri == document.uri) {
                Some(known) => {
                    let new = |diagnostic: &Value| !known.diagnostics.contains(diagnostic);
                    let more: Vec<Value> = document.diagnostics.into_iter().filter(new).collect();
                    known.diagnostics.extend(more);
                }
                None => self.documents.push(document),
            }
        }
    }
}

/// The diagnostics of one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DocumentDiagnostics {
    /// The document.
    pub uri: String,
    /// Diagnostics as the Language Server Protocol writes them: places count from 0, characters in UTF-16.
    pub diagnostics: Vec<Value>,
}
