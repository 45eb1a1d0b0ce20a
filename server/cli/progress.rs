//! How far something is that takes a while, on standard error: a line that counts up at a terminal, else two.

use std::io::{IsTerminal, Write};

use super::print::visible;

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    told: bool,
    ended: bool,
}

impl Progress {
    /// Tells how far it is; whether that is its end.
    pub(super) fn tell(&mut self, how_far: &str, is_end: bool) {
        let text = format!("wherefore: {}", visible(how_far));
        let mut stderr = std::io::stderr().lock();
        // That nobody reads it is no reason to stop.
        let _ = match stderr.is_terminal() {
            true => write!(stderr, "\r{text}{}", if is_end { "\n" } else { "" }),
            false if !self.told || is_end => writeln!(stderr, "{text}"),
            false => Ok(()),
        };
        (self.told, self.ended) = (true, is_end);
    }

    /// Whether it was told, and not its end.
    pub(super) fn is_open(&self) -> bool {
        self.told && !self.ended
    }
}
