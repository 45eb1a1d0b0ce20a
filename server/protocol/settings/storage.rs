//! Retention of stored data, by age and size.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// `[storage]`: limits for each workspace. 0 means no limit. Ignored in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StorageSettings {
    /// Days that a change can be undone. A change of the last day, or of a pending proposal, always can.
    pub undo_days: u32,
    /// Megabytes that are kept for undo; the oldest go first.
    pub undo_mb: u32,
    /// Days that a session log stays after it was last written.
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
        days_to_age(self.undo_days)
    }

    /// The bytes kept for undo.
    pub fn undo_bytes(&self) -> u64 {
        megabytes_to_bytes(self.undo_mb)
    }

    /// The oldest session log.
    pub fn log_age(&self) -> Duration {
        days_to_age(self.log_days)
    }

    /// The bytes of session logs.
    pub fn log_bytes(&self) -> u64 {
        megabytes_to_bytes(self.log_mb)
    }
}

fn days_to_age(days: u32) -> Duration {
    if days == 0 { Duration::MAX } else { DAY * days }
}

fn megabytes_to_bytes(megabytes: u32) -> u64 {
    if megabytes == 0 { u64::MAX } else { u64::from(megabytes) << 20 }
}
