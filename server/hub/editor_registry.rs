//! The registry of attached editors, and the subscribers of changes.

use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use parking_lot::RwLock;
use tokio::sync::broadcast;

use crate::base::ProposalId;
use crate::ports::{DocumentEdit, Editor, FileRename, NoEditor};
use crate::protocol::{
    AskParams, CallNotice, Code, DiagnosticsAnswer, DiagnosticsParams, EditorNotice, Fault, Unanswered,
};

/// Changes that a slow subscriber may fall behind by, before it is only notified of its lag.
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
    /// The set of open files changed.
    WorkingSet,
    /// The tools are others.
    Tools,
}

/// The attached editors, of which there may be none: editors come and go while agents work. Every notice goes to each
/// of them and to the subscribers; a request that only one can answer goes to the one that came last.
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
    pub fn add_editor(&self, editor: Arc<dyn Editor>) {
        self.editors.write().push(editor);
    }

    /// An editor left: the one that came before it is asked again.
    pub fn remove_editor(&self, editor: &Arc<dyn Editor>) {
        let mut present = self.editors.write();
        present.retain(|other| !Arc::ptr_eq(other, editor));
    }

    /// Returns whether no editor is there.
    pub fn is_empty(&self) -> bool {
        self.editors.read().iter().all(|editor| !editor.attached())
    }

    /// Subscribes to every change from now on.
    pub fn subscribe_changes(&self) -> broadcast::Receiver<HubChange> {
        self.changes.subscribe()
    }

    /// Notifies the subscribers.
    pub fn notify_change(&self, change: HubChange) {
        // Having no subscriber is the common case.
        let _ = self.changes.send(change);
    }

    /// The editor to ask, where there is one.
    fn latest_editor(&self) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let latest = present.iter().rfind(|editor| editor.attached());
        latest.cloned().unwrap_or_else(|| Arc::new(NoEditor))
    }

    /// The editor to ask for something of a document: of those that have documents the one that came last.
    fn document_editor(&self) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let latest = present.iter().rfind(|editor| editor.attached() && editor.edits());
        latest.cloned().unwrap_or_else(|| self.latest_editor())
    }

    /// The editor to ask for an edit: the one that has the document open in that version, else the one to ask for
    /// documents.
    fn holder_of(&self, edit: &DocumentEdit) -> Arc<dyn Editor> {
        let present = self.editors.read();
        let holder = present.iter().rfind(|editor| editor.edits() && editor.holds(&edit.uri, edit.version));
        holder.cloned().unwrap_or_else(|| {
            drop(present);
            self.document_editor()
        })
    }

    fn for_each_editor(&self, tell: impl Fn(&dyn Editor)) {
        let present = self.editors.read();
        present.iter().for_each(|editor| tell(&**editor));
    }

    fn has_audience(&self) -> bool {
        self.changes.receiver_count() > 0
    }
}

impl Editor for EditorRegistry {
    fn attached(&self) -> bool {
        !self.is_empty()
    }

    fn name(&self) -> Option<String> {
        self.latest_editor().name()
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        let editor = self.holder_of(&edit);
        Box::pin(async move { editor.apply(edit).await })
    }

    fn renames(&self) -> bool {
        self.document_editor().renames()
    }

    fn rename(&self, rename: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        let editor = self.document_editor();
        Box::pin(async move { editor.rename(rename).await })
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        let editor = self.latest_editor();
        Box::pin(async move { editor.ask(question).await })
    }

    /// Asks every editor: each has language servers of its own. One editor that answers is enough.
    fn diagnostics(&self, asked: DiagnosticsParams) -> BoxFuture<'_, Result<DiagnosticsAnswer, Fault>> {
        let editors = self.editors.read().clone();
        Box::pin(async move {
            let present = editors.iter().filter(|editor| editor.attached() && editor.edits());
            let answers = join_all(present.map(|editor| editor.diagnostics(asked.clone()))).await;
            merge_diagnostics(answers)
                .unwrap_or_else(|| Err(Fault::new(Code::Unsupported, "no editor has the folder open")))
        })
    }

    fn tell(&self, notice: EditorNotice) {
        if self.has_audience() {
            let change = match &notice {
                EditorNotice::Call(_) | EditorNotice::Finish(_) => Some(HubChange::Log),
                EditorNotice::Proposed(proposal) => Some(HubChange::Proposed(proposal.id.clone())),
                EditorNotice::Changed(proposal) => Some(HubChange::Decided(proposal.id.clone())),
                EditorNotice::WorkingSet => Some(HubChange::WorkingSet),
                EditorNotice::Background(_)
                | EditorNotice::HeldElsewhere
                | EditorNotice::Trouble(_)
                | EditorNotice::Removed(_)
                | EditorNotice::Agent(_)
                | EditorNotice::Command(_) => None,
            };
            change.into_iter().for_each(|change| self.notify_change(change));
        }
        self.for_each_editor(|editor| editor.tell(notice.clone()));
    }

    fn shows_commands(&self) -> bool {
        self.editors.read().iter().any(|editor| editor.shows_commands())
    }

    fn tell_call(&self, writes: bool, notice: &dyn Fn() -> CallNotice) {
        if self.has_audience() {
            self.notify_change(HubChange::Log);
        }
        self.for_each_editor(|editor| editor.tell_call(writes, notice));
    }
}

/// Merges the answers of several editors: each document has the diagnostics of all of them; an error if none answered.
/// Nothing where no editor was asked.
fn merge_diagnostics(
    answers: Vec<Result<DiagnosticsAnswer, Fault>>,
) -> Option<Result<DiagnosticsAnswer, Fault>> {
    let mut merged: Option<Result<DiagnosticsAnswer, Fault>> = None;
    for answer in answers {
        match (&mut merged, answer) {
            (Some(Ok(all)), Ok(answer)) => all.merge(answer),
            (Some(Ok(_)), Err(_)) => {}
            (_, answer) => merged = Some(answer),
        }
    }
    merged
}

impl fmt::Debug for EditorRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorRegistry").field("attached", &self.attached()).finish_non_exhaustive()
    }
}
