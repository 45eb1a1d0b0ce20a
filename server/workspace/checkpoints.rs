//! The checkpoints of applied changes: the replaced content is kept so that a change can be taken back.

use serde::{Deserialize, Serialize};

use super::error::CheckpointError;
use super::permissions::Permissions;
use super::state::WorkspaceState;
use crate::base::text::TextEncoding;
use crate::base::{CallId, HunkId, WorkspacePath};
use crate::protocol::{ChangeKind, Code};

/// An applied change of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckpointStep {
    /// Relative to the workspace's root.
    pub path: WorkspacePath,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The blob of the bytes before; none where there was nothing, or a folder.
    pub before: Option<String>,
    /// The blob of the bytes after; none where nothing is left, or a folder.
    pub after: Option<String>,
    /// The encoding of both, where they are text.
    pub encoding: Option<TextEncoding>,
    /// The hunks of the call's proposal that it puts in place, or takes out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkId>,
    /// True where it takes them out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// For a rename, where from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkspacePath>,
    /// The permission bits of the file that stood there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// The permissions of the file afterwards: of one that it makes, and of a change of mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives: Option<Permissions>,
}

impl CheckpointStep {
    /// A step with nothing to keep yet.
    pub(crate) fn new(path: &WorkspacePath, kind: ChangeKind) -> Self {
        Self {
            path: path.clone(),
            kind,
            before: None,
            after: None,
            encoding: None,
            hunks: Vec::new(),
            back: false,
            from: None,
            bits: None,
            gives: None,
        }
    }
}

/// Everything that one call changed, or one undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// The time when its last step was recorded, in nanoseconds since 1970: orders the checkpoints of a workspace.
    pub time: i64,
    /// The call, or the undo's own id.
    pub call: CallId,
    /// The session that holds it.
    pub session: String,
    /// For an undo, the call that it took back.
    #[serde(default)]
    pub undoes: Option<CallId>,
    /// True where it was taken back.
    #[serde(default)]
    pub undone: bool,
    /// The steps, in order.
    pub steps: Vec<CheckpointStep>,
}

impl Checkpoint {
    /// Returns whether none of its steps is about the workspace as a whole.
    fn holds_together(&self) -> bool {
        self.steps
            .iter()
            .all(|step| !step.path.is_root() && !step.from.as_ref().is_some_and(WorkspacePath::is_root))
    }
}

/// The checkpoints of a workspace: `checkpoints/SESSION/CALL.json`, the bytes as blobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoints<'a> {
    state: &'a WorkspaceState,
}

impl<'a> Checkpoints<'a> {
    /// The state folder of checkpoints.
    pub(crate) const FOLDER: &'static str = "checkpoints";

    /// Returns the checkpoints kept in `state`.
    pub(crate) fn new(state: &'a WorkspaceState) -> Self {
        Self { state }
    }

    /// Keeps what steps are about to replace and what they put there: on the disk before this returns, so that
    /// they can be taken back even when the process dies half-way through them.
    pub(crate) fn record_steps(
        &self,
        call: &str,
        session: &str,
        undoes: Option<&str>,
        steps: Vec<CheckpointStep>,
    ) -> Result<(), CheckpointError> {
        let mut checkpoint = self.read_checkpoint(session, call)?.unwrap_or_else(|| Checkpoint {
            time: 0,
            call: call.into(),
            session: session.to_owned(),
            undoes: undoes.map(CallId::from),
            undone: false,
            steps: Vec::new(),
        });
        checkpoint.time = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
        checkpoint.undone = false;
        checkpoint.steps.extend(steps);
        self.save_checkpoint(&checkpoint)
    }

    /// Takes back the last step recorded for `call`: it did not happen.
    pub(crate) fn drop_last_step(&self, call: &str, session: &str) -> Result<(), CheckpointError> {
        let Some(mut checkpoint) = self.read_checkpoint(session, call)? else { return Ok(()) };
        checkpoint.steps.pop();
        match checkpoint.steps.is_empty() {
            true => Ok(self.state.remove_file(&checkpoint_file(session, call)).map(drop)?),
            false => self.save_checkpoint(&checkpoint),
        }
    }

    /// Writes a checkpoint as it is now.
    pub(crate) fn save_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if ![&*checkpoint.session, &*checkpoint.call].into_iter().all(is_name) {
            return Err(CheckpointError::Name { call: checkpoint.call.clone() });
        }
        let json = serde_json::to_vec(checkpoint)?;
        Ok(self.state.write_file(&checkpoint_file(&checkpoint.session, &checkpoint.call), &json)?)
    }

    /// The newest checkpoint of a call, as `c-0007` or `SESSION/c-0007`.
    pub(crate) fn find_checkpoint(&self, call: &str) -> Result<Checkpoint, CheckpointError> {
        let found = match call.rsplit_once('/') {
            Some((session, id)) => self.read_checkpoint(session, id)?,
            None => {
                let sessions = self.state.list_folder(Self::FOLDER)?;
                let read = |session: String| self.read_checkpoint(&session, call).transpose();
                let found = sessions.into_iter().filter_map(read).collect::<Result<Vec<_>, _>>()?;
                found.into_iter().max_by_key(|checkpoint| checkpoint.time)
            }
        };
        found.ok_or_else(|| CheckpointError::Missing { call: call.to_owned() })
    }

    /// The newest change that was not taken back and is not itself an undo; of those before a time where one is named.
    pub(crate) fn latest_change(&self, before: Option<i64>) -> Result<Checkpoint, CheckpointError> {
        let mut newest: Option<Checkpoint> = None;
        for session in self.state.list_folder(Self::FOLDER)? {
            for name in self.state.list_folder(&format!("{}/{session}", Self::FOLDER))? {
                let Some(call) = name.strip_suffix(".json") else { continue };
                let found = self.read_checkpoint(&session, call)?;
                let early = |found: &Checkpoint| before.is_none_or(|before| found.time < before);
                let stands = found.filter(|found| !found.undone && found.undoes.is_none() && early(found));
                newest = newest.into_iter().chain(stands).max_by_key(|checkpoint| checkpoint.time);
            }
        }
        newest.ok_or(CheckpointError::NothingToUndo)
    }

    /// A checkpoint that cannot be read is passed over: it must not keep the others from being undone.
    fn read_checkpoint(&self, session: &str, call: &str) -> Result<Option<Checkpoint>, CheckpointError> {
        if ![session, call].into_iter().all(is_name) {
            return Ok(None);
        }
        let bytes = match self.state.read_file(&checkpoint_file(session, call)) {
            Err(error) if matches!(error.code(), Code::InvalidArgs | Code::Unsupported) => None,
            read => read?,
        };
        let found = bytes.and_then(|bytes| serde_json::from_slice::<Checkpoint>(&bytes).ok());
        Ok(found.filter(|found| found.call == *call && found.session == session && found.holds_together()))
    }
}

/// Returns whether a file name is one of a checkpoint's, and leads to nothing above or below it.
fn is_name(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('.') && !word.contains(['/', '\0'])
}

fn checkpoint_file(session: &str, call: &str) -> String {
    format!("{}/{session}/{call}.json", Checkpoints::FOLDER)
}
