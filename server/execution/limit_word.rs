//! The limit that ended a command, as answers say it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Code, Fault};
use crate::sandbox::LimitKind;

/// The remedy where the time of a tool's own command was up.
pub(crate) const LONGER_BY_DEFINITION: &str =
    "have it do less, or ask the person for more time: `sandbox.timeout_ms` of its definition";

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
    pub(crate) fn from_limit(limit: LimitKind) -> Self {
        match limit {
            LimitKind::Wall => Self::Time,
            LimitKind::Cpu => Self::Cpu,
            LimitKind::Memory => Self::Memory,
            LimitKind::Processes => Self::Processes,
            LimitKind::Disk => Self::Disk,
        }
    }

    /// The fault of a command or code that did not end within `ms` milliseconds; none for another limit.
    pub(crate) fn timeout(&self, ms: u64) -> Option<Fault> {
        let message = format!("it did not end within {ms} ms; what it wrote until then is in this answer");
        matches!(self, Self::Time).then(|| {
            Fault::new(Code::Timeout, message)
                .with_suggestion("have it do less, or give it more time with `timeout_ms`")
        })
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
