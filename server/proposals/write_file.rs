//! A text is put in its place: through the editor where it has the file open, else on the disk; and read back.
//!
//! # Invariants
//!
//! - No kind of change (lines, folders, copies, renames, modes, symlinks, bytes) is accepted otherwise than git makes
//!   it, and none is lost by an undo or by accepting half.
//!   Test: `each_kind_of_change_is_accepted_as_git_makes_it_and_undone`,
//!   `any_commit_is_accepted_as_git_makes_it_and_undone`, `half_of_a_commit_accepted_leaves_exactly_that_half`

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::base::text::TextEncoding;
use crate::base::{CallId, HunkId, WorkspacePath, hash, run_blocking};
use crate::ports::DocumentEdit;
use crate::protocol::{ChangeKind, Code, EditorNotice, Fault, Hunk, LineEdit, PathAccess, Proposal};
use crate::provenance::{
    DroppedRecord, EditedRecord, HunkSpan, LineRecord, StepRecord, WrittenBy, line_hash,
};
use crate::rules::FileOpener;
use crate::session::{TextSnapshot, WorkspaceSession, unencodable_error};
use crate::workspace::{CheckpointStep, Checkpoints, ExpectedFile, Permissions};

/// The time that a document may take to show an edit that its editor said it applied.
const READ_BACK: Duration = Duration::from_secs(3);

/// The call that something is done for: its checkpoint keeps what that replaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallRef<'a> {
    /// The call, or the undo's own id.
    pub call: &'a str,
    /// The session that holds the call.
    pub session: &'a str,
    /// For an undo, the call taken back.
    pub undoes: Option<&'a str>,
}

impl<'a> CallRef<'a> {
    /// The call of a proposal.
    pub(super) fn of_proposal(proposal: &'a Proposal) -> Self {
        Self { call: &proposal.call_id, session: &proposal.session, undoes: None }
    }

    /// Keeps what a step is about to replace.
    pub(super) fn record_step(self, session: &WorkspaceSession, step: CheckpointStep) -> Result<(), Fault> {
        self.record_step_with(session, step, LineAttribution::default())
    }

    /// Records a step in the call's checkpoint before the file is replaced, and the authors of its lines in the line history.
    pub(super) fn record_step_with(
        self,
        session: &WorkspaceSession,
        step: CheckpointStep,
        note: LineAttribution,
    ) -> Result<(), Fault> {
        let checkpoints = Checkpoints::new(session.workspace().state());
        let lines = self.line_record(&step, note);
        checkpoints.record_steps(self.call, self.session, self.undoes, vec![step])?;
        session.line_history().add_record(&lines);
        Ok(())
    }

    /// Keeps at once that folders are about to be made.
    fn record_folders(self, session: &WorkspaceSession, folders: &[WorkspacePath]) -> Result<(), Fault> {
        let step = |folder| CheckpointStep::new(folder, ChangeKind::Mkdir);
        let steps: Vec<CheckpointStep> = folders.iter().map(step).collect();
        let lines: Vec<_> =
            steps.iter().map(|step| self.line_record(step, LineAttribution::default())).collect();
        let checkpoints = Checkpoints::new(session.workspace().state());
        checkpoints.record_steps(self.call, self.session, self.undoes, steps)?;
        lines.iter().for_each(|lines| session.line_history().add_record(lines));
        Ok(())
    }

    fn line_record(self, step: &CheckpointStep, note: LineAttribution) -> LineRecord {
        LineRecord::Step(StepRecord {
            session: self.session.to_owned(),
            call: self.call.into(),
            undoes: self.undoes.map(CallId::from),
            path: step.path.clone(),
            from: step.from.clone(),
            kind: step.kind,
            before: step.before.clone(),
            after: step.after.clone(),
            hunks: if note.hunks.is_empty() { step.hunks.clone() } else { note.hunks },
            spans: note.spans,
            outside: note.outside,
            back: step.back,
        })
    }

    /// Takes back the last step recorded: it did not happen. One that stays recorded is harmless: there is nothing to take
    /// back where nothing changed.
    pub(super) fn discard_last_step(self, session: &WorkspaceSession) {
        let _ = Checkpoints::new(session.workspace().state()).drop_last_step(self.call, self.session);
        let dropped = DroppedRecord { session: self.session.to_owned(), call: self.call.into() };
        session.line_history().add_record(&LineRecord::Dropped(dropped));
    }
}

/// The attribution of the lines that a step changes, in addition to the step itself.
#[derive(Debug, Default)]
pub(super) struct LineAttribution {
    /// The lines where each hunk goes.
    pub spans: Vec<HunkSpan>,
    /// Its hunks, where the step does not name them.
    pub hunks: Vec<HunkId>,
    /// Set where no known agent or person made the change.
    pub outside: bool,
}

/// A text to put in place.
#[derive(Debug)]
pub(super) struct FileWrite<'a> {
    /// The call that it is done for.
    pub behalf: CallRef<'a>,
    /// The name that the person sees for the change.
    pub label: String,
    /// The file.
    pub path: &'a WorkspacePath,
    /// The text that is replaced; none where there is no file.
    pub before: Option<&'a TextSnapshot>,
    /// The text put there; none removes the file.
    pub after: Option<&'a str>,
    /// The encoding of the file's bytes.
    pub encoding: TextEncoding,
    /// The permissions of a file that it makes.
    pub new_permissions: Option<Permissions>,
    /// The changed lines, for an editor.
    pub edits: Vec<LineEdit>,
    /// The hunks of the call's proposal that this puts in place.
    pub hunks: &'a [HunkId],
    /// True where it takes them out instead.
    pub back: bool,
}

/// Puts a text in place and returns the text that is there afterwards, which an editor may have changed.
///
/// # Errors
/// PERMISSION_DENIED by the current rules; STALE where the file no longer equals `before`; and the error of writing.
/// Then the old text is still there, unless the fault states `applied`.
pub(super) async fn write_file(
    session: &Arc<WorkspaceSession>,
    put: FileWrite<'_>,
) -> Result<Option<TextSnapshot>, Fault> {
    // A proposal may have waited while the rules changed, and an editor knows none.
    session.files().opened_by(FileOpener::Person).paths().admit_path(PathAccess::Write, put.path)?;
    let ready = run_blocking(|| prepare_write(session, &put))?;
    let done = match (session.files().document_at(put.path), put.after, put.before) {
        (Some(_), Some(text), Some(before)) => write_in_editor(session, &put, before, text)
            .await
            .and_then(|()| run_blocking(|| set_new_permissions(session, &put))),
        (Some(document), None, Some(before)) => {
            run_blocking(|| remove_open(session, &put, &document.uri, before))
        }
        _ => run_blocking(|| write_on_disk(session, &put, ready.after.as_deref())),
    };
    if let Err(fault) = done {
        if fault.applied != Some(true) {
            put.behalf.discard_last_step(session);
            unmake_folders(session, put.behalf, &ready.made);
        }
        return Err(fault);
    }
    session.files().note_known(put.path);
    session.files().known_files().note_write(put.path);
    // The disk decides whether a file exists: an editor goes on showing one that was removed.
    if put.after.is_none()
        && session.files().opened_by(FileOpener::Person).stat(put.path).is_ok_and(|stat| stat.is_none())
    {
        return Ok(None);
    }
    session.files().read_text(put.path).map_err(|error| Fault { applied: Some(true), ..error.into() })
}

/// The bytes to write and the folders that were made for them, before the change itself is made.
struct PreparedWrite {
    /// The bytes put there.
    after: Option<Vec<u8>>,
    /// The folders that were made on the way, outermost first.
    made: Vec<WorkspacePath>,
}

/// Keeps what a change replaces and what it puts there, and makes the folders that it needs.
fn prepare_write(session: &WorkspaceSession, put: &FileWrite<'_>) -> Result<PreparedWrite, Fault> {
    let bytes =
        |text| put.encoding.encode_text(text).map_err(|c| unencodable_error(put.path, put.encoding, c));
    let before = put.before.map(|before| bytes(&before.text)).transpose()?;
    let after = put.after.map(bytes).transpose()?;
    let state = session.workspace().state();
    let kind = match (&before, &after) {
        (None, _) => ChangeKind::Create,
        (_, None) => ChangeKind::Delete,
        _ => ChangeKind::Edit,
    };
    let step = CheckpointStep {
        before: before.as_deref().map(|bytes| state.put_object(bytes)).transpose()?,
        after: after.as_deref().map(|bytes| state.put_object(bytes)).transpose()?,
        encoding: Some(put.encoding),
        hunks: put.hunks.to_vec(),
        back: put.back,
        gives: put.new_permissions.filter(|_| kind == ChangeKind::Create),
        ..CheckpointStep::new(put.path, kind)
    };
    let step = step.with_bits(&session.files().opened_by(FileOpener::Person));
    let note = LineAttribution { spans: edit_spans(&put.edits), ..LineAttribution::default() };
    // Also for a document that was opened where there is no file yet: its editor saves it there.
    let (made, done) = match (put.after, put.path.parent()) {
        (Some(_), Some(parent)) => make_folders(session, put.behalf, &parent),
        _ => (Vec::new(), Ok(())),
    };
    match done.and_then(|()| put.behalf.record_step_with(session, step, note)) {
        Ok(()) => Ok(PreparedWrite { after: after.map(Cow::into_owned), made }),
        Err(fault) => {
            unmake_folders(session, put.behalf, &made);
            Err(Fault { applied: None, ..fault })
        }
    }
}

/// Returns the lines that the edits replace and the number of lines that they put there.
fn edit_spans(edits: &[LineEdit]) -> Vec<HunkSpan> {
    let lines = |text: &str| u32::try_from(text.split_inclusive('\n').count()).unwrap_or(u32::MAX);
    edits.iter().map(|edit| (edit.start, edit.count, lines(&edit.text))).collect()
}

/// Gives a file that an editor made its permissions.
fn set_new_permissions(session: &WorkspaceSession, put: &FileWrite<'_>) -> Result<(), Fault> {
    let Some(gives) = put.new_permissions.filter(|gives| gives.is_executable()) else { return Ok(()) };
    let given =
        session.files().opened_by(FileOpener::Person).entry_changes().set_permissions(put.path, gives);
    given.map_err(|error| Fault { applied: Some(true), ..error.into() })
}

/// Removes a file that an editor shows, and notifies the editor that its document has no file any more.
fn remove_open(
    session: &WorkspaceSession,
    put: &FileWrite<'_>,
    uri: &str,
    before: &TextSnapshot,
) -> Result<(), Fault> {
    let path = put.path;
    if before.unsaved {
        return Err(Fault::new(Code::Stale, format!("{path} has unsaved changes in the editor"))
            .with_suggestion("ask the person to save or close it, then remove it")
            .with_details(json!({ "path": path, "hash": before.hash })));
    }
    write_on_disk(session, put, None)?;
    session.editor().tell(EditorNotice::Removed(uri.to_owned()));
    Ok(())
}

/// Records a change of text that is there already.
///
/// # Errors
/// The error that keeps it from being recorded.
pub(super) fn record_text_change(
    session: &WorkspaceSession,
    behalf: CallRef<'_>,
    path: &WorkspacePath,
    (was, now): (&str, &str),
    encoding: TextEncoding,
    hunks: &[&Hunk],
) -> Result<(), Fault> {
    let keep = |text: &str| {
        let bytes = encoding.encode_text(text).map_err(|c| unencodable_error(path, encoding, c))?;
        Ok::<_, Fault>(session.workspace().state().put_object(&bytes)?)
    };
    let (before, after) = (Some(keep(was)?), Some(keep(now)?));
    let step = CheckpointStep {
        before,
        after,
        encoding: Some(encoding),
        ..CheckpointStep::new(path, ChangeKind::Edit)
    };
    // A person may have typed near them.
    let line = |line: &String| (line_hash(line), WrittenBy::Agent);
    for hunk in hunks {
        session.line_history().add_record(&LineRecord::Edited(EditedRecord {
            session: behalf.session.to_owned(),
            call: behalf.call.into(),
            hunk: hunk.id.clone(),
            lines: hunk.new.iter().map(line).collect(),
        }));
    }
    let hunks = hunks.iter().map(|hunk| hunk.id.clone()).collect();
    behalf.record_step_with(session, step, LineAttribution { hunks, ..LineAttribution::default() })
}

/// Through the editor: it makes the edit in its own version of the text, saves it where it was saved before,
/// and what it claims is checked against what it then sends.
async fn write_in_editor(
    session: &Arc<WorkspaceSession>,
    put: &FileWrite<'_>,
    before: &TextSnapshot,
    after: &str,
) -> Result<(), Fault> {
    let stale = |now: Option<&str>| {
        Fault::new(Code::Stale, format!("{} changed in the editor meanwhile", put.path)).with_details(json!({
            "path": put.path,
            "expected_hash": before.hash,
            "hash": now.and_then(|now| put.encoding.encode_text(now).ok()).map(|bytes| hash::short_hash(&bytes)),
        }))
    };
    let document = session.files().document_at(put.path).ok_or_else(|| stale(None))?;
    if *document.text != before.text {
        return Err(stale(Some(&document.text)));
    }
    let mut changes = session.files().documents().watch_changes();
    let edit = DocumentEdit {
        uri: document.uri.clone(),
        version: document.version,
        edits: put.edits.clone(),
        label: put.label.clone(),
        save: !before.unsaved,
    };
    let claimed = session.editor().apply(edit).await;
    let shows = || session.files().document_at(put.path).is_none_or(|now| *now.text == *after);
    let deadline = tokio::time::Instant::now() + if claimed == Ok(true) { READ_BACK } else { Duration::ZERO };
    while !shows() {
        if tokio::time::timeout_at(deadline, changes.changed()).await.is_err() {
            break;
        }
    }
    let now = session.files().document_at(put.path);
    match (now, claimed) {
        // The document was closed in the meantime: read the file on the disk.
        (None, _) => match session.files().read_text(put.path)? {
            Some(now) if now.text == after => Ok(()),
            _ => Err(Fault::new(Code::Stale, format!("the editor closed {} without saving", put.path))),
        },
        (Some(now), _) if *now.text != before.text => Ok(()),
        (Some(_), Ok(_)) => {
            Err(Fault::new(Code::Rejected, format!("the editor did not change {}", put.path)))
        }
        (Some(_), Err(why)) => {
            Err(Fault::new(Code::Rejected, format!("the editor did not change {}: {why}", put.path)))
        }
    }
}

fn write_on_disk(session: &WorkspaceSession, put: &FileWrite<'_>, after: Option<&[u8]>) -> Result<(), Fault> {
    let (path, before) = (put.path, put.before);
    let expect = before.map_or(ExpectedFile::Absent, |before| ExpectedFile::Hash(before.hash.clone()));
    match after {
        Some(bytes) => {
            let gives = put.new_permissions.unwrap_or(Permissions::PLAIN);
            session.files().opened_by(FileOpener::Person).write_bytes_as(path, bytes, &expect, gives)?;
        }
        None => session.files().opened_by(FileOpener::Person).remove_file(path, &expect)?,
    }
    Ok(())
}

/// The folders that are not there yet on the way to `path`, outermost first.
fn missing_folders(session: &WorkspaceSession, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Fault> {
    let mut missing = Vec::new();
    let mut at = Some(path.clone());
    while let Some(folder) = at.filter(|folder| !folder.is_root()) {
        if session.files().opened_by(FileOpener::Person).stat(&folder)?.is_some() {
            break;
        }
        at = folder.parent();
        missing.push(folder);
    }
    missing.reverse();
    Ok(missing)
}

/// Makes the folders that are missing up to `path`, and gives those that were recorded, outermost first, whatever
/// came of it. Each is recorded before it is made: a step without its folder is harmless to undo.
pub(super) fn make_folders(
    session: &WorkspaceSession,
    behalf: CallRef<'_>,
    path: &WorkspacePath,
) -> (Vec<WorkspacePath>, Result<(), Fault>) {
    let mut made = Vec::new();
    let done = missing_folders(session, path).and_then(|missing| {
        if missing.is_empty() {
            return Ok(());
        }
        behalf.record_folders(session, &missing)?;
        made = missing;
        Ok(session.files().opened_by(FileOpener::Person).make_folders(path).map(drop)?)
    });
    (made, done)
}

/// Takes back folders that are of no use: what they were made for failed. One that somebody uses by now stays.
pub(super) fn unmake_folders(session: &WorkspaceSession, behalf: CallRef<'_>, made: &[WorkspacePath]) {
    for folder in made.iter().rev() {
        let _ = session.files().opened_by(FileOpener::Person).remove_folder(folder);
        behalf.discard_last_step(session);
    }
}
