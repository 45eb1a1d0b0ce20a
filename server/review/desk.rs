//! What waits for a decision, kept in memory and beside the log, and the waiting for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::place::{self, Followed};
use super::{apply, cut, report};
use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::journal::Journal;
use crate::protocol::{
    ChangeKind, Delivery, Door, Event, Fault, Hunk, HunkState, Notice, Origin, Policy, Proposal,
    ProposalState, ProposalsParams, ProposedFile,
};
use crate::registry::{Call, Draft};
use crate::session::Session;

const FOLDER: &str = "proposals";

/// How many decided proposals are kept in memory, so that their hunks can still be taken back one by one.
const KEPT: usize = 200;

/// The text that a file's hunks are placed in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// The text; none where there is no file, or no text to show.
    pub text: Option<String>,
    /// How its bytes are written.
    pub encoding: Option<Encoding>,
}

/// A proposal with what the desk knows of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    /// The proposal as everyone sees it.
    pub proposal: Proposal,
    /// The policy it fell under.
    pub policy: Policy,
    /// The text of each file, in the proposal's order.
    pub views: Vec<View>,
    /// What its answer says beside the hunks' fate.
    pub notes: Map<String, Value>,
    /// Whether its call was answered `pending`.
    pub answered: bool,
    /// Whether its agent was told the outcome.
    pub delivered: bool,
    /// Whether it stands in our folder.
    #[serde(skip)]
    pub stored: bool,
}

/// The proposals of a workspace.
#[derive(Debug)]
pub struct Desk {
    pub(super) session: Arc<Session>,
    items: Mutex<BTreeMap<String, Item>>,
    /// Held while a decision is carried out: one at a time.
    pub(super) deciding: tokio::sync::Mutex<()>,
    /// Files whose text changes because a decision is carried out, not because a person types.
    placing: Mutex<BTreeSet<WorkspacePath>>,
    changed: watch::Sender<u64>,
    undone: Mutex<Vec<(String, Delivery)>>,
}

impl Desk {
    /// The desk of a session, with what earlier processes left on it.
    pub fn open(session: Arc<Session>) -> Self {
        let mut items = BTreeMap::new();
        for name in session.store().list(FOLDER).unwrap_or_default() {
            let bytes = session.store().read(&format!("{FOLDER}/{name}")).ok().flatten();
            if let Some(mut item) = bytes.and_then(|bytes| serde_json::from_slice::<Item>(&bytes).ok()) {
                // Whoever waited for it is gone with the process that asked.
                (item.answered, item.stored) = (true, true);
                session.memory().stands(&item.proposal);
                items.insert(item.proposal.id.clone(), item);
            }
        }
        Self {
            session,
            items: Mutex::new(items),
            deciding: tokio::sync::Mutex::default(),
            placing: Mutex::default(),
            changed: watch::Sender::new(0),
            undone: Mutex::default(),
        }
    }

    pub(super) fn items(&self) -> MutexGuard<'_, BTreeMap<String, Item>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a call's draft on the desk and shows it, pending.
    ///
    /// # Errors
    /// What keeps it from being logged or kept.
    pub fn submit(&self, call: &Call, draft: Draft, policy: Policy) -> Result<Proposal, Fault> {
        let mut item = cut::cut(&self.session, call, draft, policy)?;
        let proposal = item.proposal.clone();
        self.session.write(Event::Proposal {
            proposal: proposal.id.clone(),
            call_id: proposal.call_id.clone(),
            policy,
            files: item
                .proposal
                .files
                .iter()
                .zip(&item.views)
                .map(|(file, view)| report::diff(file, view))
                .collect(),
            hunks: report::decisions(&proposal, |_| true),
        })?;
        // What is applied at once needs no place to wait in.
        if policy != Policy::Auto {
            self.store(&mut item)?;
        }
        self.items().insert(proposal.id.clone(), item);
        self.session.memory().stands(&proposal);
        if policy != Policy::Auto {
            self.session.editor().tell(Notice::Proposed(proposal.clone()));
        }
        Ok(proposal)
    }

    fn store(&self, item: &mut Item) -> Result<(), Fault> {
        let json = serde_json::to_vec(item).map_err(|error| Fault::internal(error.to_string()))?;
        self.session.store().write(&format!("{FOLDER}/{}.json", item.proposal.id), &json)?;
        item.stored = true;
        Ok(())
    }

    /// Keeps an item as it is now, tells the editor and wakes who waits. One that is decided and told to its
    /// agent leaves our folder.
    pub(super) fn update(&self, id: &str) -> Result<(), Fault> {
        let mut items = self.items();
        let Some(item) = items.get_mut(id) else { return Ok(()) };
        let proposal = item.proposal.clone();
        let over = proposal.state() != ProposalState::Pending && (!item.answered || item.delivered);
        let kept = match (over, item.stored) {
            (true, true) => {
                item.stored = false;
                self.session.store().remove(&format!("{FOLDER}/{id}.json")).map(drop)
            }
            (true, false) => Ok(()),
            (false, _) => self.store(item),
        };
        let mut decided: Vec<(String, String)> = items
            .values()
            .filter(|item| !item.stored && item.proposal.state() != ProposalState::Pending)
            .map(|item| (item.proposal.created.clone(), item.proposal.id.clone()))
            .collect();
        decided.sort_unstable();
        let over = decided.len().saturating_sub(KEPT);
        // The call of the one just decided still has to tell of it.
        for (_, oldest) in decided.into_iter().take(over).filter(|(_, oldest)| oldest != id) {
            items.remove(&oldest);
        }
        // Before anybody else changes it: what is told last is how it stands.
        self.session.memory().stands(&proposal);
        drop(items);
        self.session.editor().tell(Notice::Changed(proposal));
        self.changed.send_modify(|count| *count += 1);
        kept
    }

    /// One proposal.
    pub fn get(&self, id: &str) -> Option<Item> {
        self.items().get(id).cloned()
    }

    /// The proposals asked for, oldest first.
    pub fn list(&self, params: &ProposalsParams) -> Vec<Proposal> {
        self.refresh(params.applied || params.all);
        let open = self.session.opened_journal().map_or("", Journal::session);
        let wanted = |proposal: &Proposal| {
            (params.all
                || proposal.state() == ProposalState::Pending
                || (params.applied && proposal.hunks().any(Hunk::is_unreviewed)))
                && params
                    .path
                    .as_ref()
                    .is_none_or(|path| proposal.files.iter().any(|file| &file.path == path))
                && params.since.as_ref().is_none_or(|since| since.is_before(proposal, open))
        };
        let items = self.items();
        let mut found: Vec<Proposal> =
            items.values().map(|item| &item.proposal).filter(|proposal| wanted(proposal)).cloned().collect();
        found.sort_by(|a, b| (&a.created, &a.id).cmp(&(&b.created, &b.id)));
        found
    }

    /// Hunks that wait, and files with such hunks.
    pub fn waiting(&self) -> (u32, u32) {
        let items = self.items();
        let mut hunks = 0;
        let mut files = BTreeSet::new();
        for file in items.values().flat_map(|item| &item.proposal.files) {
            let pending = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
            hunks += u32::try_from(pending).unwrap_or(u32::MAX);
            if pending > 0 {
                files.insert(file.path.clone());
            }
        }
        (hunks, u32::try_from(files.len()).unwrap_or(u32::MAX))
    }

    /// Hunks that a policy applied and no person has looked at.
    pub fn unreviewed(&self) -> u32 {
        let items = self.items();
        let hunks = items.values().flat_map(|item| item.proposal.hunks());
        u32::try_from(hunks.filter(|hunk| hunk.is_unreviewed()).count()).unwrap_or(u32::MAX)
    }

    /// Waits until no hunk of a proposal is pending, or `limit` has passed; then how it stands.
    pub async fn wait(&self, id: &str, limit: Duration) -> Option<Item> {
        let mut changes = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + limit;
        loop {
            changes.borrow_and_update();
            let item = self.get(id)?;
            if item.proposal.state() != ProposalState::Pending {
                return Some(item);
            }
            if tokio::time::timeout_at(deadline, changes.changed()).await.is_err() {
                return self.get(id);
            }
        }
    }

    /// Notes that a proposal's call was answered while hunks still waited.
    pub fn answered_pending(&self, id: &str) -> Result<(), Fault> {
        if let Some(item) = self.items().get_mut(id) {
            item.answered = true;
        }
        self.update(id)
    }

    /// Drops what still waits of a proposal: a policy could not carry out its decision.
    pub fn withdraw(&self, id: &str) -> Result<(), Fault> {
        let mut dropped = Vec::new();
        if let Some(item) = self.items().get_mut(id) {
            let hunks = item.proposal.files.iter_mut().flat_map(|file| &mut file.hunks);
            for hunk in hunks.filter(|hunk| hunk.state == HunkState::Pending) {
                hunk.state = HunkState::Rejected;
                dropped.push(hunk.id.clone());
            }
        }
        self.log_decision(id, "policy", &dropped);
        self.update(id)
    }

    /// Notes that the agent of a proposal knows its outcome.
    pub fn told(&self, id: &str) -> Result<(), Fault> {
        let over = match self.items().get_mut(id) {
            Some(item) if item.proposal.state() != ProposalState::Pending => {
                item.delivered = true;
                true
            }
            _ => false,
        };
        if over { self.update(id) } else { Ok(()) }
    }

    /// Decisions that an agent has not heard of yet, each given once. Those of an earlier connection of the same agent,
    /// which hears no more of them, are given to this one.
    pub fn deliveries(&self, agent: &Origin) -> Vec<Delivery> {
        let addressee = agent.addressee();
        let mut found: Vec<Delivery> = Vec::new();
        let waiting: Vec<Item> = {
            let items = self.items();
            let due = |item: &&Item| {
                item.answered
                    && !item.delivered
                    && item.proposal.state() != ProposalState::Pending
                    && (item.proposal.origin.addressee() == addressee
                        || self.is_left_behind(&item.proposal.origin, agent))
            };
            items.values().filter(due).cloned().collect()
        };
        for item in waiting {
            found.push(report::delivery(&item.proposal, item.proposal.state().word()));
            // What could not be noted as told is told again: better twice than never.
            let _ = self.told(&item.proposal.id);
        }
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = undone.extract_if(.., |(to, _)| *to == addressee).map(|(_, delivery)| delivery);
        found.extend(mine);
        found
    }

    /// Whether a call was made over a connection of the same agent that has ended.
    fn is_left_behind(&self, origin: &Origin, agent: &Origin) -> bool {
        origin.door == Door::Mcp
            && agent.door == Door::Mcp
            && origin.agent == agent.agent
            && origin.session.as_ref().is_some_and(|session| !self.session.is_connected(session))
    }

    /// Lets the agent of a call know, with its next result, that a person took its change back.
    pub(super) fn deliver_undone(&self, call: &str, session: &str) {
        let made = |item: &&Item| item.proposal.call_id == call && item.proposal.session == session;
        let found = self.items().values().find(made).map(|item| item.proposal.clone());
        if let Some(proposal) = found {
            let entry = (proposal.origin.addressee(), report::delivery(&proposal, "undone"));
            self.undone.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        }
    }

    /// Whether a file changes because a decision is carried out just now.
    pub fn is_placing(&self, path: &WorkspacePath) -> bool {
        self.placing.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// The text of a document changed: its hunks move along, and those that no longer fit go stale.
    pub fn text_changed(&self, path: &WorkspacePath, text: &str) {
        if !self.is_placing(path) {
            self.replace(path, Some(text));
        }
    }

    /// Marks a file as changed by us until what it returns is dropped.
    pub(super) fn placing(&self, path: &WorkspacePath) -> Placing<'_> {
        self.placing.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        Placing { desk: self, path: path.clone() }
    }

    /// Re-places the hunks of every file that waits, in the text as it is now; with `applied` also where hunks were
    /// applied that nobody has looked at.
    pub fn refresh(&self, applied: bool) {
        let paths: BTreeSet<String> = {
            let items = self.items();
            let files = items.values().flat_map(|item| &item.proposal.files);
            let waits = |file: &&ProposedFile| {
                file.hunks
                    .iter()
                    .any(|hunk| hunk.state == HunkState::Pending || (applied && hunk.is_unreviewed()))
            };
            files.filter(waits).map(|file| file.path.clone()).collect()
        };
        for path in paths.iter().filter_map(|path| WorkspacePath::clean(path)) {
            if self.is_placing(&path) {
                continue;
            }
            if let Ok(now) = crate::session::text_of(&self.session, &path) {
                self.replace(&path, now.as_ref().map(|snapshot| snapshot.text.as_str()));
            }
        }
    }

    /// Re-places the hunks of one file in `now`, the text as it is.
    pub(super) fn replace(&self, path: &WorkspacePath, now: Option<&str>) {
        let mut touched = Vec::new();
        let version = self.session.document(path).map(|document| document.version);
        for (id, item) in self.items().iter_mut() {
            let mut followed = Followed::default();
            let mut moved = false;
            let call = (item.proposal.call_id.clone(), item.proposal.session.clone());
            for (file, view) in item.proposal.files.iter_mut().zip(&mut item.views) {
                if file.path != path.as_str() || matches!(file.kind, ChangeKind::Mkdir | ChangeKind::Copy) {
                    continue;
                }
                file.version = version;
                if view.text.as_deref() != now {
                    moved = true;
                    let Followed { stale, applied } = place::follow(file, view.text.as_deref(), now);
                    if let (false, Some(was), Some(now)) = (applied.is_empty(), &view.text, now) {
                        // What the editor did by itself can be undone like what it was asked for.
                        let encoding = view.encoding.unwrap_or(Encoding::Utf8);
                        let _ = apply::record(&self.session, (&call.0, &call.1), path, (was, now), encoding);
                    }
                    followed.stale.extend(stale);
                    followed.applied.extend(applied);
                    view.text = now.map(str::to_owned);
                }
            }
            if moved {
                touched.push((id.clone(), followed));
            }
        }
        for (id, followed) in touched {
            if followed.stale.is_empty() && followed.applied.is_empty() {
                // Stored is the text that they stood in too: from that they are placed anew.
                self.tell_moved(&id);
                continue;
            }
            for (by, hunks) in [("text", followed.stale), ("editor", followed.applied)] {
                if !hunks.is_empty() {
                    self.log_decision(&id, by, &hunks);
                }
            }
            // What cannot be stored stands in memory; the next decision stores it again.
            let _ = self.update(&id);
        }
    }

    /// Tells the editor where the hunks of a proposal stand in the text as it is now, if it shows any of them: one that
    /// was ahead of us goes by its own marks until it hears of the version that it has.
    fn tell_moved(&self, id: &str) {
        let shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
        let moved = self.items().get(id).map(|item| item.proposal.clone());
        if let Some(proposal) = moved.filter(|proposal| proposal.hunks().any(shown)) {
            self.session.editor().tell(Notice::Changed(proposal));
        }
    }

    /// Writes what was decided to the log. The decision stands even where the log cannot be written: the
    /// journal then refuses the next call.
    pub(super) fn log_decision(&self, id: &str, by: &str, hunks: &[String]) {
        let Some(item) = self.get(id) else { return };
        for hunk in item.proposal.hunks().filter(|hunk| hunks.contains(&hunk.id)) {
            self.session.count(&format!("hunks_{}", hunk.state.word()));
        }
        let _ = self.session.write(Event::Decision {
            proposal: id.to_owned(),
            call_id: item.proposal.call_id.clone(),
            by: by.to_owned(),
            hunks: report::decisions(&item.proposal, |hunk| hunks.contains(&hunk.id)),
            status: item.proposal.state().word().to_owned(),
        });
    }
}

/// See [`Desk::placing`].
pub(super) struct Placing<'a> {
    desk: &'a Desk,
    path: WorkspacePath,
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        self.desk.placing.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}
