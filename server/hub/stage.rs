//! Who watches: the editor that is attached just now, and whoever listens for changes.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use futures::future::BoxFuture;
use tokio::sync::broadcast;

use crate::ports::{DocumentEdit, Editor, NoEditor};
use crate::protocol::{AskParams, CallNotice, Notice};

/// Changes that a slow listener may fall behind by, before it is told only that it did.
const KEPT: usize = 256;

/// Something that a listener may want to read again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A session log grew.
    Log,
    /// A proposal arrived: its id.
    Proposed(String),
    /// A proposal's hunks moved or were decided: its id.
    Decided(String),
    /// Another file is open, or one less.
    WorkingSet,
    /// The tools are others.
    Tools,
}

/// The editor's place, which may be empty: editors come and go while agents work. Whatever happens is told to the
/// editor in it and to those who listen.
pub struct Stage {
    editor: RwLock<Arc<dyn Editor>>,
    changes: broadcast::Sender<Change>,
}

impl Stage {
    /// A stage with this editor in place.
    pub fn new(editor: Arc<dyn Editor>) -> Self {
        Self { editor: RwLock::new(editor), changes: broadcast::Sender::new(KEPT) }
    }

    /// Puts an editor in place of the one there.
    pub fn enter(&self, editor: Arc<dyn Editor>) {
        *self.editor.write().unwrap_or_else(PoisonError::into_inner) = editor;
    }

    /// Takes the editor away, if it is still that one.
    pub fn leave(&self, editor: &Arc<dyn Editor>) {
        let mut present = self.editor.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&present, editor) {
            *present = Arc::new(NoEditor);
        }
    }

    /// Hears of every change from now on.
    pub fn listen(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Tells those who listen.
    pub fn changed(&self, change: Change) {
        // That nobody listens is the common case.
        let _ = self.changes.send(change);
    }

    fn editor(&self) -> Arc<dyn Editor> {
        self.editor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_heard(&self) -> bool {
        self.changes.receiver_count() > 0
    }
}

impl Editor for Stage {
    fn attached(&self) -> bool {
        self.editor().attached()
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        let editor = self.editor();
        Box::pin(async move { editor.apply(edit).await })
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Option<String>> {
        let editor = self.editor();
        Box::pin(async move { editor.ask(question).await })
    }

    fn tell(&self, notice: Notice) {
        if self.is_heard() {
            self.changed(match &notice {
                Notice::Call(_) | Notice::Finish(_) => Change::Log,
                Notice::Proposed(proposal) => Change::Proposed(proposal.id.clone()),
                Notice::Changed(proposal) => Change::Decided(proposal.id.clone()),
                Notice::WorkingSet => Change::WorkingSet,
            });
        }
        self.editor().tell(notice);
    }

    fn tell_call(&self, notice: &dyn Fn() -> CallNotice) {
        if self.is_heard() {
            self.changed(Change::Log);
        }
        self.editor().tell_call(notice);
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("attached", &self.attached()).finish_non_exhaustive()
    }
}
