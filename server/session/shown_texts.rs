//! Texts lately shown to callers, by hash: what a stale hash is compared with.

use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of text remembered at most.
const MOST: usize = 4 << 20;

/// Bytes of the largest text remembered.
const LARGEST: usize = 256 << 10;

/// The texts, newest first.
#[derive(Debug, Default)]
pub(super) struct ShownTexts {
    texts: VecDeque<(String, Arc<str>)>,
    bytes: usize,
}

impl ShownTexts {
    /// Remembers a text. One that is remembered already costs nothing.
    pub(super) fn add_text(&mut self, hash: &str, text: &str) {
        if text.len() > LARGEST || self.texts.iter().take(64).any(|(seen, _)| seen == hash) {
            return;
        }
        self.bytes += text.len();
        self.texts.push_front((hash.to_owned(), text.into()));
        while self.bytes > MOST {
            let Some((_, gone)) = self.texts.pop_back() else { return };
            self.bytes -= gone.len();
        }
    }

    /// The text of that hash, where it is remembered.
    pub(super) fn get(&self, hash: &str) -> Option<Arc<str>> {
        self.texts.iter().find(|(seen, _)| seen == hash).map(|(_, text)| text.clone())
    }
}
