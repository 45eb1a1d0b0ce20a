//! How long an answer may take and how large it may be.

use std::time::Duration;

/// What an answer is held to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Nothing comes for that long.
    pub(crate) idle: Duration,
    /// Bytes of one line of the stream.
    pub(crate) line: usize,
    /// Bytes of the whole stream.
    pub(crate) stream: usize,
    /// Bytes of the arguments of one call.
    pub(crate) arguments: usize,
    /// Bytes of the thinking.
    pub(crate) thinking: usize,
    /// Bytes of the text.
    pub(crate) text: usize,
    /// How often a request is made.
    pub(crate) tries: u32,
    /// The pause before the second try; each further one is twice as long.
    pub(crate) pause: Duration,
    /// How long all pauses together may last.
    pub(crate) patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
            line: 4 << 20,
            stream: 64 << 20,
            arguments: 4 << 20,
            thinking: 4 << 20,
            text: 4 << 20,
            tries: 4,
            pause: Duration::from_millis(500),
            patience: Duration::from_secs(60),
        }
    }
}
