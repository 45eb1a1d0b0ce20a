//! The limits on the time and the size of an answer.

use std::time::Duration;

/// The limits of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerBounds {
    /// The longest time without any data.
    pub(crate) idle: Duration,
    /// The factor by which the time may be longer with nothing but signs of life: comments, empty lines, events of no
    /// content. A server whose requests queue, or that reads a long prompt, sends them for minutes.
    pub(crate) lively: u32,
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
    /// The highest number of tries of a request.
    pub(crate) tries: u32,
    /// The pause before the second try; each further one is twice as long.
    pub(crate) pause: Duration,
    /// The longest time of all pauses together.
    pub(crate) patience: Duration,
}

impl Default for AnswerBounds {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
            lively: 4,
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
