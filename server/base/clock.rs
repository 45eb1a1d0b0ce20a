//! The time of day, which tests set.

use std::fmt::Debug;

/// The time of day.
pub trait Clock: Send + Sync + Debug {
    /// Now.
    fn now(&self) -> jiff::Timestamp;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}
