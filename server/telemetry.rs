//! Calls as spans of OpenTelemetry, to the collector that the person names.
//!
//! [`start_export`] returns an observer of a session log. The observer puts each event, which the log redacted already,
//! into a bounded queue; the observer's thread takes a few fields of each, makes spans of them and sends them. A call
//! never waits for it.
//!
//! # Invariants
//!
//! - No call waits for a collector of spans, and the end of a session waits a second at the most.
//!   Test: `no_call_waits_for_a_collector_and_the_end_waits_a_moment`
//! - No text of a file, no command and no fault's message is exported, no path and no reason that the person kept
//!   back, and nothing at a project's word.
//!   Test: `a_call_is_a_span_with_its_why_and_its_decisions`, `what_the_person_sets_is_sent_and_no_more`,
//!   `telemetry_is_the_persons_alone_and_sound`

mod endpoint;
mod event_fields;
mod exporter;
mod otlp;
mod queue;
mod send;
mod spans;
#[cfg(test)]
mod tests;

pub use endpoint::{TelemetryError, check_endpoint};
pub use exporter::{TelemetryCounts, TelemetryExporter, close_all, start_export};
