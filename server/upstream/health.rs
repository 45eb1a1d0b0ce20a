//! What went wrong with a connection, as far as it is known: said in the fault of the calls it takes with it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::process::StderrTail;
use super::remote::cut;
use crate::base::hidden::shown;

/// Bytes of what is no message that are shown.
const SHOWN: usize = 120;

/// How a connection is.
#[derive(Debug, Default)]
pub(super) struct Health {
    end: Mutex<Option<String>>,
    rubbish: Mutex<Option<String>>,
    words: OnceLock<Arc<StderrTail>>,
}

impl Health {
    /// Where the last words of its process are kept.
    pub(super) fn listen(&self, words: Arc<StderrTail>) {
        let _ = self.words.set(words);
    }

    /// Why it ended; the first reason counts.
    pub(super) fn ended(&self, why: impl Into<String>) {
        self.end.lock().get_or_insert(why.into());
    }

    /// What it sent instead of a message; the first is remembered.
    pub(super) fn rubbish(&self, line: &[u8]) {
        let mut rubbish = self.rubbish.lock();
        if rubbish.is_none() {
            let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN * 2)]);
            *rubbish = Some(cut(&shown(text.trim()), SHOWN));
        }
    }

    /// All that is known, in a few words; nothing where nothing is.
    pub(super) fn said(&self) -> Option<String> {
        let end = self.end.lock().clone();
        let rubbish = self.rubbish.lock().clone();
        let rubbish = rubbish.map(|text| format!("it wrote what is no message: {text:?}"));
        let words = self.words.get().and_then(|words| words.last());
        let words = words.map(|text| format!("its last words: {text:?}"));
        let all: Vec<String> = [end, rubbish, words].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}
