//! Hunks with no lines: a folder, a copy, a rename, a mode, a symlink, bytes. Each is one step, put in place or taken back
//! whole.

use std::sync::Arc;
use std::time::Duration;

use super::decide::took_effect;
use super::follow_texts::TextFollower;
use super::store::ProposalStore;
use super::write_file::{CallRef, make_folders, unmake_folders};
use crate::base::{WorkspacePath, run_blocking};
use crate::ports::FileRename;
use crate::protocol::{
    ChangeKind, Code, EditorNotice, Fault, HunkState, PathContent, Proposal, ProposedFile,
};
use crate::review::{HunkPlacement, ReviewEvent};
use crate::rules::FileOpener;
use crate::session::WorkspaceSession;
use crate::workspace::{CheckpointStep, Checkpoints, Permissions, StepStanding};

/// The time that an editor's documents may take to follow a rename that it said it made.
const READ_BACK: Duration = Duration::from_secs(3);
/// The interval at which it is looked whether they did.
const POLL: Duration = Duration::from_millis(10);

/// Hunks with no lines, and their steps: each is put in place or taken back whole.
#[derive(Debug)]
pub(super) struct StepPlacer {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
}

impl StepPlacer {
    /// Carries out the steps of the proposals in a store.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
    ) -> Self {
        Self { session, store, texts }
    }

    /// Puts the one hunk of a file in place, or takes it back, where its target is in the expected state.
    pub(super) async fn place_whole(
        &self,
        errand: HunkPlacement<'_>,
        proposal: &Proposal,
    ) -> Result<(), Fault> {
        let Some(file) = proposal.files.get(errand.file) else { return Ok(()) };
        let before = if errand.back { HunkState::Accepted } else { HunkState::Pending };
        if !file.hunks.iter().any(|hunk| hunk.state == before) {
            return Ok(());
        }
        let behalf = CallRef::of_proposal(proposal);
        let step = run_blocking(|| match errand.back {
            false => self.step_of(file),
            true => self.step_back(behalf, file),
        })?;
        let step = CheckpointStep { hunks: errand.hunks.to_vec(), back: errand.back, ..step };
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let files = self.session.files().opened_by(FileOpener::Person);
        let done = match run_blocking(|| step.find_standing(&files, limit))? {
            StepStanding::Before => {
                self.carry_out(behalf, &format!("wherefore: {}", proposal.why), &step).await
            }
            // Somebody else did it already.
            StepStanding::After => Ok(()),
            StepStanding::Neither => {
                // An effect that the log refuses now is written with the next decision.
                let _ = self.store.apply_event(errand.id, ReviewEvent::Unfit(errand.file));
                Err(changed_fault(file))
            }
        };
        if done.is_ok() || took_effect(&done) {
            let (file, hunks, back) = (errand.file, errand.hunks, errand.back);
            self.store.change_item(errand.id, ReviewEvent::Placed { file, hunks, back, text: None });
            self.texts.follow_step_rename(&step);
        }
        done
    }

    /// Returns the step that accepting the hunk of a file carries out.
    fn step_of(&self, file: &ProposedFile) -> Result<CheckpointStep, Fault> {
        let path = &file.path;
        let (state, files) =
            (self.session.workspace().state(), self.session.files().opened_by(FileOpener::Person));
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let read = |path: &WorkspacePath| match files.read_bytes(path, limit) {
            Ok((bytes, _)) => Ok::<_, Fault>(Some(state.put_object(&bytes)?)),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        };
        let kept = |content: &Option<PathContent>| match content {
            None => Ok::<_, Fault>(None),
            Some(PathContent::Symlink(target)) => Ok(Some(state.put_object(target.as_bytes())?)),
            Some(PathContent::Bytes { hash, .. }) => Ok(Some(hash.clone())),
        };
        let step = CheckpointStep { from: file.from.clone(), ..CheckpointStep::new(path, file.kind) };
        Ok(match file.kind {
            ChangeKind::Copy => {
                let from = step.from.clone().unwrap_or_else(WorkspacePath::root);
                let (bytes, _) = files.read_bytes(&from, limit)?;
                CheckpointStep { before: read(path)?, after: Some(state.put_object(&bytes)?), ..step }
            }
            ChangeKind::Mode => {
                CheckpointStep { gives: Some(Permissions::of_new(file.executable == Some(true))), ..step }
            }
            ChangeKind::Binary => {
                // The replaced content is kept again: the proposal may have waited for long.
                if file.before.is_some() {
                    read(path)?;
                }
                let gives = file.executable.map(Permissions::of_new);
                CheckpointStep { before: kept(&file.before)?, after: kept(&file.after)?, gives, ..step }
            }
            ChangeKind::Symlink => {
                CheckpointStep { before: kept(&file.before)?, after: kept(&file.after)?, ..step }
            }
            _ => step,
        })
    }

    /// Returns the step that takes the hunk of a file back: the reverse of the step that put it in place.
    fn step_back(&self, behalf: CallRef<'_>, file: &ProposedFile) -> Result<CheckpointStep, Fault> {
        let name = format!("{}/{}", behalf.session, behalf.call);
        let checkpoint = Checkpoints::new(self.session.workspace().state()).find_checkpoint(&name)?;
        // The file may have been renamed since: then its step has the old path.
        let is_meant = |step: &CheckpointStep| {
            step.path == file.path || file.hunks.iter().any(|hunk| step.hunks.contains(&hunk.id))
        };
        let ours = |step: &&CheckpointStep| step.kind == file.kind && !step.back && is_meant(step);
        let reversed = |step: &CheckpointStep| match step.kind {
            ChangeKind::Rename => step.reverse_step(),
            _ => CheckpointStep { path: file.path.clone(), ..step.reverse_step() },
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
    /// The error of writing, and STALE or REJECTED where the editor prevents it. Then nothing changed, unless the fault
    /// states `applied`.
    pub(super) async fn carry_out(
        &self,
        behalf: CallRef<'_>,
        label: &str,
        step: &CheckpointStep,
    ) -> Result<(), Fault> {
        let session = &self.session;
        let (path, files) = (&step.path, session.files().opened_by(FileOpener::Person));
        let made = run_blocking(|| self.prepare_step(behalf, step))?;
        let shown = step.from.as_ref().and_then(|from| Some((session.files().document_at(from)?, from)));
        let done = match shown.filter(|_| step.kind == ChangeKind::Rename) {
            Some((document, from)) => {
                let rename = FileRename {
                    from: document.uri.clone(),
                    to: session.workspace().uri(path),
                    label: label.to_owned(),
                };
                rename_open(session, rename, (from, path)).await
            }
            None => run_blocking(|| step.perform_step(&files)).map_err(Fault::from),
        };
        [Some(path), step.from.as_ref()].into_iter().flatten().for_each(|path| {
            session.files().note_known(path);
            session.files().known_files().note_write(path);
        });
        if let Err(fault) = &done
            && fault.applied != Some(true)
        {
            behalf.discard_last_step(session);
            unmake_folders(session, behalf, &made);
        }
        done
    }

    /// Makes the folders that a step needs and records it; gives the folders.
    fn prepare_step(&self, behalf: CallRef<'_>, step: &CheckpointStep) -> Result<Vec<WorkspacePath>, Fault> {
        let session = &self.session;
        let makes = !matches!(step.kind, ChangeKind::Mode | ChangeKind::Rmdir | ChangeKind::Delete);
        let (made, done) = match step.path.parent().filter(|_| makes) {
            Some(folder) => make_folders(session, behalf, &folder),
            None => (Vec::new(), Ok(())),
        };
        let step = step.clone().with_bits(&session.files().opened_by(FileOpener::Person));
        match done.and_then(|()| behalf.record_step(session, step)) {
            Ok(()) => Ok(made),
            Err(fault) => {
                unmake_folders(session, behalf, &made);
                Err(Fault { applied: None, ..fault })
            }
        }
    }
}

/// Renames a file that an editor shows: through it where it can, and what it claims is looked at on the disk.
async fn rename_open(
    session: &Arc<WorkspaceSession>,
    rename: FileRename,
    (from, to): (&WorkspacePath, &WorkspacePath),
) -> Result<(), Fault> {
    if session.files().read_text(from)?.is_some_and(|now| now.unsaved) {
        return Err(Fault::new(Code::Stale, format!("{from} has unsaved changes in the editor"))
            .with_suggestion("ask the person to save or close it, then rename it"));
    }
    let files = session.files().opened_by(FileOpener::Person);
    // An editor knows no rules, and may overwrite an existing file.
    run_blocking(|| files.entry_changes().admit_rename(from, to))?;
    if files.entry_at(to)?.is_some() {
        return Err(Fault::new(Code::Stale, format!("`{to}` exists already; it is left as it stands")));
    }
    if !session.editor().renames() {
        run_blocking(|| files.entry_changes().rename_entry(from, to))?;
        session.editor().tell(EditorNotice::Removed(rename.from));
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
    // Later decisions on this file go through the document under its new path.
    let follows = || session.files().document_at(from).is_none() && session.files().document_at(to).is_some();
    while !follows() && started.elapsed() < READ_BACK {
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

fn changed_fault(file: &ProposedFile) -> Fault {
    let what = file.what.as_deref().unwrap_or("the change");
    Fault::new(Code::Stale, format!("{} is not as it was when this was proposed: {what}", file.path))
        .with_suggestion("look at it again and propose the change anew")
        .with_details(serde_json::json!({ "path": file.path }))
}
