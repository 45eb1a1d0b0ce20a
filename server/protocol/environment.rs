//! Environments: which one tools run in, and what it puts in the place of their own activities.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who chose an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentSource {
    /// No choice was made.
    #[default]
    Default,
    /// The project's settings.
    Project,
    /// The person's settings.
    Settings,
    /// The person, by `wherefore env` or a request.
    Command,
    /// Chosen at the start of the server, by `--env` or `WHEREFORE_ENV`.
    Start,
}

impl EnvironmentSource {
    /// The source in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Default => "nothing chose another",
            Self::Project => "the project's settings chose it",
            Self::Settings => "the settings chose it",
            Self::Command => "`wherefore env` chose it",
            Self::Start => "--env or WHEREFORE_ENV chose it",
        }
    }
}

/// Params of `wherefore/environment`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EnvironmentParams {
    /// The environment to run tools in from the next call on; the one there is stays when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// True to let the settings choose again.
    pub reset: bool,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/environment`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentAnswer {
    /// The environment that tools run in.
    pub environment: String,
    /// Who chose it.
    pub chosen_by: EnvironmentSource,
    /// Every environment, by name: the tools that it replaces the activities of, each with what runs it there, in words.
    pub environments: BTreeMap<String, BTreeMap<String, String>>,
    /// A sentence for each problem of the environments in the settings.
    pub problems: Vec<String>,
}
