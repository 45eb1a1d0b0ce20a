//! Plans how each file of a call is taken back: everything is checked before anything is changed.

use std::collections::HashMap;

use crate::base::WorkspacePath;
use crate::base::text::{self, TextEncoding};
use crate::patch;
use crate::protocol::{ChangeKind, Code, Fault};
use crate::rules::FileOpener;
use crate::session::WorkspaceSession;
use crate::workspace::{Checkpoint, CheckpointStep, Permissions, StepStanding};

/// A step that is taken back.
pub(super) struct StepRevert {
    /// The step, or several of one file that follow on each other.
    pub step: CheckpointStep,
    /// The text to put there; the inner none removes the file. The outer none: a step without lines.
    pub text: Option<Option<String>>,
}

/// The expected state of a path once the later steps are taken back.
enum ExpectedState {
    /// This text, or no file.
    Text(Option<String>),
    /// The entry at another path on the disk.
    At(WorkspacePath),
    /// The entry that the step before left there: it is checked when it is changed.
    AsLeft,
}

/// The paths that are not as on the disk once the later steps are taken back.
type PathStates = HashMap<WorkspacePath, ExpectedState>;

/// The plan of an undo, by what the files of a session hold.
pub(super) struct RevertPlanner<'s> {
    /// The session.
    pub session: &'s WorkspaceSession,
}

impl RevertPlanner<'_> {
    /// Plans the content of each file after the undo. Steps of one file that follow on each other are taken back as
    /// one.
    ///
    /// # Errors
    /// STALE where somebody changed it since.
    pub(super) fn plan_reverts(&self, checkpoint: &Checkpoint) -> Result<Vec<StepRevert>, Fault> {
        let mut backs: Vec<StepRevert> = Vec::new();
        for step in &checkpoint.steps {
            let last = backs.iter().rposition(|back| touch_same_path(&back.step, step));
            let Some(back) = last.and_then(|at| backs.get_mut(at)).filter(|back| back.step.path == step.path)
            else {
                match last.filter(|at| backs.get(*at).is_some_and(|back| is_reverse(&back.step, step))) {
                    Some(at) => drop(backs.remove(at)),
                    None => backs.push(StepRevert { step: step.clone(), text: None }),
                }
                continue;
            };
            if is_reverse(&back.step, step) {
                last.into_iter().for_each(|at| drop(backs.remove(at)));
            } else if step.before.is_some() && back.step.after == step.before {
                back.step.after = step.after.clone();
                back.step.kind = merge_kinds(back.step.kind, step.kind);
            } else {
                backs.push(StepRevert { step: step.clone(), text: None });
            }
        }
        // Each is taken back on what the later ones leave.
        let mut paths = PathStates::new();
        for back in backs.iter_mut().rev() {
            match back.step.encoding {
                Some(encoding) => {
                    let text = self.plan_text(&back.step, encoding, &paths)?;
                    paths.insert(back.step.path.clone(), ExpectedState::Text(text.clone()));
                    back.text = Some(text);
                }
                None => self.plan_whole(&back.step, &mut paths)?,
            }
        }
        Ok(backs)
    }

    fn plan_text(
        &self,
        step: &CheckpointStep,
        encoding: TextEncoding,
        paths: &PathStates,
    ) -> Result<Option<String>, Fault> {
        let path = &step.path;
        let (before, after) =
            (self.blob_text(&step.before, encoding)?, self.blob_text(&step.after, encoding)?);
        let now = match paths.get(&step.path) {
            Some(ExpectedState::Text(text)) => text.clone(),
            Some(ExpectedState::At(at)) => self.session.files().read_text(at)?.map(|now| now.text),
            Some(ExpectedState::AsLeft) => after.clone(),
            None if after.is_none() && self.session.files().is_gone(path)? => None,
            None => self.session.files().read_text(path)?.map(|now| now.text),
        };
        match (&before, &after, &now) {
            // As the call left it, or as it was before: the call died before its write, or was taken back by hand.
            _ if now == after || now == before => Ok(before),
            (Some(before), Some(after), Some(now)) => merge_back(path, before, after, now).map(Some),
            _ => Err(overlap_fault(path, "it was removed, made anew or changed since")),
        }
    }

    /// A step without lines is taken back only where what it changed is as the call left it, or as it was before.
    fn plan_whole(&self, step: &CheckpointStep, paths: &mut PathStates) -> Result<(), Fault> {
        let path = &step.path;
        let limit = self.session.workspace().settings().limits.edit_bytes;
        let files = self.session.files().opened_by(FileOpener::Person);
        let at = match paths.get(&step.path) {
            None => Some(step.clone()),
            Some(ExpectedState::At(at)) => Some(CheckpointStep { path: at.clone(), ..step.clone() }),
            Some(ExpectedState::Text(_) | ExpectedState::AsLeft) => None,
        };
        let is_there = at.filter(|at| step.kind != ChangeKind::Rename || at.path == step.path);
        if let Some(step) = is_there
            && step.find_standing(&files, limit)? == StepStanding::Neither
        {
            return Err(overlap_fault(path, "it was changed since"));
        }
        match (step.kind, &step.from) {
            (ChangeKind::Rename, Some(from)) => {
                let shown = paths.remove(&step.path).unwrap_or(ExpectedState::At(path.clone()));
                paths.insert(from.clone(), shown);
                paths.insert(step.path.clone(), ExpectedState::AsLeft);
            }
            // It changes nothing of the text.
            (ChangeKind::Mode, _) => {}
            _ => drop(paths.insert(step.path.clone(), ExpectedState::AsLeft)),
        }
        Ok(())
    }

    fn blob_text(&self, blob: &Option<String>, encoding: TextEncoding) -> Result<Option<String>, Fault> {
        let Some(blob) = blob else { return Ok(None) };
        let bytes = self.session.workspace().state().get_object(blob)?.ok_or_else(|| {
            Fault::new(Code::NotFound, format!("the bytes {blob} that the undo needs are not kept any more"))
                .as_fatal()
        })?;
        let decoded = text::decode_text(&bytes);
        decoded
            .filter(|decoded| decoded.encoding == encoding || decoded.text.is_ascii())
            .map(|decoded| Some(decoded.text))
            .ok_or_else(|| Fault::internal(format!("the kept bytes {blob} are not {}", encoding.name())))
    }
}

/// Returns whether two steps are about one path.
fn touch_same_path(one: &CheckpointStep, other: &CheckpointStep) -> bool {
    let paths = |step: &CheckpointStep| {
        [Some(step.path.clone()), step.from.clone().filter(|_| step.kind == ChangeKind::Rename)]
    };
    let others = paths(other);
    paths(one).iter().flatten().any(|path| others.iter().flatten().any(|other| other == path))
}

/// Returns whether a step without lines takes back the one before it.
fn is_reverse(first: &CheckpointStep, then: &CheckpointStep) -> bool {
    let back = first.reverse_step();
    let same = (&back.path, &back.from, back.kind) == (&then.path, &then.from, then.kind);
    let executable = |step: &CheckpointStep| step.gives.map(Permissions::is_executable);
    let mode = first.kind != ChangeKind::Mode || executable(first) != executable(then);
    first.encoding.is_none()
        && then.back
        && same
        && mode
        && (&back.before, &back.after) == (&then.before, &then.after)
}

fn merge_kinds(first: ChangeKind, then: ChangeKind) -> ChangeKind {
    match (first, then) {
        (ChangeKind::Create, _) => ChangeKind::Create,
        (_, then) => then,
    }
}

/// The text now, with the change from `before` to `after` taken out of it.
fn merge_back(path: &WorkspacePath, before: &str, after: &str, now: &str) -> Result<String, Fault> {
    let mut places = Vec::new();
    for cut in patch::cut_hunks(after, before) {
        let line = patch::relocate_hunk(after, now, &cut).ok_or_else(|| {
            overlap_fault(path, &format!("a later edit overlaps at line {}", cut.old_start + 1))
        })?;
        places.push((line, cut));
    }
    places.sort_by_key(|(line, _)| *line);
    places.iter().rev().try_fold(now.to_owned(), |text, (line, cut)| {
        patch::splice_lines(&text, *line, &cut.old, &cut.new)
            .ok_or_else(|| overlap_fault(path, "later edits overlap"))
    })
}

pub(super) fn overlap_fault(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::Stale, format!("{path} cannot be brought back: {why}; nothing was changed"))
        .with_suggestion("take the later change back first, or edit the file by hand")
}
