//! Who watches: the editors that are attached just now, and whoever listens for changes.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::RwLock;
use tokio::sync::broadcast;

use crate::base::ProposalId;
use crate::ports::{DocumentEdit, Editor, FileRename, NoEditor};
use crate::protocol::{AskParams, CallNotice, LookAnswer, LookParams, Notice};

/// Changes that a slow listener may fall behind by, before it is told only that it did.
const KEPT: usize = 256;

/// Something that a listener may want to read again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HubChange {
    /// A session log grew.
    Log,
    /// A proposal arrived: its id.
    Proposed(ProposalId),
    /// A proposal's hunks moved or were decided: its id.
    Decided(ProposalId),
    /// Another file is open, or one less.
    WorkingSet,
    /// The person selected something else.
    Selection,
    /// The tools are others.
    Tools,
}

/// The editors that are attached, which may be none: editors come and go while agents work. Whatever happens is told to each
/// of them and to those who listen; what only one can do is asked of the one that came last.
pub struct EditorRegistry {
    /// In the order in which they came.
    editors: RwLock<Vec<Arc<dyn Editor>>>,
    changes: broadcast::Sender<HubChange>,
}

impl EditorRegistry {
    /// A registry with this editor in it.
    pub fn new(editor: Arc<dyn Editor>) -> Self {
        Self { editors: RwLock::new(vec![editor]), changes: broadcast::Sender::new(KEPT) }
    }

    /// An editor came: it is the one that is asked from now on.
    pub fn enter(&self, editor: Arc<dyn Editor>) {
        self.editors.write().push(editor);
    }

    /// An editor left: the one that came before it is asked again.
    pub fn leave(&self, editor: &Arc<dyn Editor>) {
        let mut present = self.editors.write();
        present.retain(|other| !Arc::ptr_eq(other, editor));
    }

    /// Whether no editor is there.
    pub fn is_empty(&self) -> bool {
        self.editors.read().iter().all(|editor| !editor.attached())
    }

    /// Hears of every change from now on.
    pub fn listen(&self) -> broadcast::Receiver<HubChange> {
        self.changes.subscribe()
    }

    /// Tells those who listen.
    pub fn changed(&self, change: HubChange) {
        // That nobody listens is the common case.
        let _ = self.changes.send(change);
    }

    /// The editor to ask, where there is one.
    fn editor(&self) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let latest = present.iter().rfind(|editor| editor.attached());
        latest.cloned().unwrap_or_else(|| Arc::new(NoEditor))
    }

    /// The editor to ask for something of a document: of those that have documents the one that came last.
    fn document_editor(&self) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let latest = present.iter().rfind(|editor| editor.attached() && editor.edits());
        latest.cloned().unwrap_or_else(|| self.editor())
    }

    /// The editor to ask for an edit: the one that has the document open in that version, else the one to ask for
    /// documents.
    fn holder(&self, edit: &DocumentEdit) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let holder = present.iter().rfind(|editor| editor.edits() && editor.holds(&edit.uri, edit.version));
        holder.cloned().unwrap_or_else(|| {
            drop(present);
            self.document_editor()
        })
    }

    fn each(&self, tell: impl Fn(&dyn Editor)) {
        let present = self.editors.read();
        present.iter().for_each(|editor| tell(&**editor));
    }

    fn is_heard(&self) -> bool {
        self.changes.receiver_count() > 0
    }
}

impl Editor for EditorRegistry {
    fn attached(&self) -> bool {
        !self.is_empty()
    }

    fn name(&self) -> Option<String> {
        self.editor().name()
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        let editor = self.holder(&edit);
        Box::pin(async move { editor.apply(edit).await })
    }

    fn renames(&self) -> bool {
        self.document_editor().renames()
    }

    fn rename(&self, rename: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        let editor = self.document_editor();
        Box::pin(async move { editor.rename(rename).await })
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Option<String>> {
        let editor = self.editor();
        Box::pin(async move { editor.ask(question).await })
    }

    fn look(&self, what: LookParams) -> BoxFuture<'_, Option<LookAnswer>> {
        let editor = self.document_editor();
        Box::pin(async move { editor.look(what).await })
    }

    fn save(&self, uri: String) -> BoxFuture<'_, bool> {
        let editor = self.document_editor();
        Box::pin(async move { editor.save(uri).await })
    }

    fn open(&self, uri: String) -> BoxFuture<'_, bool> {
        let editor = self.document_editor();
        Box::pin(async move { editor.open(uri).await })
    }

    fn tell(&self, notice: Notice) {
        if self.is_heard() {
            let change = match &notice {
                Notice::Call(_) | Notice::Finish(_) => Some(HubChange::Log),
                Notice::Proposed(proposal) => Some(HubChange::Proposed(proposal.id.clone())),
                Notice::Changed(proposal) => Some(HubChange::Decided(proposal.id.clone())),
                Notice::WorkingSet => Some(HubChange::WorkingSet),
                Notice::Background(_)
                | Notice::Trouble(_)
                | Notice::Removed(_)
                | Notice::Slot(_)
                | Notice::Agent(_)
                | Notice::Command(_) => None,
            };
            change.into_iter().for_each(|change| self.changed(change));
        }
        self.each(|editor| editor.tell(notice.clone()));
    }

    fn shows_commands(&self) -> bool {
        self.editors.read().iter().any(|editor| editor.shows_commands())
    }

    fn tell_call(&self, notice: &dyn Fn() -> CallNotice) {
        if self.is_heard() {
            self.changed(HubChange::Log);
        }
        self.each(|editor| editor.tell_call(notice));
    }
}

impl fmt::Debug for EditorRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorRegistry").field("attached", &self.attached()).finish_non_exhaustive()
    }
}
