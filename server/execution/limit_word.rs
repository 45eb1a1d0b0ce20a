//! The limit that ended a command, as answers say it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sandbox::Limit;

/// The limit that ended a command.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LimitWord {
    Time,
    Cpu,
    Memory,
    Processes,
    Disk,
}

impl LimitWord {
    pub(crate) fn of(limit: Limit) -> Self {
        match limit {
            Limit::Wall => Self::Time,
            Limit::Cpu => Self::Cpu,
            Limit::Memory => Self::Memory,
            Limit::Processes => Self::Processes,
            Limit::Disk => Self::Disk,
        }
    }

    /// The word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Disk => "disk",
        }
    }
}
