//! The session log: written before and after each call, chained, read back.
//!
//! [`Journal`] writes: an event is redacted, its large values are stored beside the log, and its block goes to
//! the file in one write, at once or, where it is only posted, soon; [`Journal::durable`] waits for the disk. [`Log`] reads, whatever else stands in the
//! file, and [`verify`] says where it was altered.

mod block;
mod chain;
mod event;
mod file;
mod reader;
mod redact;
mod scan;
mod seal;
mod sync;
mod text;
mod verify;
mod writer;
mod yaml;

#[cfg(test)]
mod tests;

pub use file::LOG;
pub use reader::{Entry, Item, Items, Log, Values};
pub use redact::{redact, redact_value};
pub use scan::Place;
pub use sync::Mark;
pub use text::shown;
pub use verify::{Damage, Report, verify};
pub use writer::{Journal, Posted};
