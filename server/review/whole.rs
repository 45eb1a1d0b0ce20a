//! Hunks with no lines: a folder, a copy, a rename, a mode, a symlink, bytes. Each is one step, put in place or taken back
//! whole.

use std::sync::Arc;
use std::time::Duration;

use super::apply::{Behalf, make_folders, unmake_folders};
use super::decide::took_effect;
use super::item::ReviewEvent;
use super::put::Errand;
use super::queue::ProposalQueue;
use crate::base::{WorkspacePath, blocking};
use crate::ports::FileRename;
use crate::protocol::{ChangeKind, Code, Fault, HunkState, Notice, PathContent, Proposal, ProposedFile};
use crate::rules::Opener;
use crate::session::Session;
use crate::workspace::{Checkpoints, Permissions, Standing, Step};

/// How long an editor's documents may take to follow a rename that it said it made.
const READ_BACK: Duration = Duration::from_secs(3);
/// How often it is looked whether they did.
const POLL: Duration = Duration::from_millis(10);

impl ProposalQueue {
    /// Puts the one hunk of a file in place, or takes it back, where what it changes stands as it has to.
    pub(super) async fn place_whole(&self, errand: Errand<'_>, proposal: &Proposal) -> Result<(), Fault> {
        let Some(file) = proposal.files.get(errand.file) else { return Ok(()) };
        let before = if errand.back { HunkState::Accepted } else { HunkState::Pending };
        if !file.hunks.iter().any(|hunk| hunk.state == before) {
            return Ok(());
        }
        let behalf = Behalf { call: &proposal.call_id, session: &proposal.session, undoes: None };
        let step = blocking(|| match errand.back {
            false => self.step_of(file),
            true => self.step_back(behalf, file),
        })?;
        let step = Step { hunks: errand.hunks.to_vec(), back: errand.back, ..step };
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let files = self.session.files().opened_by(Opener::Person);
        let done = match blocking(|| files.standing(&step, limit))? {
            Standing::Before => self.carry_out(behalf, &format!("wherefore: {}", proposal.why), &step).await,
            // Somebody else did it already.
            Standing::After => Ok(()),
            Standing::Neither => {
                // What the log does not take now it takes with the next decision.
                let _ = self.happen(errand.id, ReviewEvent::Unfit(errand.file));
                Err(changed(file))
            }
        };
        if done.is_ok() || took_effect(&done) {
            let (file, hunks, back) = (errand.file, errand.hunks, errand.back);
            self.items().happen(errand.id, ReviewEvent::Placed { file, hunks, back, text: None });
            self.followed(&step);
        }
        done
    }

    /// What accepting the hunk of a file comes to.
    fn step_of(&self, file: &ProposedFile) -> Result<Step, Fault> {
        let path = &file.path;
        let (state, files) =
            (self.session.workspace().state(), self.session.files().opened_by(Opener::Person));
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let read = |path: &WorkspacePath| match files.read(path, limit) {
            Ok((bytes, _)) => Ok::<_, Fault>(Some(state.put(&bytes)?)),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        };
        let kept = |content: &Option<PathContent>| match content {
            None => Ok::<_, Fault>(None),
            Some(PathContent::Symlink(target)) => Ok(Some(state.put(target.as_bytes())?)),
            Some(PathContent::Bytes { hash, .. }) => Ok(Some(hash.clone())),
        };
        let step = Step { from: file.from.clone(), ..Step::new(path, file.kind) };
        Ok(match file.kind {
            ChangeKind::Copy => {
                let from = step.from.clone().unwrap_or_else(WorkspacePath::root);
                let (bytes, _) = files.read(&from, limit)?;
                Step { before: read(path)?, after: Some(state.put(&bytes)?), ..step }
            }
            ChangeKind::Mode => {
                Step { gives: Some(Permissions::of_new(file.executable == Some(true))), ..step }
            }
            ChangeKind::Binary => {
                // What is replaced is kept anew: the proposal may have waited for long.
                if file.before.is_some() {
                    read(path)?;
                }
                let gives = file.executable.map(Permissions::of_new);
                Step { before: kept(&file.before)?, after: kept(&file.after)?, gives, ..step }
            }
            ChangeKind::Symlink => Step { before: kept(&file.before)?, after: kept(&file.after)?, ..step },
            _ => step,
        })
    }

    /// What taking the hunk of a file back comes to: the reverse of the step that put it in place.
    fn step_back(&self, behalf: Behalf<'_>, file: &ProposedFile) -> Result<Step, Fault> {
        let name = format!("{}/{}", behalf.session, behalf.call);
        let checkpoint = Checkpoints::new(self.session.workspace().state()).find(&name)?;
        // The file may have been renamed since: then its step has the old path.
        let is_meant = |step: &Step| {
            step.path == file.path || file.hunks.iter().any(|hunk| step.hunks.contains(&hunk.id))
        };
        let ours = |step: &&Step| step.kind == file.kind && !step.back && is_meant(step);
        let reversed = |step: &Step| match step.kind {
            ChangeKind::Rename => step.reversed(),
            _ => Step { path: file.path.clone(), ..step.reversed() },
        };
        checkpoint.steps.iter().rev().find(ours).map(reversed).ok_or_else(|| {
            Fault::new(
                Code::NotFound,
                format!("{} was so before the call; there is nothing to take back", file.path),
            )
        })
    }

    /// Records a step and carries it out; a rename through the editor, where that shows the file.
    ///
    /// # Errors
    /// Whatever writing says, and STALE or REJECTED where the editor stands in the way. Then nothing changed, unless the
    /// fault says `applied`.
    pub(super) async fn carry_out(&self, behalf: Behalf<'_>, label: &str, step: &Step) -> Result<(), Fault> {
        let session = &self.session;
        let (path, files) = (&step.path, session.files().opened_by(Opener::Person));
        let made = blocking(|| self.ready(behalf, step))?;
        let shown = step.from.as_ref().and_then(|from| Some((session.files().document(from)?, from)));
        let done = match shown.filter(|_| step.kind == ChangeKind::Rename) {
            Some((document, from)) => {
                let rename = FileRename {
                    from: document.uri.clone(),
                    to: session.workspace().uri(path),
                    label: label.to_owned(),
                };
                rename_open(session, rename, (from, path)).await
            }
            None => blocking(|| files.perform(step)).map_err(Fault::from),
        };
        [Some(path), step.from.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|path| session.files().note_known(path));
        if let Err(fault) = &done
            && fault.applied != Some(true)
        {
            behalf.unrecord(session);
            unmake_folders(session, behalf, &made);
        }
        done
    }

    /// Makes the folders that a step needs and records it; gives the folders.
    fn ready(&self, behalf: Behalf<'_>, step: &Step) -> Result<Vec<WorkspacePath>, Fault> {
        let session = &self.session;
        let makes = !matches!(step.kind, ChangeKind::Mode | ChangeKind::Rmdir | ChangeKind::Delete);
        let (made, done) = match step.path.parent().filter(|_| makes) {
            Some(folder) => make_folders(session, behalf, &folder),
            None => (Vec::new(), Ok(())),
        };
        let step = session.files().opened_by(Opener::Person).with_bits(step.clone());
        match done.and_then(|()| behalf.record(session, step)) {
            Ok(()) => Ok(made),
            Err(fault) => {
                unmake_folders(session, behalf, &made);
                Err(Fault { applied: None, ..fault })
            }
        }
    }

    /// Has the hunks of a file follow its rename, whoever made it.
    pub(super) fn followed(&self, step: &Step) {
        let Some(from) = step.from.as_ref().filter(|_| step.kind == ChangeKind::Rename) else { return };
        let to = &step.path;
        self.renamed(from, to);
        if let Ok(now) = self.session.files().text(to) {
            self.replace(to, now.as_ref().map(|now| now.text.as_str()));
        }
    }
}

/// Renames a file that an editor shows: through it where it can, and what it claims is looked at on the disk.
async fn rename_open(
    session: &Arc<Session>,
    rename: FileRename,
    (from, to): (&WorkspacePath, &WorkspacePath),
) -> Result<(), Fault> {
    if session.files().text(from)?.is_some_and(|now| now.unsaved) {
        return Err(Fault::new(Code::Stale, format!("{from} has unsaved changes in the editor"))
            .suggest("ask the person to save or close it, then rename it"));
    }
    let files = session.files().opened_by(Opener::Person);
    // An editor knows no rules, and may write over what stands there.
    blocking(|| files.admit_rename(from, to))?;
    if files.entry_at(to)?.is_some() {
        return Err(Fault::new(Code::Stale, format!("`{to}` exists already; it is left as it stands")));
    }
    if !session.editor().renames() {
        blocking(|| files.rename(from, to))?;
        session.editor().tell(Notice::Removed(rename.from));
        return Ok(());
    }
    let claimed = session.editor().rename(rename).await;
    let moved = || Ok::<_, Fault>(files.entry_at(from)?.is_none() && files.entry_at(to)?.is_some());
    let started = tokio::time::Instant::now();
    let limit = if claimed == Ok(true) { READ_BACK } else { Duration::ZERO };
    while !moved()? {
        if started.elapsed() >= limit {
            let why = claimed.err().map(|why| format!(": {why}")).unwrap_or_default();
            return Err(Fault::new(Code::Rejected, format!("the editor did not rename {from}{why}")));
        }
        tokio::time::sleep(POLL).await;
    }
    // What is decided next on this file goes through the document under its new path.
    let follows = || session.files().document(from).is_none() && session.files().document(to).is_some();
    while !follows() && started.elapsed() < READ_BACK {
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

fn changed(file: &ProposedFile) -> Fault {
    let what = file.what.as_deref().unwrap_or("the change");
    Fault::new(Code::Stale, format!("{} is not as it was when this was proposed: {what}", file.path))
        .suggest("look at it again and propose the change anew")
        .detail(serde_json::json!({ "path": file.path }))
}
