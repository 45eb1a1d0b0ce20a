//! The limit that ended a command, as answers say it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::sandbox::Limit;

/// The limit that ended a command.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LimitWord {
    Time,
    Cpu,
    Memory,
    Processes,
    Disk,
}

impl LimitWord {
    pub(super) fn of(limit: Limit) -> Self {
        match limit {
            Limit::Wall => Self::Time,
            Limit::Cpu => Self::Cpu,
            Limit::Memory => Self::Memory,
            Limit::Processes => Self::Processes,
            Limit::Disk => Self::Disk,
        }
    }
}
