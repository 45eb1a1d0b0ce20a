//! Looks at the gathered changes: those that no known program made are taken in.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::base::OutsideBase;
use super::change_drafts::{self, OutsideChange};
use super::gathered_changes::GatheredChanges;
use super::git_marks::GitMarks;
use crate::base::{WorkspacePath, run_blocking};
use crate::hub::ServedFolder;
use crate::protocol::{Door, Event, Origin};
use crate::session::{KnownContent, WorkspaceSession};
use crate::watch::FileSnapshot;

/// Files that are offered for review at once; where more changed, it was no agent that edits.
const MOST: usize = 40;
/// Files that are looked into at once.
const MOST_LOOKED_INTO: usize = 5_000;
/// The tolerance by which a save, or a file's last change, may precede the last look and still count as after it.
const LATE: Duration = Duration::from_secs(1);

const GIT: &str = "git moved";
const MANY: &str = "too many changed at once";
const LOST_REASON: &str = "what they held before is not known";

impl OutsideBase {
    /// Looks at the gathered changes. Those that cannot be judged yet stay in `self.heard`.
    pub(super) async fn look_at_changes(
        self,
        folder: &Arc<ServedFolder>,
        heard: &mut GatheredChanges,
    ) -> Option<Self> {
        let session = folder.session().clone();
        let marks = GitMarks::at_root(Path::new(session.workspace().root()));
        if marks.as_ref().is_some_and(GitMarks::is_locked) && heard.waits_for_git() {
            return Some(self);
        }
        let is_partial = heard.has_missed(self.seen.generation());
        let heard = heard.take_ready(|path| is_reported_later(folder, path));
        let is_many = is_partial || heard.paths.len() > MOST_LOOKED_INTO;
        if let Some(why) = self.why_none(marks.as_ref(), is_many) {
            report_unoffered(&session, heard.paths.len(), why);
            return Self::capture_state(folder).await;
        }
        let at = (Instant::now(), SystemTime::now());
        let seen = session.search().watched_files()?;
        let (writes, is_writing) = session.files().known_files().write_count();
        let is_ours = is_writing || writes != self.writes;
        let found = run_blocking(|| self.changed_files(&session, &heard, &seen, is_ours));
        if found.len() > MOST {
            report_unoffered(&session, found.len(), MANY);
            return Self::capture_state(folder).await;
        }
        let other_index = self.marks.as_ref().zip(marks.as_ref());
        let other_index = other_index.is_some_and(|(before, now)| now.has_other_index(before));
        let found = self.with_commit(folder, found, other_index).await;
        take_in(folder, found, &heard.renamed).await;
        Some(Self { seen, marks, at, writes, commit: self.commit })
    }

    /// Returns the reason why no change is taken in at all, where none is.
    fn why_none(&self, marks: Option<&GitMarks>, is_many: bool) -> Option<&'static str> {
        let has_moved = match (marks, &self.marks) {
            (Some(now), Some(before)) => now.has_moved(before),
            (now, before) => now.is_some() != before.is_some(),
        };
        if has_moved { Some(GIT) } else { is_many.then_some(MANY) }
    }

    /// The files that hold something else than they are known to. Those that we or a person in an editor wrote are noted.
    fn changed_files(
        &self,
        session: &WorkspaceSession,
        heard: &GatheredChanges,
        seen: &FileSnapshot,
        is_ours: bool,
    ) -> BTreeMap<WorkspacePath, OutsideChange> {
        let known = session.files().known_files();
        let saved_since = self.at.0.checked_sub(LATE).unwrap_or(self.at.0);
        let mut found = BTreeMap::new();
        for path in &heard.paths {
            // Closed files are never offered for review.
            let Some(now) = session.files().content_now(path) else { continue };
            let before = match (known.get(path), self.seen.get(path.as_str())) {
                (Some(content), _) => Some(content),
                // It came into the list by other ignore rules.
                (None, None) if !self.is_new(path, seen) => Some(now.clone()),
                (None, None) => Some(KnownContent::Absent),
                (None, Some(_)) if self.commit.is_none() => Some(KnownContent::Lost),
                (None, Some(_)) => None,
            };
            if is_ours || before.as_ref() == Some(&now) || known.was_saved(path, saved_since) {
                known.note_content(path, now);
            } else {
                found.insert(path.clone(), OutsideChange { before, now });
            }
        }
        found
    }

    /// Returns whether a file that was not there at the last look was made since.
    fn is_new(&self, path: &WorkspacePath, seen: &FileSnapshot) -> bool {
        let since = self.at.1.checked_sub(LATE).and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let since = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        seen.get(path.as_str()).is_none_or(|file| file.stamp.ctime_ns >= since)
    }

    /// The files with what the commit holds of those that nothing was noted of. What git put back by itself is noted and
    /// left out.
    async fn with_commit(
        &self,
        folder: &Arc<ServedFolder>,
        mut found: BTreeMap<WorkspacePath, OutsideChange>,
        other_index: bool,
    ) -> BTreeMap<WorkspacePath, OutsideChange> {
        let is_asked = |file: &OutsideChange| file.before.is_none() || other_index;
        let asked: Vec<WorkspacePath> =
            found.iter().filter(|(_, file)| is_asked(file)).map(|(path, _)| path.clone()).collect();
        let committed = self.committed_contents(folder, &asked).await;
        for (path, committed) in asked.into_iter().zip(committed) {
            let Some(file) = found.get_mut(&path) else { continue };
            let committed = committed.map(|bytes| KnownContent::Bytes(bytes.into()));
            if other_index && committed.as_ref() == Some(&file.now) {
                folder.session().files().known_files().note_content(&path, file.now.clone());
                found.remove(&path);
                continue;
            }
            if file.before.is_none() {
                let size = self.seen.get(path.as_str()).map(|file| file.stamp.size);
                let is_same =
                    |content: &KnownContent| content.byte_count() as u64 == size.unwrap_or(u64::MAX);
                file.before = Some(committed.filter(is_same).unwrap_or(KnownContent::Lost));
            }
        }
        found
    }
}

/// Returns whether we are making a change of a file now, or its maker will report it.
fn is_reported_later(folder: &ServedFolder, path: &WorkspacePath) -> bool {
    folder.queue().texts().is_placing(path) || folder.session().files().known_files().is_expected(path)
}

/// Takes in each change as a proposal of its own, and notes what the files hold now.
async fn take_in(
    folder: &Arc<ServedFolder>,
    found: BTreeMap<WorkspacePath, OutsideChange>,
    renamed: &BTreeMap<WorkspacePath, WorkspacePath>,
) {
    let session = folder.session();
    for (path, file) in &found {
        session.files().known_files().note_content(path, file.now.clone());
    }
    let judged = change_drafts::draft_changes(session.workspace().state(), found, renamed);
    for draft in judged.drafts {
        if let Err(fault) = folder.adopt_draft(Origin::from_door(Door::Outside), None, draft).await {
            tracing::warn!("a change by another program is not taken in: {}", fault.message);
        }
    }
    report_unoffered(session, judged.lost, LOST_REASON);
}

/// Logs that files changed which are not offered for review, where the folder already has a log.
fn report_unoffered(session: &WorkspaceSession, files: usize, why: &str) {
    tracing::info!(files, why, "files changed by another program are not offered for review");
    if files > 0 && session.log().journal_if_open().is_some() {
        // A failure to log was traced above.
        let _ = session.log().write_event(Event::OutsideChanges { files: files as u64, why: why.to_owned() });
    }
}
