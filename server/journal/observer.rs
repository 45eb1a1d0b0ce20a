//! The observer of events that the log writes.

use std::fmt::Debug;

use serde_json::{Map, Value};

/// An event as the log has it: redacted, and with large values as references.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedEvent {
    /// Its type.
    pub kind: String,
    /// Its fields but the type.
    pub fields: Map<String, Value>,
    /// The bytes that its fields take in the log.
    pub bytes: usize,
}

/// Observes every event of a log. It is called where the event is written, so it must not block.
pub trait LogObserver: Debug + Send + Sync {
    /// Receives an event that is about to be written, by value: the log has no further use for it.
    fn observe_event(&self, event: LoggedEvent);

    /// Ends the session; a bounded wait is allowed.
    fn close(&self);
}
