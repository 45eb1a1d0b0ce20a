//! The export of calls as spans of OpenTelemetry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[telemetry]`: calls as spans to a collector, over OTLP. Ignored in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySettings {
    /// The collector's URL, as `http://127.0.0.1:4318`; `/v1/traces` is added.
    pub endpoint: String,
    /// The environment variable that holds headers for it, as `name=value,name=value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers_env: Option<String>,
    /// True if the reasons of calls and the person's reasons on hunks are sent.
    pub whys: bool,
    /// True if paths of files and the name of the workspace's folder are sent.
    pub paths: bool,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self { endpoint: String::new(), headers_env: None, whys: true, paths: false }
    }
}
