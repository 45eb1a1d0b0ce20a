//! The session log: written before and after each call, chained, read back.
//!
//! [`Journal`] writes: an event is redacted, its large values are stored in files of their own, and its block goes to the log in
//! one write, at once or, where it is only posted, soon; [`Journal::wait_durable`] waits for the disk. [`LogReader`] reads,
//! also between foreign text, and [`verify_log`] finds the place of an alteration. [`LogKeeper`] has the key that the
//! blocks are hashed with, and the length up to which the log was durable.
//!
//! # Invariants
//!
//! - No value can forge a log entry.
//!   Test: `forged_strings_come_back`, `any_value`
//! - No alteration of a log goes unseen.
//!   Test: `any_altered_byte_is_found_where_it_is`
//! - No log that was cut at its end, or rewritten without this machine's key, passes as sound.
//!   Test: `events_cut_off_the_end_are_missed_and_the_log_is_left_as_it_is`,
//!   `a_log_made_anew_without_the_key_does_not_pass`
//! - No log that came with the code is continued.
//!   Test: `a_planted_log_is_not_of_this_machine_and_never_continued`
//! - No torn end of a log outlives the next opening, and no durable event goes with it.
//!   Test: `whatever_a_power_cut_leaves_behind_the_durable_events_is_recovered`
//! - No system call of the log that fails makes later calls fail.
//!   Test: `every_call_of_the_log_may_fail_once`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod asked;
mod block;
mod chain;
mod continuation;
mod error;
mod event;
mod fault;
mod file;
mod former;
mod head;
mod heading;
mod key;
mod layout;
mod observer;
mod options;
mod reader;
mod recover;
mod scan;
mod seal;
mod split;
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
pub use head::LogKeeper;
pub use observer::{LogObserver, LoggedEvent};
pub use options::{FolderOpener, JournalOptions};
pub use reader::{JournalEntry, LogItem, LogItems, LogReader, ValueMode};
pub use scan::{ForeignBytes, LogPlace};
pub use stamp::LogStamp;
pub use sync::WriteMark;
pub use verdict::LogVerdict;
pub use verify::{LogDamage, LogEnding, LogReport, LogVoucher, verify_log};
pub use writer::{Journal, PostedEvent};
