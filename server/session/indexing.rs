//! Tells the editor how far the index is, where it takes long enough to be seen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::index::lexical::keeper::Report;
use crate::index::lexical::update::Trouble;
use crate::ports::Editor;
use crate::protocol::{Background, Notice};

/// How long it is built before that is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Why the index is not kept, as a sentence, as long as that is so.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexProblem(Arc<Mutex<Option<String>>>);

impl IndexProblem {
    pub(super) fn set(&self, problem: Option<String>) {
        if let Some(problem) = &problem {
            tracing::warn!("{problem}");
        }
        *self.0.lock() = problem;
    }

    pub(super) fn said(&self) -> Option<String> {
        self.0.lock().clone()
    }
}

/// How far one build is.
#[derive(Debug)]
pub(super) struct Indexing {
    editor: Arc<dyn Editor>,
    root: String,
    began: Instant,
    /// The percentage that was told last.
    told: Option<usize>,
    problem: IndexProblem,
}

impl Indexing {
    pub(super) fn new(editor: Arc<dyn Editor>, root: &str, problem: IndexProblem) -> Self {
        Self { editor, root: root.to_owned(), began: Instant::now(), told: None, problem }
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
            self.problem.set(None);
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
        self.problem.set(Some(trouble.to_string()));
        self.end();
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        self.end();
    }
}
