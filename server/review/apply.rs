//! A text is put in its place: through the editor where it has the file open, else on the disk; and read back.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::base::text::Encoding;
use crate::base::{CallId, HunkId, WorkspacePath, blocking, hash};
use crate::ports::{DocumentEdit, LineEdit};
use crate::protocol::{Access, ChangeKind, Code, Fault, Hunk, Notice};
use crate::provenance::{DroppedRecord, EditedRecord, LineRecord, Span, StepRecord, WrittenBy, line_hash};
use crate::rules::Opener;
use crate::session::{Session, Snapshot, unencodable};
use crate::workspace::{Checkpoints, Expect, Permissions, Step};

/// How long a document may take to show an edit that its editor said it applied.
const READ_BACK: Duration = Duration::from_secs(3);

/// The call that something is done for: its checkpoint keeps what that replaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behalf<'a> {
    /// The call, or the undo's own id.
    pub call: &'a str,
    /// The session that holds the call.
    pub session: &'a str,
    /// For an undo, the call taken back.
    pub undoes: Option<&'a str>,
}

impl Behalf<'_> {
    /// Keeps what a step is about to replace.
    pub(super) fn record(self, session: &Session, step: Step) -> Result<(), Fault> {
        self.record_as(session, step, LineNote::default())
    }

    /// The same, with what is known of the lines beside the step itself.
    pub(super) fn record_as(self, session: &Session, step: Step, note: LineNote) -> Result<(), Fault> {
        let checkpoints = Checkpoints::new(session.workspace().state());
        let lines = LineRecord::Step(StepRecord {
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
        });
        checkpoints.record(self.call, self.session, self.undoes, step)?;
        session.lines().record(&lines);
        Ok(())
    }

    /// Takes back the last step recorded: it did not happen. One that stays recorded is harmless: there is nothing to take
    /// back where nothing changed.
    pub(super) fn unrecord(self, session: &Session) {
        let _ = Checkpoints::new(session.workspace().state()).unrecord(self.call, self.session);
        let dropped = DroppedRecord { session: self.session.to_owned(), call: self.call.into() };
        session.lines().record(&LineRecord::Dropped(dropped));
    }
}

/// What is known of the lines that a step changes, beside the step itself.
#[derive(Debug, Default)]
pub(super) struct LineNote {
    /// Where each hunk goes.
    pub spans: Vec<Span>,
    /// Its hunks, where the step does not name them.
    pub hunks: Vec<HunkId>,
    /// Whether nobody known made it.
    pub outside: bool,
}

/// A text to put in place.
#[derive(Debug)]
pub(super) struct Put<'a> {
    /// The call that it is done for.
    pub behalf: Behalf<'a>,
    /// What the person sees it called.
    pub label: String,
    /// The file.
    pub path: &'a WorkspacePath,
    /// The text that is replaced; none where there is no file.
    pub before: Option<&'a Snapshot>,
    /// The text put there; none removes the file.
    pub after: Option<&'a str>,
    /// How its bytes are written.
    pub encoding: Encoding,
    /// The permissions of a file that it makes.
    pub gives: Option<Permissions>,
    /// What changes, for an editor.
    pub edits: Vec<LineEdit>,
    /// The hunks of the call's proposal that this puts in place.
    pub hunks: &'a [HunkId],
    /// Whether it takes them out instead.
    pub back: bool,
}

/// Puts a text in place and returns the text that is there afterwards, which an editor may have made another.
///
/// # Errors
/// PERMISSION_DENIED by the rules as they hold now; STALE where the file is not as `before` any more; whatever writing
/// says. Then the old text stands, unless the fault says `applied`.
pub(super) async fn put(session: &Arc<Session>, put: Put<'_>) -> Result<Option<Snapshot>, Fault> {
    // A proposal may have waited while the rules changed, and an editor knows none.
    session.files().opened_by(Opener::Person).admit(Access::Write, put.path)?;
    let ready = blocking(|| prepare(session, &put))?;
    let done = match (session.files().document(put.path), put.after, put.before) {
        (Some(_), Some(text), Some(before)) => {
            in_editor(session, &put, before, text).await.and_then(|()| blocking(|| give(session, &put)))
        }
        (Some(document), None, Some(before)) => {
            blocking(|| remove_open(session, &put, &document.uri, before))
        }
        _ => blocking(|| on_disk(session, &put, ready.after.as_deref())),
    };
    if let Err(fault) = done {
        if fault.applied != Some(true) {
            put.behalf.unrecord(session);
            unmake_folders(session, put.behalf, &ready.made);
        }
        return Err(fault);
    }
    session.files().note_known(put.path);
    // Whether a file is there is the disk's to say: an editor goes on to show one that was removed.
    if put.after.is_none()
        && session.files().opened_by(Opener::Person).stat(put.path).is_ok_and(|stat| stat.is_none())
    {
        return Ok(None);
    }
    session.files().text(put.path).map_err(|error| Fault { applied: Some(true), ..error.into() })
}

/// What a change needs before it is made.
struct Ready {
    /// The bytes put there.
    after: Option<Vec<u8>>,
    /// The folders that were made on the way, outermost first.
    made: Vec<WorkspacePath>,
}

/// Keeps what a change replaces and what it puts there, and makes the folders that it needs.
fn prepare(session: &Session, put: &Put<'_>) -> Result<Ready, Fault> {
    let bytes = |text| put.encoding.encode(text).map_err(|c| unencodable(put.path, put.encoding, c));
    let before = put.before.map(|before| bytes(&before.text)).transpose()?;
    let after = put.after.map(bytes).transpose()?;
    let state = session.workspace().state();
    let kind = match (&before, &after) {
        (None, _) => ChangeKind::Create,
        (_, None) => ChangeKind::Delete,
        _ => ChangeKind::Edit,
    };
    let step = Step {
        before: before.as_deref().map(|bytes| state.put(bytes)).transpose()?,
        after: after.as_deref().map(|bytes| state.put(bytes)).transpose()?,
        encoding: Some(put.encoding),
        hunks: put.hunks.to_vec(),
        back: put.back,
        gives: put.gives.filter(|_| kind == ChangeKind::Create),
        ..Step::new(put.path, kind)
    };
    let step = session.files().opened_by(Opener::Person).with_bits(step);
    let note = LineNote { spans: spans(&put.edits), ..LineNote::default() };
    // Also for a document that was opened where there is no file yet: its editor saves it there.
    let (made, done) = match (put.after, put.path.parent()) {
        (Some(_), Some(parent)) => make_folders(session, put.behalf, &parent),
        _ => (Vec::new(), Ok(())),
    };
    match done.and_then(|()| put.behalf.record_as(session, step, note)) {
        Ok(()) => Ok(Ready { after: after.map(Cow::into_owned), made }),
        Err(fault) => {
            unmake_folders(session, put.behalf, &made);
            Err(Fault { applied: None, ..fault })
        }
    }
}

/// Where edits go.
fn spans(edits: &[LineEdit]) -> Vec<Span> {
    let lines = |text: &str| u32::try_from(text.split_inclusive('\n').count()).unwrap_or(u32::MAX);
    edits.iter().map(|edit| (edit.start, edit.count, lines(&edit.text))).collect()
}

/// Gives a file that an editor made its permissions.
fn give(session: &Session, put: &Put<'_>) -> Result<(), Fault> {
    let Some(gives) = put.gives.filter(|gives| gives.executable()) else { return Ok(()) };
    let given = session.files().opened_by(Opener::Person).set_permissions(put.path, gives);
    given.map_err(|error| Fault { applied: Some(true), ..error.into() })
}

/// Removes a file that an editor shows, and tells the editor that its document has none any more.
fn remove_open(session: &Session, put: &Put<'_>, uri: &str, before: &Snapshot) -> Result<(), Fault> {
    let path = put.path;
    if before.unsaved {
        return Err(Fault::new(Code::Stale, format!("{path} has unsaved changes in the editor"))
            .suggest("ask the person to save or close it, then remove it")
            .detail(json!({ "path": path, "hash": before.hash })));
    }
    on_disk(session, put, None)?;
    session.editor().tell(Notice::Removed(uri.to_owned()));
    Ok(())
}

/// Records a change of text that is there already.
///
/// # Errors
/// What keeps it from being recorded.
pub(super) fn record(
    session: &Session,
    behalf: Behalf<'_>,
    path: &WorkspacePath,
    (was, now): (&str, &str),
    encoding: Encoding,
    hunks: &[&Hunk],
) -> Result<(), Fault> {
    let keep = |text: &str| {
        let bytes = encoding.encode(text).map_err(|c| unencodable(path, encoding, c))?;
        Ok::<_, Fault>(session.workspace().state().put(&bytes)?)
    };
    let (before, after) = (Some(keep(was)?), Some(keep(now)?));
    let step = Step { before, after, encoding: Some(encoding), ..Step::new(path, ChangeKind::Edit) };
    // A person may have typed beside them.
    let line = |line: &String| (line_hash(line), WrittenBy::Agent);
    for hunk in hunks {
        session.lines().record(&LineRecord::Edited(EditedRecord {
            session: behalf.session.to_owned(),
            call: behalf.call.into(),
            hunk: hunk.id.clone(),
            lines: hunk.new.iter().map(line).collect(),
        }));
    }
    let hunks = hunks.iter().map(|hunk| hunk.id.clone()).collect();
    behalf.record_as(session, step, LineNote { hunks, ..LineNote::default() })
}

/// Through the editor: it makes the edit in its own version of the text, saves it where it was saved before,
/// and what it claims is checked against what it then sends.
async fn in_editor(
    session: &Arc<Session>,
    put: &Put<'_>,
    before: &Snapshot,
    after: &str,
) -> Result<(), Fault> {
    let stale = |now: Option<&str>| {
        Fault::new(Code::Stale, format!("{} changed in the editor meanwhile", put.path)).detail(json!({
            "path": put.path,
            "expected_hash": before.hash,
            "hash": now.and_then(|now| put.encoding.encode(now).ok()).map(|bytes| hash::short(&bytes)),
        }))
    };
    let document = session.files().document(put.path).ok_or_else(|| stale(None))?;
    if *document.text != before.text {
        return Err(stale(Some(&document.text)));
    }
    let mut changes = session.files().documents().watch();
    let edit = DocumentEdit {
        uri: document.uri.clone(),
        version: document.version,
        edits: put.edits.clone(),
        label: put.label.clone(),
        save: !before.unsaved,
    };
    let claimed = session.editor().apply(edit).await;
    let shows = || session.files().document(put.path).is_none_or(|now| *now.text == *after);
    let deadline = tokio::time::Instant::now() + if claimed == Ok(true) { READ_BACK } else { Duration::ZERO };
    while !shows() {
        if tokio::time::timeout_at(deadline, changes.changed()).await.is_err() {
            break;
        }
    }
    let now = session.files().document(put.path);
    match (now, claimed) {
        // Closed meanwhile: the disk tells what became of it.
        (None, _) => match session.files().text(put.path)? {
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

fn on_disk(session: &Session, put: &Put<'_>, after: Option<&[u8]>) -> Result<(), Fault> {
    let (path, before) = (put.path, put.before);
    let expect = before.map_or(Expect::Absent, |before| Expect::Hash(before.hash.clone()));
    match after {
        Some(bytes) => {
            let gives = put.gives.unwrap_or(Permissions::PLAIN);
            session.files().opened_by(Opener::Person).write_as(path, bytes, &expect, gives)?;
        }
        None => session.files().opened_by(Opener::Person).remove(path, &expect)?,
    }
    Ok(())
}

/// The folders that are not there yet on the way to `path`, outermost first.
fn missing(session: &Session, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Fault> {
    let mut missing = Vec::new();
    let mut at = Some(path.clone());
    while let Some(folder) = at.filter(|folder| !folder.is_root()) {
        if session.files().opened_by(Opener::Person).stat(&folder)?.is_some() {
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
    session: &Session,
    behalf: Behalf<'_>,
    path: &WorkspacePath,
) -> (Vec<WorkspacePath>, Result<(), Fault>) {
    let mut made = Vec::new();
    let done = missing(session, path).and_then(|missing| {
        for folder in &missing {
            behalf.record(session, Step::new(folder, ChangeKind::Mkdir))?;
            made.push(folder.clone());
        }
        if missing.is_empty() {
            Ok(())
        } else {
            Ok(session.files().opened_by(Opener::Person).mkdir(path).map(drop)?)
        }
    });
    (made, done)
}

/// Takes back folders that are of no use: what they were made for failed. One that somebody uses by now stays.
pub(super) fn unmake_folders(session: &Session, behalf: Behalf<'_>, made: &[WorkspacePath]) {
    for folder in made.iter().rev() {
        let _ = session.files().opened_by(Opener::Person).rmdir(folder);
        behalf.unrecord(session);
    }
}
