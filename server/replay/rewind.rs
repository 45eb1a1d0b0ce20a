//! The copy as the workspace was before the session: what the session changed is taken back, by its checkpoints.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::base::{WorkspacePath, hash};
use crate::protocol::{ChangeKind, Fault};
use crate::workspace::{Checkpoint, CheckpointStep, Checkpoints, WorkspaceRoot, WorkspaceState};

/// The outcome of a rewind.
#[derive(Clone, Debug, Default)]
pub(super) struct RewindOutcome {
    /// The number of files that are as they were before the session.
    pub(super) files: usize,
    /// The changes that could not be taken back, a sentence each.
    pub(super) left: Vec<String>,
}

/// Takes back in `copy` what a session of the workspace at `root` changed.
pub(super) fn rewind_copy(
    copy: &Path,
    root: &Path,
    state: Option<&Path>,
    session: &str,
) -> Result<RewindOutcome, Fault> {
    let Some(base) = state else { return Ok(RewindOutcome::default()) };
    let state = WorkspaceState::new(Arc::new(WorkspaceRoot::open(root)?), Some(base.to_owned()));
    let mut rewound = RewindOutcome::default();
    for checkpoint in of_session(&state, session)?.into_iter().rev() {
        for step in checkpoint.steps.iter().rev() {
            match undo_step(copy, &state, step) {
                Ok(true) => rewound.files += 1,
                Ok(false) => {}
                Err(why) => rewound.left.push(format!("{}: {why}", step.path)),
            }
        }
    }
    Ok(rewound)
}

/// The checkpoints of a session, oldest first.
fn of_session(state: &WorkspaceState, session: &str) -> Result<Vec<Checkpoint>, Fault> {
    let checkpoints = Checkpoints::new(state);
    let names = match state.list_folder(&format!("{}/{session}", Checkpoints::FOLDER)) {
        Ok(names) if !session.is_empty() && !session.starts_with('.') && !session.contains('/') => names,
        _ => return Ok(Vec::new()),
    };
    let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
    let mut found: Vec<Checkpoint> =
        ids.filter_map(|id| checkpoints.find_checkpoint(&format!("{session}/{id}")).ok()).collect();
    found.sort_by_key(|checkpoint| checkpoint.time);
    Ok(found)
}

/// Takes one step back; whether anything was done.
fn undo_step(copy: &Path, state: &WorkspaceState, step: &CheckpointStep) -> Result<bool, String> {
    let place = |path: &WorkspacePath| copy.join(path.as_str());
    let at = place(&step.path);
    let disk = |error: std::io::Error| error.to_string();
    match (step.kind, &step.from) {
        (ChangeKind::Rename, Some(from)) if at.symlink_metadata().is_ok() && !place(from).exists() => {
            place(from).parent().map_or(Ok(()), fs::create_dir_all).map_err(disk)?;
            fs::rename(&at, place(from)).map_err(disk)?;
            Ok(true)
        }
        (ChangeKind::Mkdir, _) => Ok(fs::remove_dir(&at).is_ok()),
        (ChangeKind::Rmdir, _) => fs::create_dir_all(&at).map(|()| true).map_err(disk),
        (
            ChangeKind::Edit
            | ChangeKind::Create
            | ChangeKind::Delete
            | ChangeKind::Copy
            | ChangeKind::Binary,
            _,
        ) => undo_text(&at, state, step),
        _ => Err("a change of this kind is not taken back".to_owned()),
    }
}

fn undo_text(at: &Path, state: &WorkspaceState, step: &CheckpointStep) -> Result<bool, String> {
    let disk = |error: std::io::Error| error.to_string();
    let is_link = at.symlink_metadata().is_ok_and(|data| data.is_symlink());
    let now = fs::read(at).ok().filter(|_| !is_link).map(|bytes| hash::short_hash(&bytes));
    let blob = |hash: &Option<String>| match hash {
        Some(hash) => match state.get_object(hash) {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            _ => Err("what was there is not kept any more".to_owned()),
        },
        None => Ok(None),
    };
    let after = blob(&step.after)?.map(|bytes| hash::short_hash(&bytes));
    if now != after {
        return Err("it was changed since".to_owned());
    }
    match blob(&step.before)? {
        Some(bytes) => {
            at.parent().map_or(Ok(()), fs::create_dir_all).map_err(disk)?;
            fs::write(at, bytes).map_err(disk)?;
        }
        None => fs::remove_file(at).map_err(disk)?,
    }
    Ok(true)
}
