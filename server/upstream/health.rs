//! The health of a connection: its known errors appear in the fault of the calls that fail with it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::process::StderrTail;
use super::remote::cut_text;
use crate::base::hidden::escape_hidden;

/// Bytes of what is no message that are shown.
const SHOWN_BYTES: usize = 120;

/// The health of a connection.
#[derive(Debug, Default)]
pub(super) struct ConnectionHealth {
    end: Mutex<Option<String>>,
    rubbish: Mutex<Option<String>>,
    words: OnceLock<Arc<StderrTail>>,
}

impl ConnectionHealth {
    /// Sets the tail of its process's standard error.
    pub(super) fn set_words(&self, words: Arc<StderrTail>) {
        let _ = self.words.set(words);
    }

    /// Records the reason why it ended; the first reason counts.
    pub(super) fn note_end(&self, why: impl Into<String>) {
        self.end.lock().get_or_insert(why.into());
    }

    /// Notes the first line that is no message.
    pub(super) fn note_rubbish(&self, line: &[u8]) {
        let mut rubbish = self.rubbish.lock();
        if rubbish.is_none() {
            let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN_BYTES * 2)]);
            *rubbish = Some(cut_text(&escape_hidden(text.trim()), SHOWN_BYTES));
        }
    }

    /// All that is known, in a few words; nothing where nothing is.
    pub(super) fn describe_end(&self) -> Option<String> {
        let end = self.end.lock().clone();
        let rubbish = self.rubbish.lock().clone();
        let rubbish = rubbish.map(|text| format!("it wrote what is no message: {text:?}"));
        let words = self.words.get().and_then(|words| words.last_words());
        let words = words.map(|text| format!("its last words: {text:?}"));
        let all: Vec<String> = [end, rubbish, words].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}
