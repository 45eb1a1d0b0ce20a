//! The session log: written before and after each call, chained, read back.
//!
//! [`Journal`] writes: an event is redacted, its large values are stored beside the log, and its block goes to
//! the file in one write, at once or, where it is only posted, soon; [`Journal::durable`] waits for the disk. [`Log`] reads, whatever else stands in the
//! file, and [`verify`] says where it was altered. [`Keeper`] has what vouches for it: the key that its blocks are hashed with,
//! and how far it was durable.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod belongs;
mod block;
mod chain;
mod error;
mod event;
mod fault;
mod file;
mod head;
mod key;
mod observer;
mod opening;
mod reader;
mod recover;
mod scan;
mod seal;
mod stamp;
mod sync;
mod verdict;
mod verify;
mod writer;
mod yaml;

#[cfg(test)]
mod tests;

use wherefore_base as base;
use wherefore_protocol as protocol;
use wherefore_redact as redact;

pub use error::{ForeignReason, JournalError};
pub use file::LOG;
pub use head::Keeper;
pub use observer::{LogObserver, LoggedEvent};
pub use opening::{FolderOpener, Opening};
pub use reader::{Entry, Item, Items, Log, Values};
pub use scan::{LogPlace, Rest};
pub use stamp::LogStamp;
pub use sync::Mark;
pub use verdict::LogVerdict;
pub use verify::{Damage, Ending, Report, Vouched, verify};
pub use writer::{Journal, Posted};
