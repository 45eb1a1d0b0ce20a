//! The hunks of proposals follow the texts that they stand in, whoever changes those.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::apply::{self, Behalf};
use super::item::{Item, View};
use super::place::{self, Followed};
use super::queue::ProposalQueue;
use crate::base::text::Encoding;
use crate::base::{CallId, ProposalId, WorkspacePath};
use crate::patch::Moves;
use crate::protocol::{Code, DecidedBy, Fault, Hunk, HunkState, Notice, ProposedFile};
use crate::rules::Opener;
use crate::workspace::FileKind;

/// When the log and the state folder get what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    /// At once.
    Now,
    /// With the next decision.
    Later,
}

/// What became of one proposal whose text changed.
struct Moved {
    id: ProposalId,
    call: (CallId, String),
    followed: Followed,
    /// The text before, and how its bytes are written, where hunks were put in place by somebody else.
    was: Option<(Arc<str>, Encoding)>,
}

impl ProposalQueue {
    /// Whether a file changes because a decision is carried out just now.
    pub fn is_placing(&self, path: &WorkspacePath) -> bool {
        self.placing.lock().contains(path)
    }

    /// Marks a file as changed by us until what it returns is dropped.
    pub(super) fn placing(&self, path: &WorkspacePath) -> Placing<'_> {
        self.placing.lock().insert(path.clone());
        Placing { queue: self, path: path.clone() }
    }

    /// Whether hunks stand in a file.
    pub fn follows(&self, path: &WorkspacePath) -> bool {
        !self.items().on(path).is_empty()
    }

    /// The text of a document changed: its hunks move along, and those that no longer fit go stale.
    pub fn text_changed(&self, path: &WorkspacePath, text: &str) {
        if !self.is_placing(path) {
            self.replace(path, Some(text));
        }
    }

    /// The files with hunks that follow a text: those that wait, and those that were applied and nobody has looked at.
    pub(super) fn followed_paths(&self) -> BTreeSet<WorkspacePath> {
        let items = self.items();
        let is_shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
        let files = items.all().filter(|item| item.is_up()).flat_map(|item| &item.proposal.files);
        let files = files.filter(|file| file.kind.has_text() && file.hunks.iter().any(is_shown));
        files.map(|file| file.path.clone()).collect()
    }

    /// Looks once at every file that hunks of earlier processes stand in. The log is opened by whoever does something, not
    /// by whoever opens a folder: it gets what was found with the next decision.
    pub(super) fn look_at_opening(&self) {
        for path in self.followed_paths() {
            if let Ok(now) = self.session.files().text(&path) {
                self.replace_and(&path, now.as_ref().map(|now| now.text.as_str()), Telling::Later);
            }
        }
    }

    /// Looks at the files of one proposal, for whoever had an editor change some of them.
    pub fn look_at_proposal(&self, id: &str) {
        let Some(item) = self.get(id) else { return };
        let paths: BTreeSet<&WorkspacePath> = item.proposal.files.iter().map(|file| &file.path).collect();
        for path in paths {
            self.look_again(path);
        }
    }

    /// Re-places the hunks of one file in the text as it is now. Where a decision is carried out in it, that does so, and
    /// the answer is no.
    pub(super) fn look_again(&self, path: &WorkspacePath) -> bool {
        let Some(_turn) = self.turns.file_now(path) else { return false };
        if let Ok(now) = self.session.files().text(path) {
            self.replace(path, now.as_ref().map(|snapshot| snapshot.text.as_str()));
        }
        true
    }

    /// Re-places the hunks of one file in `now`, the text as it is.
    pub(super) fn replace(&self, path: &WorkspacePath, now: Option<&str>) {
        self.replace_and(path, now, Telling::Now);
    }

    fn replace_and(&self, path: &WorkspacePath, now: Option<&str>, telling: Telling) {
        let version = self.session.files().document(path).map(|document| document.version);
        let mut moved = Vec::new();
        {
            let mut items = self.items();
            let there: Vec<Arc<Item>> = items.on(path).iter().filter_map(|id| items.get(id)).collect();
            let texts = texts(&there, path, now);
            let shown = shown(&there, now);
            let other = |(file, view): (&ProposedFile, &View)| {
                follows(file, path) && (view.text.as_deref() != now || file.version != version)
            };
            let others = there.iter().filter(|item| item.proposal.files.iter().zip(&item.views).any(other));
            let others: Vec<ProposalId> = others.map(|item| item.proposal.id.clone()).collect();
            // One that is looked at elsewhere would be copied to be changed.
            drop(there);
            // How each text differs from the one now is worked out once, and not before it is asked.
            let moves: Vec<Moves<'_>> = texts.iter().filter_map(|was| Some(Moves::new(was, now?))).collect();
            let known = |was: &Arc<str>| moves.get(texts.iter().position(|text| text == was)?);
            for id in &others {
                let follow = |item: &mut Item| follow(item, path, version, shown.as_ref(), &known);
                moved.extend(items.change(id, follow).flatten());
            }
        }
        moved.into_iter().for_each(|moved| self.tell_of(moved, path, (version.is_some(), telling), now));
    }

    /// Logs and tells what became of a proposal whose text changed.
    fn tell_of(
        &self,
        moved: Moved,
        path: &WorkspacePath,
        (open, telling): (bool, Telling),
        now: Option<&str>,
    ) {
        let Moved { id, call, followed, was } = moved;
        if followed.stale.is_empty() && followed.applied.is_empty() {
            // Stored is the text that they stood in too: from that they are placed anew.
            return self.tell_moved(&id);
        }
        if let Some(((was, encoding), now)) = was.zip(now) {
            // What somebody else did can be undone like what was asked for.
            let behalf = Behalf { call: &call.0, session: &call.1, undoes: None };
            let _ = apply::record(&self.session, behalf, path, (&was, now), encoding);
        }
        // Whoever puts a hunk in place in the editor is a person who looked at it.
        let by = if open { DecidedBy::Editor } else { DecidedBy::Text };
        let applied = followed.applied.clone();
        let looked_at = |item: &mut Item| {
            let hunks = item.proposal.files.iter_mut().flat_map(|file| &mut file.hunks);
            hunks.filter(|hunk| open && applied.contains(&hunk.id)).for_each(|hunk| hunk.reviewed = true);
            item.proposal.clone()
        };
        let Some(proposal) = self.items().change(&id, looked_at) else { return };
        let found = [(DecidedBy::Text, followed.stale), (by, followed.applied)];
        if telling == Telling::Later {
            let found = found.iter().filter(|(_, hunks)| !hunks.is_empty());
            found.for_each(|(by, hunks)| self.record_later(&proposal, *by, hunks));
            return self.session.memory().stands(&proposal);
        }
        for (by, hunks) in found {
            // What the log does not take now it takes with the next decision.
            let _ = self.record(&proposal, by, &hunks);
        }
        // What cannot be stored stands in memory; the next decision stores it again.
        let _ = self.update(&id);
    }

    /// Tells the editor where the hunks of a proposal stand in the text as it is now, if it shows any of them: one that
    /// was ahead of us goes by its own marks until it hears of the version that it has.
    fn tell_moved(&self, id: &str) {
        let shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
        let moved = self.items().get(id).filter(|item| item.is_up());
        if let Some(item) = moved.filter(|item| item.proposal.hunks().any(shown)) {
            self.session.editor().tell(Notice::Changed(item.proposal.clone()));
        }
    }

    /// A file has another path: the hunks of its text, its mode and its bytes go with it, in every proposal.
    pub(super) fn renamed(&self, from: &WorkspacePath, to: &WorkspacePath) {
        let uri = self.session.workspace().uri(to);
        let ids = self.items().on(from);
        for id in ids {
            let moved = self.items().change_paths(&id, |proposal| {
                let mut moved = false;
                let files = proposal.files.iter_mut().filter(|file| file.path == *from);
                for file in files.filter(|file| file.follows_a_rename()) {
                    (file.path, file.uri) = (to.clone(), uri.clone());
                    file.what = file.sentence();
                    moved = true;
                }
                moved
            });
            if moved {
                // What cannot be stored stands in memory; the next decision stores it again.
                let _ = self.update(&id);
            }
        }
    }

    /// Whether nothing stands at a path on the disk, where an editor may show a file still.
    ///
    /// # Errors
    /// STALE where something else than a file stands there: a symlink would have another file written or removed.
    /// PERMISSION_DENIED by a rule or where it leads outside.
    pub(super) fn is_gone(&self, path: &WorkspacePath) -> Result<bool, Fault> {
        let entry = self.session.files().opened_by(Opener::Person).entry_at(path)?;
        match entry.map(|entry| entry.kind) {
            None => Ok(true),
            Some(FileKind::File) => Ok(false),
            Some(kind) => {
                let message = format!("{path} is {} by now; it is left as it stands", kind.noun());
                Err(Fault::new(Code::Stale, message)
                    .suggest("move it out of the way, or leave the file as it is")
                    .detail(serde_json::json!({ "path": path })))
            }
        }
    }
}

/// Whether the hunks of a file follow the text at a path.
fn follows(file: &ProposedFile, path: &WorkspacePath) -> bool {
    file.path == *path && file.kind.has_text()
}

/// The text that is there now, shared with proposals that stand in it already.
fn shown(items: &[Arc<Item>], now: Option<&str>) -> Option<Arc<str>> {
    let same = |view: &View| view.text.clone().filter(|text| Some(&**text) == now);
    items.iter().flat_map(|item| &item.views).find_map(same).or_else(|| now.map(Arc::from))
}

/// The texts that hunks at a path stand in, each once, but for the one that is there now.
fn texts(items: &[Arc<Item>], path: &WorkspacePath, now: Option<&str>) -> Vec<Arc<str>> {
    let mut texts: Vec<Arc<str>> = Vec::new();
    let views = items.iter().flat_map(|item| item.proposal.files.iter().zip(&item.views));
    for (_, view) in views.filter(|(file, _)| follows(file, path)) {
        let Some(text) = view.text.as_ref().filter(|text| Some(&***text) != now) else { continue };
        if !texts.iter().any(|known| Arc::ptr_eq(known, text) || known == text) {
            texts.push(text.clone());
        }
    }
    texts
}

/// Moves the hunks of one proposal that stand at a path; nothing where its text is the same.
fn follow<'m>(
    item: &mut Item,
    path: &WorkspacePath,
    version: Option<i32>,
    now: Option<&Arc<str>>,
    moves: &impl Fn(&Arc<str>) -> Option<&'m Moves<'m>>,
) -> Option<Moved> {
    let id = item.proposal.id.clone();
    let call = (item.proposal.call_id.clone(), item.proposal.session.clone());
    let mut found: Option<Moved> = None;
    // A new file whose place another hunk has yet to free knows nothing of what stands there now.
    let waits: Vec<bool> =
        (0..item.proposal.files.len()).map(|at| item.proposal.waits_for(at).is_some()).collect();
    for ((file, view), waits) in item.proposal.files.iter_mut().zip(&mut item.views).zip(waits) {
        if !follows(file, path) || waits {
            continue;
        }
        file.version = version;
        if view.text.as_deref() == now.map(|now| &**now) {
            continue;
        }
        let was = view.text.clone();
        let known = was.as_ref().and_then(moves);
        let followed = place::follow_by(file, was.as_deref(), now.map(|now| &**now), known);
        view.text = now.cloned();
        let put = was.filter(|_| !followed.applied.is_empty());
        let moved = found.get_or_insert_with(|| Moved {
            id: id.clone(),
            call: call.clone(),
            followed: Followed::default(),
            was: None,
        });
        moved.was = put.map(|was| (was, view.encoding.unwrap_or(Encoding::Utf8))).or(moved.was.take());
        moved.followed.stale.extend(followed.stale);
        moved.followed.applied.extend(followed.applied);
    }
    found
}

/// See [`ProposalQueue::placing`].
pub(super) struct Placing<'a> {
    queue: &'a ProposalQueue,
    path: WorkspacePath,
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        self.queue.placing.lock().remove(&self.path);
    }
}
