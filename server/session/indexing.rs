//! Tells the editor how far the index is, where it takes long enough to be seen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::index::lexical::keeper::Report;
use crate::index::lexical::update::Trouble;
use crate::ports::Editor;
use crate::protocol::{Background, Notice};

/// How long it is built before that is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far one build is.
#[derive(Debug)]
pub(super) struct Indexing {
    editor: Arc<dyn Editor>,
    root: String,
    began: Instant,
    /// The percentage that was told last.
    told: Option<usize>,
}

impl Indexing {
    pub(super) fn new(editor: Arc<dyn Editor>, root: &str) -> Self {
        Self { editor, root: root.to_owned(), began: Instant::now(), told: None }
    }

    fn tell(&self, done: usize, total: usize) {
        let notice = Background { what: "index", root: self.root.clone(), done, total };
        self.editor.tell(Notice::Background(notice));
    }

    /// Says that it is over, where it was said that it goes on.
    fn end(&mut self) {
        if self.told.take().is_some() {
            self.tell(0, 0);
        }
    }
}

impl Report for Indexing {
    fn progress(&mut self, done: usize, total: usize) {
        if done >= total {
            return self.end();
        }
        if done == 0 {
            self.began = Instant::now();
        }
        let percentage = Some(done * 100 / total);
        if self.told != percentage && self.began.elapsed() >= PATIENCE {
            self.told = percentage;
            self.tell(done, total);
        }
    }

    fn trouble(&mut self, trouble: &Trouble) {
        tracing::warn!("{trouble}");
        self.end();
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        self.end();
    }
}
