//! A call's draft becomes a proposal: its paths are resolved in the workspace, its changes are cut into hunks, and those who
//! review are notified.

use std::sync::Arc;

use super::desktop_notice;
use super::follow_disk::DiskFollower;
use super::proposal_report;
use super::store::ProposalStore;
use crate::base::{ProposalId, WorkspacePath, ids::unique_word};
use crate::protocol::{EditorNotice, Event, Fault, HunkState, Origin, Policy, Proposal};
use crate::registry::{CallDraft, CheckedCall};
use crate::review::{
    DraftPlaces, LifecycleEffect, LifecycleEvent, QueuedProposal, ReviewEvent, cut_draft, proposal_command,
};
use crate::session::WorkspaceSession;
use crate::workspace::WorkspaceFiles;

/// A call whose proposal is remembered until this is dropped: it still has to answer.
#[derive(Debug)]
pub struct OpenCall<'a> {
    store: &'a ProposalStore,
    id: ProposalId,
}

impl OpenCall<'_> {
    /// Its proposal's id.
    pub fn id(&self) -> &ProposalId {
        &self.id
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.store.advance_call(&self.id, LifecycleEvent::CallEnded) == Some(LifecycleEffect::Forget) {
            self.store.forget_past();
        }
    }
}

/// The intake of drafts: it makes a proposal of each.
#[derive(Debug)]
pub struct DraftIntake {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    disk: Arc<DiskFollower>,
}

impl DraftIntake {
    /// The intake of a session.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        disk: Arc<DiskFollower>,
    ) -> Self {
        Self { session, store, disk }
    }

    /// Puts a call's draft in the queue. A change that the policy `auto` applies at once is not up for review before
    /// that; any other is shown, pending.
    ///
    /// # Errors
    /// The error that keeps it from being logged or kept; QUOTA_EXCEEDED where too many wait already.
    pub fn submit_draft(
        &self,
        call: &CheckedCall,
        draft: CallDraft,
        policy: Policy,
    ) -> Result<OpenCall<'_>, Fault> {
        let item = cut_new(&self.session, call, draft, policy)?;
        let proposal = item.proposal().clone();
        let id = proposal.id.clone();
        let diffs = proposal
            .files
            .iter()
            .zip(item.views())
            .map(|(file, view)| proposal_report::file_diff(file, view));
        let event = Event::Proposal {
            proposal: id.clone(),
            call_id: proposal.call_id.clone(),
            policy,
            files: diffs.collect(),
            hunks: proposal_report::hunk_decisions(&proposal, |_| true),
        };
        self.store.admit_item(item)?;
        self.supersede_stale(&proposal);
        let open = OpenCall { store: &self.store, id: id.clone() };
        let written =
            self.store.log().write_unlogged().and_then(|()| Ok(self.session.log().write_event(event)?));
        let done = written.and_then(|_| self.store.store_proposal(&id));
        if let Err(fault) = done {
            self.store.items().remove(&id);
            return Err(fault);
        }
        if self.store.advance_call(&id, LifecycleEvent::Logged(policy)) == Some(LifecycleEffect::Announce) {
            self.session.memory().update_proposal(&proposal);
            let paths: Vec<WorkspacePath> = proposal.files.iter().map(|file| file.path.clone()).collect();
            self.notify_desktop(&proposal);
            self.session.editor().tell(EditorNotice::Proposed(proposal));
            // A change between the agent's read and now was reported before the hunks were here.
            self.disk.look_soon(paths);
        }
        Ok(open)
    }

    /// An agent that proposes a change to a file anew has heard which of its hunks there went stale: they do not come back
    /// beside the new ones.
    fn supersede_stale(&self, proposal: &Proposal) {
        let mut items = self.store.items();
        let is_same_agent = |origin: &Origin| {
            (origin.door, &origin.agent, &origin.session)
                == (proposal.origin.door, &proposal.origin.agent, &proposal.origin.session)
        };
        let has_stale = |other: &Proposal| other.hunks().any(|hunk| hunk.state == HunkState::Stale);
        for file in &proposal.files {
            let others = items
                .items_at(&file.path)
                .filter(|item| has_stale(item.proposal()) && is_same_agent(&item.proposal().origin));
            let others: Vec<ProposalId> = others.map(|item| item.proposal().id.clone()).collect();
            for id in others {
                items.apply_event(&id, ReviewEvent::Superseded(&file.path));
            }
        }
    }

    /// Notifies the person by their desktop that a proposal waits, where they want that and no editor shows it.
    fn notify_desktop(&self, proposal: &Proposal) {
        let workspace = self.session.workspace();
        let is_wanted = workspace.governance().settings().notify.desktop;
        if is_wanted && !self.session.editor().attached() {
            desktop_notice::notify_waiting(proposal, workspace.root());
        }
    }
}

/// The workspace of a session, as its drafts are cut.
struct SessionPlaces<'s> {
    session: &'s WorkspaceSession,
    files: WorkspaceFiles,
}

impl DraftPlaces for SessionPlaces<'_> {
    fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault> {
        Ok(self.session.workspace().store().root().resolve_entry(path)?)
    }

    fn resolve_file(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault> {
        Ok(self.session.workspace().store().root().resolve_path(path)?)
    }

    fn change_warning(&self, path: &WorkspacePath) -> Option<&'static str> {
        let is_read_only = || self.files.stat(path).ok().flatten().is_some_and(|stat| stat.is_read_only());
        let by_rule = self.files.paths().rules().paths().change_warning(path);
        by_rule.or_else(|| is_read_only().then_some("its file is read-only"))
    }

    fn uri(&self, path: &WorkspacePath) -> String {
        self.session.workspace().uri(path)
    }

    fn document_version(&self, path: &WorkspacePath) -> Option<i32> {
        self.session.files().document_at(path).map(|document| document.version)
    }
}

/// Cuts a call's draft into a new proposal.
///
/// # Errors
/// The error of a path that cannot be resolved, or of a log that cannot be opened.
fn cut_new(
    session: &WorkspaceSession,
    call: &CheckedCall,
    draft: CallDraft,
    policy: Policy,
) -> Result<QueuedProposal, Fault> {
    let proposal = Proposal {
        id: format!("p-{}", unique_word()).into(),
        call_id: call.id().clone(),
        session: session.log().journal()?.session().to_owned(),
        tool: call.tool().name().to_owned(),
        why: call.why().as_str().to_owned(),
        origin: call.origin().clone(),
        created: session.now(),
        command: proposal_command(call.args(), &draft.notes),
        files: Vec::new(),
    };
    cut_draft(proposal, draft, policy, &SessionPlaces { session, files: session.files().unasked_files() })
}
