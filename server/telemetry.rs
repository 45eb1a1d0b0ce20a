//! Calls as spans of OpenTelemetry, to the collector that the person names.
//!
//! [`start`] gives an observer of a session log. The observer puts each event, which the log redacted already, into a
//! bounded queue; a thread of its own takes a few fields of each, makes spans of them and sends them. A call never waits for it.

mod endpoint;
mod exporter;
mod heard;
mod otlp;
mod queue;
mod send;
mod spans;
#[cfg(test)]
mod tests;

pub use endpoint::{TelemetryError, check};
pub use exporter::{TelemetryCounts, TelemetryExporter, close_all, start};
