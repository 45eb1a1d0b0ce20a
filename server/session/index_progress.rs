//! Notifies the editor of the progress of the index, where it takes long enough to be seen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::index::lexical::keeper::KeeperReport;
use crate::index::lexical::update::UpdateError;
use crate::ports::Editor;
use crate::protocol::{BackgroundWork, EditorNotice};

/// The time that it is built before that is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// The reason why the index is not kept, as a sentence, as long as that is so.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexProblem(Arc<Mutex<Option<String>>>);

impl IndexProblem {
    pub(super) fn set_problem(&self, problem: Option<String>) {
        if let Some(problem) = &problem {
            tracing::warn!("{problem}");
        }
        *self.0.lock() = problem;
    }

    pub(super) fn current_problem(&self) -> Option<String> {
        self.0.lock().clone()
    }
}

/// The progress of one build of the index.
#[derive(Debug)]
pub(super) struct IndexProgress {
    editor: Arc<dyn Editor>,
    root: String,
    began: Instant,
    /// The percentage that was reported last.
    reported: Option<usize>,
    problem: IndexProblem,
}

impl IndexProgress {
    pub(super) fn new(editor: Arc<dyn Editor>, root: &str, problem: IndexProblem) -> Self {
        Self { editor, root: root.to_owned(), began: Instant::now(), reported: None, problem }
    }

    fn notify_progress(&self, done: usize, total: usize) {
        let notice = BackgroundWork { what: "index", root: self.root.clone(), done, total };
        self.editor.tell(EditorNotice::Background(notice));
    }

    /// Reports the end, where progress was reported.
    fn notify_end(&mut self) {
        if self.reported.take().is_some() {
            self.notify_progress(0, 0);
        }
    }
}

impl KeeperReport for IndexProgress {
    fn progress(&mut self, done: usize, total: usize) {
        if done >= total {
            self.problem.set_problem(None);
            return self.notify_end();
        }
        if done == 0 {
            self.began = Instant::now();
        }
        let percentage = Some(done * 100 / total);
        if self.reported != percentage && self.began.elapsed() >= PATIENCE {
            self.reported = percentage;
            self.notify_progress(done, total);
        }
    }

    fn trouble(&mut self, trouble: &UpdateError) {
        self.problem.set_problem(Some(trouble.to_string()));
        self.notify_end();
    }
}

impl Drop for IndexProgress {
    fn drop(&mut self) {
        self.notify_end();
    }
}
