//! Every file of a call is brought back as planned, and that is logged.

use super::UndoRunner;
use super::plan::{RevertPlanner, StepRevert, overlap_fault};
use crate::base::text::TextEncoding;
use crate::base::{CallId, WorkspacePath, ids::unique_word, run_blocking};
use crate::journal::JournalError;
use crate::patch;
use crate::proposals::decide::took_effect;
use crate::proposals::write_file::{CallRef, FileWrite, write_file};
use crate::protocol::{ChangeKind, Code, Event, Fault, LineEdit};
use crate::rules::FileOpener;
use crate::session::TextSnapshot;
use crate::workspace::{Checkpoint, CheckpointStep, Checkpoints, Permissions, StepStanding};

impl UndoRunner {
    /// Takes back every file of a checkpoint, and logs that. Gives the undo's id and the files.
    pub(super) async fn take_all_back(
        &self,
        checkpoint: &Checkpoint,
    ) -> Result<(CallId, Vec<WorkspacePath>), Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let session = self.session.log().journal()?.session().to_owned();
        let undo_id = CallId::from(format!("u-{}", unique_word()));
        let backs = RevertPlanner { session: &self.session }.plan_reverts(checkpoint)?;
        let (mut paths, mut left) = (Vec::new(), Vec::new());
        let (mut doubt, mut stopped) = (None, None);
        for back in backs.iter().rev() {
            let behalf = CallRef { call: &undo_id, session: &session, undoes: Some(&checkpoint.call) };
            let taken = match self.take_back(behalf, back).await {
                Ok(taken) => taken,
                // The change took effect: the undo goes on, and reports at its end what is uncertain.
                Err(fault) if fault.applied == Some(true) => {
                    doubt = Some(fault);
                    RevertOutcome::Restored
                }
                Err(fault) => {
                    stopped = Some(fault);
                    break;
                }
            };
            match taken {
                RevertOutcome::Restored if !paths.contains(&back.step.path) => {
                    paths.push(back.step.path.clone())
                }
                RevertOutcome::Restored => {}
                RevertOutcome::NotDone(why) => left.push(format!("{} {why}", back.step.path)),
            }
        }
        match (paths.is_empty(), stopped) {
            (true, Some(fault)) => return Err(fault),
            (true, None) => {
                return Err(nothing_left(
                    checkpoint,
                    &left,
                    checkpoints.latest_change(Some(checkpoint.time)).ok(),
                ));
            }
            // Some files are as before the call and others not: the part that was done is reported, and the rest can be
            // tried again.
            (false, Some(fault)) => doubt = Some(Fault { applied: Some(true), ..fault }),
            (false, None) => {
                checkpoints.save_checkpoint(&Checkpoint { undone: true, ..checkpoint.clone() })?;
                if let Some(undone) = &checkpoint.undoes
                    && let Ok(mut first) = checkpoints.find_checkpoint(undone)
                {
                    first.undone = false;
                    checkpoints.save_checkpoint(&first)?;
                }
            }
        }
        let applied = |error: JournalError| Fault { applied: Some(true), ..error.into() };
        let event = Event::Undo {
            call_id: checkpoint.call.clone(),
            session: (checkpoint.session != session).then(|| checkpoint.session.clone()),
            undo_id: undo_id.clone(),
            paths: paths.clone(),
        };
        let done = self.session.log().write_event(event).map_err(applied)?;
        self.session.log().journal()?.wait_durable(done).await.map_err(applied)?;
        doubt.map_or(Ok((undo_id, paths)), Err)
    }

    async fn take_back(&self, behalf: CallRef<'_>, back: &StepRevert) -> Result<RevertOutcome, Fault> {
        let path = &back.step.path;
        let label = format!("wherefore: undo {}", behalf.undoes.unwrap_or_default());
        let Some(text) = &back.text else {
            return self.take_whole_back(behalf, &label, &back.step).await;
        };
        let encoding = back.step.encoding.unwrap_or(TextEncoding::Utf8);
        // A file that the call removed is brought back on the disk, whatever an editor shows still.
        let before = match back.step.after.is_none() && self.session.files().is_gone(path)? {
            true => None,
            false => self.session.files().read_text(path)?,
        };
        if before.as_ref().map(|before| &before.text) == text.as_ref() {
            // Most often the person took it back in the editor, which knows how to bring it back.
            return Ok(RevertOutcome::NotDone(match before.is_some_and(|before| before.unsaved) {
                true => "is as it was before, in the editor, where it is not saved yet",
                false => "is as it was before",
            }));
        }
        let busy = self.texts.mark_placing(path);
        let done = write_file(
            &self.session,
            FileWrite {
                behalf,
                label,
                path,
                before: before.as_ref(),
                after: text.as_deref(),
                encoding,
                new_permissions: back.step.bits.map(Permissions::Exactly),
                edits: line_edits(before.as_ref(), text.as_deref()),
                hunks: &[],
                back: false,
            },
        )
        .await;
        drop(busy);
        let now = done?;
        self.texts.reposition_hunks(path, now.as_ref().map(|now| now.text.as_str()));
        match now.as_ref().map(|now| &now.text) == text.as_ref() {
            true => Ok(RevertOutcome::Restored),
            false => Err(Fault::new(Code::Rejected, format!("the editor did not bring {path} back"))),
        }
    }

    /// Takes a step without lines back.
    async fn take_whole_back(
        &self,
        behalf: CallRef<'_>,
        label: &str,
        step: &CheckpointStep,
    ) -> Result<RevertOutcome, Fault> {
        let reversed = CheckpointStep { hunks: Vec::new(), back: false, ..step.reverse_step() };
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let files = self.session.files().opened_by(FileOpener::Person);
        match run_blocking(|| reversed.find_standing(&files, limit))? {
            StepStanding::Before => {}
            StepStanding::After if step.kind == ChangeKind::Mkdir => {
                return Ok(RevertOutcome::NotDone("is not there any more"));
            }
            StepStanding::After => return Ok(RevertOutcome::NotDone("is as it was before")),
            StepStanding::Neither => return Err(overlap_fault(&step.path, "it was changed since")),
        }
        let done = self.steps.carry_out(behalf, label, &reversed).await;
        if done.is_ok() || took_effect(&done) {
            self.texts.follow_step_rename(&reversed);
        }
        match done {
            Ok(()) => Ok(RevertOutcome::Restored),
            // A folder that something was put into since is left: the undo takes back what the call did, no more.
            Err(fault) if reversed.kind == ChangeKind::Rmdir && fault.code == Code::InvalidArgs => {
                Ok(RevertOutcome::NotDone("holds something by now and stays"))
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The outcome of taking one file back.
enum RevertOutcome {
    /// It is as it was before the call.
    Restored,
    /// Nothing was done, and why.
    NotDone(&'static str),
}

/// The answer where a call's change does not stand any more: no undo that could itself be undone.
fn nothing_left(checkpoint: &Checkpoint, left: &[String], earlier: Option<Checkpoint>) -> Fault {
    let call = &checkpoint.call;
    let fault =
        Fault::new(Code::NotFound, format!("nothing of {call} is left to take back: {}", left.join("; ")));
    match earlier {
        Some(earlier) => fault
            .with_suggestion(format!("`wherefore undo {}` takes the change before it back", earlier.call)),
        None => fault
            .with_suggestion("it is the earliest change that stands; `wherefore log` shows what was done"),
    }
}

fn line_edits(before: Option<&TextSnapshot>, after: Option<&str>) -> Vec<LineEdit> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let edit = |cut: patch::ChangedLines| LineEdit {
        start: u32::try_from(cut.old_start).unwrap_or(u32::MAX),
        count: u32::try_from(cut.old.len()).unwrap_or(u32::MAX),
        text: cut.new.concat(),
    };
    patch::cut_hunks(&before.text, after).into_iter().map(edit).collect()
}
