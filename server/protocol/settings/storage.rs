//! How long, and how much of, what is kept stays.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// `[storage]`: of each workspace. 0 keeps it for ever, or however much it is. Not heard in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StorageSettings {
    /// Days that a change can be undone. One of the last day, and one that a waiting proposal is about, always can.
    pub undo_days: u32,
    /// Megabytes that are kept for undo; the oldest go first.
    pub undo_mb: u32,
    /// Days that a session log stays that nobody writes any more.
    pub log_days: u32,
    /// Megabytes of session logs; the oldest go first.
    pub log_mb: u32,
}

impl Default for StorageSettings {
    fn default() -> Self {
        Self { undo_days: 30, undo_mb: 1024, log_days: 365, log_mb: 4096 }
    }
}

impl StorageSettings {
    /// The oldest change that can be undone.
    pub fn undo_age(&self) -> Duration {
        age(self.undo_days)
    }

    /// The bytes kept for undo.
    pub fn undo_bytes(&self) -> u64 {
        bytes(self.undo_mb)
    }

    /// The oldest session log.
    pub fn log_age(&self) -> Duration {
        age(self.log_days)
    }

    /// The bytes of session logs.
    pub fn log_bytes(&self) -> u64 {
        bytes(self.log_mb)
    }
}

fn age(days: u32) -> Duration {
    if days == 0 { Duration::MAX } else { DAY * days }
}

fn bytes(megabytes: u32) -> u64 {
    if megabytes == 0 { u64::MAX } else { u64::from(megabytes) << 20 }
}
