//! Whoever hears of events as the log writes them.

use std::fmt::Debug;

use serde_json::{Map, Value};

/// Hears every event of a log: redacted, and with large values as references, as the log has it. It is called where the
/// event is written, so it must not block.
pub trait LogObserver: Debug + Send + Sync {
    /// An event, with its `type`, is about to be written.
    fn heard(&self, event: &Map<String, Value>);

    /// The session ends; a bounded wait is allowed.
    fn close(&self);
}
