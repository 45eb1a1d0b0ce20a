//! Ids of calls, sessions and proposals.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of one kind, `PREFIX-0001` and up, unique in their session.
#[derive(Debug)]
pub struct Counter {
    prefix: &'static str,
    next: AtomicU64,
}

impl Counter {
    /// Starts after `last`.
    pub fn after(prefix: &'static str, last: u64) -> Self {
        Self { prefix, next: AtomicU64::new(last + 1) }
    }

    /// The next id.
    pub fn next(&self) -> String {
        format!("{}-{:04}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// A word of eight digits that no other process picks at the same moment: from the clock, the process id
/// and a count. It is unique, not secret.
pub fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now().as_nanosecond();
    let seed = (now, std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let mut word = super::hash::short(format!("{seed:?}").as_bytes());
    word.truncate(8);
    word
}
