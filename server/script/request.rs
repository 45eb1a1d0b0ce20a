//! The request to run a script.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Code, and what it is run with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptRequest {
    /// The code.
    pub code: String,
    /// The value that the code finds as `input_json`, and as `input`.
    pub input: Value,
    /// Milliseconds after which the code is ended.
    pub time_ms: u64,
}
