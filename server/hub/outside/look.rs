//! A look at the changes that were heard of: those by nobody that we know are taken in.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::base::OutsideBase;
use super::git_marks::GitMarks;
use super::heard::HeardChanges;
use super::judged::{self, ChangedFile};
use crate::base::{WorkspacePath, blocking};
use crate::hub::Folder;
use crate::protocol::{Door, Event, Origin};
use crate::session::{KnownContent, Session};
use crate::watch::Snapshot;

/// Files that are offered for review at once; where more changed, it was no agent that edits.
const MOST: usize = 40;
/// Files that are looked into at once.
const LOOKED_INTO: usize = 5_000;
/// How long before the last look a save, or a file's last change, may lie to be of the time after it.
const LATE: Duration = Duration::from_secs(1);

const GIT: &str = "git moved";
const MANY: &str = "too many changed at once";
const LOST: &str = "what they held before is not known";

impl OutsideBase {
    /// Looks at the changes that were heard of. What cannot be said yet stays in `heard`.
    pub(super) async fn look(self, folder: &Arc<Folder>, heard: &mut HeardChanges) -> Option<Self> {
        let session = folder.session().clone();
        let marks = GitMarks::of(Path::new(session.workspace().root()));
        if marks.as_ref().is_some_and(GitMarks::is_locked) && heard.waits_for_git() {
            return Some(self);
        }
        let is_partial = heard.has_missed(self.seen.generation());
        let heard = heard.take(|path| is_told_later(folder, path));
        let is_many = is_partial || heard.paths.len() > LOOKED_INTO;
        if let Some(why) = self.why_none(marks.as_ref(), is_many) {
            tell(&session, heard.paths.len(), why);
            return Self::take(folder).await;
        }
        let at = (Instant::now(), SystemTime::now());
        let seen = session.search().watched()?;
        let (writes, is_writing) = session.files().known().writes();
        let is_ours = is_writing || writes != self.writes;
        let found = blocking(|| self.changed(&session, &heard, &seen, is_ours));
        if found.len() > MOST {
            tell(&session, found.len(), MANY);
            return Self::take(folder).await;
        }
        let other_index = self.marks.as_ref().zip(marks.as_ref());
        let other_index = other_index.is_some_and(|(before, now)| now.has_other_index(before));
        let found = self.with_commit(folder, found, other_index).await;
        take_in(folder, found, &heard.renamed).await;
        Some(Self { seen, marks, at, writes, commit: self.commit })
    }

    /// Why no change is taken in at all, where none is.
    fn why_none(&self, marks: Option<&GitMarks>, is_many: bool) -> Option<&'static str> {
        let has_moved = match (marks, &self.marks) {
            (Some(now), Some(before)) => now.has_moved(before),
            (now, before) => now.is_some() != before.is_some(),
        };
        if has_moved { Some(GIT) } else { is_many.then_some(MANY) }
    }

    /// The files that hold something else than they are known to. Those that we or a person in an editor wrote are noted.
    fn changed(
        &self,
        session: &Session,
        heard: &HeardChanges,
        seen: &Snapshot,
        is_ours: bool,
    ) -> BTreeMap<WorkspacePath, ChangedFile> {
        let known = session.files().known();
        let saved_since = self.at.0.checked_sub(LATE).unwrap_or(self.at.0);
        let mut found = BTreeMap::new();
        for path in &heard.paths {
            // What the rules close is nobody's to see.
            let Some(now) = session.files().held(path) else { continue };
            let before = match (known.get(path), self.seen.get(path.as_str())) {
                (Some(content), _) => Some(content),
                // It came into the list by other ignore rules.
                (None, None) if !self.is_new(path, seen) => Some(now.clone()),
                (None, None) => Some(KnownContent::Absent),
                (None, Some(_)) if self.commit.is_none() => Some(KnownContent::Lost),
                (None, Some(_)) => None,
            };
            if is_ours || before.as_ref() == Some(&now) || known.was_saved(path, saved_since) {
                known.note(path, now);
            } else {
                found.insert(path.clone(), ChangedFile { before, now });
            }
        }
        found
    }

    /// Whether a file that was not there at the last look was made since.
    fn is_new(&self, path: &WorkspacePath, seen: &Snapshot) -> bool {
        let since = self.at.1.checked_sub(LATE).and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let since = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        seen.get(path.as_str()).is_none_or(|file| file.stamp.ctime_ns >= since)
    }

    /// The files with what the commit holds of those that nothing was noted of. What git put back by itself is noted and
    /// left out.
    async fn with_commit(
        &self,
        folder: &Arc<Folder>,
        mut found: BTreeMap<WorkspacePath, ChangedFile>,
        other_index: bool,
    ) -> BTreeMap<WorkspacePath, ChangedFile> {
        let is_asked = |file: &ChangedFile| file.before.is_none() || other_index;
        let asked: Vec<WorkspacePath> =
            found.iter().filter(|(_, file)| is_asked(file)).map(|(path, _)| path.clone()).collect();
        let committed = self.committed(folder, &asked).await;
        for (path, committed) in asked.into_iter().zip(committed) {
            let Some(file) = found.get_mut(&path) else { continue };
            let committed = committed.map(|bytes| KnownContent::Bytes(bytes.into()));
            if other_index && committed.as_ref() == Some(&file.now) {
                folder.session().files().known().note(&path, file.now.clone());
                found.remove(&path);
                continue;
            }
            if file.before.is_none() {
                let size = self.seen.get(path.as_str()).map(|file| file.stamp.size);
                let is_same = |content: &KnownContent| content.size() as u64 == size.unwrap_or(u64::MAX);
                file.before = Some(committed.filter(is_same).unwrap_or(KnownContent::Lost));
            }
        }
        found
    }
}

/// Whether a change of a file is being made by us, or will be told by whoever makes it.
fn is_told_later(folder: &Folder, path: &WorkspacePath) -> bool {
    folder.queue().is_placing(path) || folder.session().files().known().is_expected(path)
}

/// Takes in each change as a proposal of its own, and notes what the files hold now.
async fn take_in(
    folder: &Arc<Folder>,
    found: BTreeMap<WorkspacePath, ChangedFile>,
    renamed: &BTreeMap<WorkspacePath, WorkspacePath>,
) {
    let session = folder.session();
    for (path, file) in &found {
        session.files().known().note(path, file.now.clone());
    }
    let judged = judged::drafts(session.workspace().state(), found, renamed);
    for draft in judged.drafts {
        if let Err(fault) = folder.adopt(Origin::door(Door::Outside), None, draft).await {
            tracing::warn!("a change by another program is not taken in: {}", fault.message);
        }
    }
    tell(session, judged.lost, LOST);
}

/// Has the log say that files changed which are not offered for review, where the folder has a log by now.
fn tell(session: &Session, files: usize, why: &str) {
    tracing::info!(files, why, "files changed by another program are not offered for review");
    if files > 0 && session.log().opened().is_some() {
        // What cannot be logged was told above.
        let _ = session.log().write(Event::OutsideChanges { files: files as u64, why: why.to_owned() });
    }
}
