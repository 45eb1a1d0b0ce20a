//! The limit that ended a command, as answers say it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Code, Fault, SandboxSettings};
use crate::sandbox::LimitKind;

/// The remedy where the time of a tool's own command was up.
pub(crate) const LONGER_BY_DEFINITION: &str =
    "have it do less, or ask the person for more time: `sandbox.timeout_ms` of its definition";

/// The bounds that a command or code is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenBounds {
    /// Milliseconds.
    pub(crate) timeout_ms: u64,
    /// Megabytes of memory.
    pub(crate) memory_mb: u64,
    /// Processes and threads.
    pub(crate) processes: u32,
}

impl GivenBounds {
    /// The bounds of a command that ends after `timeout_ms`, by the settings.
    pub(crate) fn of_command(timeout_ms: u64, settings: &SandboxSettings) -> Self {
        Self { timeout_ms, memory_mb: settings.memory_mb, processes: settings.processes }
    }
}

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

    /// The fault of a command or code that the limit ended, by what it was given.
    pub(crate) fn make_fault(&self, given: GivenBounds) -> Fault {
        let GivenBounds { timeout_ms, memory_mb, processes } = given;
        let (code, how, suggestion) = match self {
            Self::Time => (
                Code::Timeout,
                format!("it did not end within {timeout_ms} ms"),
                "have it do less, or give it more time with `timeout_ms`",
            ),
            Self::Cpu => (
                Code::QuotaExceeded,
                "it used up its time of the processor".to_owned(),
                "have it do less at a time",
            ),
            Self::Memory => (
                Code::QuotaExceeded,
                format!("it needed more than its {memory_mb} MB of memory"),
                "have it hold less at a time, or ask the person to raise `sandbox.memory_mb`",
            ),
            Self::Processes => (
                Code::QuotaExceeded,
                format!("it started more than its {processes} processes and threads"),
                "have it start fewer at a time, or ask the person to raise `sandbox.processes`",
            ),
            Self::Disk => (
                Code::QuotaExceeded,
                "it wrote more to the disk than it may".to_owned(),
                "have it write less, or remove what it no longer needs as it goes",
            ),
        };
        let message = format!("{how}, and was ended; what it wrote until then is in this answer");
        Fault::new(code, message).with_suggestion(suggestion)
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
