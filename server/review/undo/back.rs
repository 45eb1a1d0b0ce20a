//! Every file of a call is brought back as planned, and that is logged.

use super::plan::{Back, overlap};
use crate::base::text::Encoding;
use crate::base::{CallId, WorkspacePath, blocking, ids::unique};
use crate::journal::JournalError;
use crate::patch;
use crate::ports::LineEdit;
use crate::protocol::{ChangeKind, Code, Event, Fault};
use crate::review::apply::{Behalf, Put, put};
use crate::review::decide::took_effect;
use crate::review::queue::ProposalQueue;
use crate::rules::Opener;
use crate::session::Snapshot;
use crate::workspace::{Checkpoint, Checkpoints, Permissions, Standing, Step};

impl ProposalQueue {
    /// Takes back every file of a checkpoint, and logs that. Gives the undo's id and the files.
    pub(super) async fn take_all_back(
        &self,
        checkpoint: &Checkpoint,
    ) -> Result<(CallId, Vec<WorkspacePath>), Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let session = self.session.log().journal()?.session().to_owned();
        let undo_id = CallId::from(format!("u-{}", unique()));
        let backs = self.plan(checkpoint)?;
        let (mut paths, mut left) = (Vec::new(), Vec::new());
        let (mut doubt, mut stopped) = (None, None);
        for back in backs.iter().rev() {
            let behalf = Behalf { call: &undo_id, session: &session, undoes: Some(&checkpoint.call) };
            let taken = match self.take_back(behalf, back).await {
                Ok(taken) => taken,
                // It took effect: the undo goes on, and says at its end what is not certain.
                Err(fault) if fault.applied == Some(true) => {
                    doubt = Some(fault);
                    Taken::Back
                }
                Err(fault) => {
                    stopped = Some(fault);
                    break;
                }
            };
            match taken {
                Taken::Back if !paths.contains(&back.step.path) => paths.push(back.step.path.clone()),
                Taken::Back => {}
                Taken::Not(why) => left.push(format!("{} {why}", back.step.path)),
            }
        }
        match (paths.is_empty(), stopped) {
            (true, Some(fault)) => return Err(fault),
            (true, None) => {
                return Err(nothing_left(checkpoint, &left, checkpoints.last(Some(checkpoint.time)).ok()));
            }
            // Some files are as before the call and others not: what is done is told, and the rest can be tried again.
            (false, Some(fault)) => doubt = Some(Fault { applied: Some(true), ..fault }),
            (false, None) => {
                checkpoints.save(&Checkpoint { undone: true, ..checkpoint.clone() })?;
                if let Some(undone) = &checkpoint.undoes
                    && let Ok(mut first) = checkpoints.find(undone)
                {
                    first.undone = false;
                    checkpoints.save(&first)?;
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
        let done = self.session.log().write(event).map_err(applied)?;
        self.session.log().journal()?.durable(done).await.map_err(applied)?;
        doubt.map_or(Ok((undo_id, paths)), Err)
    }

    async fn take_back(&self, behalf: Behalf<'_>, back: &Back) -> Result<Taken, Fault> {
        let path = &back.step.path;
        let label = format!("wherefore: undo {}", behalf.undoes.unwrap_or_default());
        let Some(text) = &back.text else {
            return self.take_whole_back(behalf, &label, &back.step).await;
        };
        let encoding = back.step.encoding.unwrap_or(Encoding::Utf8);
        // A file that the call removed is brought back on the disk, whatever an editor shows still.
        let before = match back.step.after.is_none() && self.is_gone(path)? {
            true => None,
            false => self.session.files().text(path)?,
        };
        if before.as_ref().map(|before| &before.text) == text.as_ref() {
            // Most often the person took it back in the editor, which knows how to bring it back.
            return Ok(Taken::Not(match before.is_some_and(|before| before.unsaved) {
                true => "is as it was before, in the editor, where it is not saved yet",
                false => "is as it was before",
            }));
        }
        let busy = self.placing(path);
        let done = put(
            &self.session,
            Put {
                behalf,
                label,
                path,
                before: before.as_ref(),
                after: text.as_deref(),
                encoding,
                gives: back.step.bits.map(Permissions::Exactly),
                edits: edits(before.as_ref(), text.as_deref()),
                hunks: &[],
                back: false,
            },
        )
        .await;
        drop(busy);
        let now = done?;
        self.replace(path, now.as_ref().map(|now| now.text.as_str()));
        match now.as_ref().map(|now| &now.text) == text.as_ref() {
            true => Ok(Taken::Back),
            false => Err(Fault::new(Code::Rejected, format!("the editor did not bring {path} back"))),
        }
    }

    /// Takes a step without lines back.
    async fn take_whole_back(&self, behalf: Behalf<'_>, label: &str, step: &Step) -> Result<Taken, Fault> {
        let reversed = Step { hunks: Vec::new(), back: false, ..step.reversed() };
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let files = self.session.files().opened_by(Opener::Person);
        match blocking(|| files.standing(&reversed, limit))? {
            Standing::Before => {}
            Standing::After if step.kind == ChangeKind::Mkdir => {
                return Ok(Taken::Not("is not there any more"));
            }
            Standing::After => return Ok(Taken::Not("is as it was before")),
            Standing::Neither => return Err(overlap(&step.path, "it was changed since")),
        }
        let done = self.carry_out(behalf, label, &reversed).await;
        if done.is_ok() || took_effect(&done) {
            self.followed(&reversed);
        }
        match done {
            Ok(()) => Ok(Taken::Back),
            // A folder that something was put into since is left: the undo takes back what the call did, no more.
            Err(fault) if reversed.kind == ChangeKind::Rmdir && fault.code == Code::InvalidArgs => {
                Ok(Taken::Not("holds something by now and stays"))
            }
            Err(fault) => Err(fault),
        }
    }
}

/// What became of one file that an undo was to bring back.
enum Taken {
    /// It is as it was before the call.
    Back,
    /// Nothing was done, and why.
    Not(&'static str),
}

/// The answer where a call's change does not stand any more: no undo that could itself be undone.
fn nothing_left(checkpoint: &Checkpoint, left: &[String], earlier: Option<Checkpoint>) -> Fault {
    let call = &checkpoint.call;
    let fault =
        Fault::new(Code::NotFound, format!("nothing of {call} is left to take back: {}", left.join("; ")));
    match earlier {
        Some(earlier) => {
            fault.suggest(format!("`wherefore undo {}` takes the change before it back", earlier.call))
        }
        None => fault.suggest("it is the earliest change that stands; `wherefore log` shows what was done"),
    }
}

fn edits(before: Option<&Snapshot>, after: Option<&str>) -> Vec<LineEdit> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let edit = |cut: patch::Cut| LineEdit {
        start: u32::try_from(cut.old_start).unwrap_or(u32::MAX),
        count: u32::try_from(cut.old.len()).unwrap_or(u32::MAX),
        text: cut.new.concat(),
    };
    patch::cut(&before.text, after).into_iter().map(edit).collect()
}
