//! Which call each line comes from: what is recorded of that while hunks are put in place and while a person types, in
//! the state folder.
//!
//! # Invariants
//!
//! - No save of an editor waits for what is known of lines, and none is recorded behind the step that follows it.
//!   Test: `a_save_waits_for_no_record_and_what_was_typed_stands_before_the_step_that_follows`

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::files::SessionFiles;
use super::workspace::Workspace;
use crate::base::{WorkspacePath, text};
use crate::protocol::ChangeKind;
use crate::provenance::{
    DecisionRecord, LineMark, LineOrigin, LineProvenance, LineRecord, TypedLines, TypedRecord, WorkspaceTexts,
};
use crate::workspace::{DocumentText, TextEdits, WorkspaceState};

/// The file of the records, one a line.
const RECORDS: &str = "provenance/records.jsonl";
/// Bytes of records that are read at once.
const PIECE: u64 = 8 << 20;

/// The delay after a record before the waiting ones are carried out, so that no reader has to wait for it.
const PAUSE: Duration = Duration::from_secs(2);
/// Records that may still be dropped: they are carried out when somebody asks.
const YOUNG: usize = 4;

/// The call that each line of the workspace's files comes from.
#[derive(Debug)]
pub struct LineHistory {
    records: Arc<LineRecords>,
    /// The typing in open documents since the last record of each.
    typed: Mutex<HashMap<WorkspacePath, TypedDocument>>,
}

/// The records of one workspace.
#[derive(Debug)]
struct LineRecords {
    workspace: Arc<Workspace>,
    files: Arc<SessionFiles>,
    read: Mutex<ReadRecords>,
    is_settling: AtomicBool,
    saved: SavedTyping,
}

/// The typing up to each save that is not recorded yet. It is recorded outside of the editor's events, in their order.
#[derive(Debug, Default)]
struct SavedTyping {
    waiting: Mutex<VecDeque<(WorkspacePath, TypedDocument)>>,
    /// True where a thread was started for what waits.
    is_awaited: AtomicBool,
    /// The lock that is held while waiting records are written.
    turn: Mutex<()>,
}

/// A document with what was typed into it.
#[derive(Debug)]
struct TypedDocument {
    /// The text before.
    base: DocumentText,
    /// The text now.
    now: DocumentText,
    lines: TypedLines,
}

/// The records that were read.
#[derive(Debug, Default)]
struct ReadRecords {
    lines: LineProvenance,
    /// The offset up to which the file was read.
    end: u64,
}

/// The writers of the lines of a file, with each call that they come from once.
#[derive(Clone, Debug, Default)]
pub struct KnownLines {
    /// The mark of each line.
    pub marks: Vec<LineMark>,
    /// The calls and hunks that the marks name, with the decision on each.
    pub origins: Vec<(u32, LineOrigin, Option<DecisionRecord>)>,
    /// True where anything was recorded of the file.
    pub is_recorded: bool,
}

impl LineHistory {
    /// The records of a workspace.
    pub(super) fn new(workspace: Arc<Workspace>, files: Arc<SessionFiles>) -> Self {
        let (read, is_settling) = (Mutex::default(), AtomicBool::new(false));
        let saved = SavedTyping::default();
        let records = Arc::new(LineRecords { workspace, files, read, is_settling, saved });
        Self { records, typed: Mutex::default() }
    }

    /// Keeps a record. Without it a line is not known to be an agent's; nothing else depends on it.
    pub fn add_record(&self, record: &LineRecord) {
        if let LineRecord::Step(step) = record {
            let typed = self.typed.lock().remove(&step.path);
            self.records.keep_saved();
            if let Some(typed) = typed {
                self.records.keep_typed(&step.path, &typed, step.before.as_deref());
            }
            if let (ChangeKind::Rename, Some(from)) = (step.kind, &step.from) {
                self.typed.lock().remove(from);
            }
        }
        self.records.append_record(record);
        LineRecords::settle_soon(&self.records);
    }

    /// A person edited a document: `before` became `after`.
    pub(crate) fn note_typing(
        &self,
        path: &WorkspacePath,
        before: &DocumentText,
        edits: &TextEdits,
        after: &DocumentText,
    ) {
        let mut typed = self.typed.lock();
        let known = typed.remove(path).filter(|known| known.now.is_version(before));
        let mut known = match known {
            Some(known) => known,
            // An editor that shows what another program wrote edits its document too.
            None if !self.records.files.is_unsaved(path, after) => return,
            None => TypedDocument { base: before.clone(), now: before.clone(), lines: TypedLines::default() },
        };
        let Some(changes) = before.line_changes(edits) else { return };
        for change in changes {
            known.lines.apply_edit(change.first, &change.old, change.range, &change.text);
        }
        known.now = after.clone();
        typed.insert(path.clone(), known);
    }

    /// Notes that a document changes by other means than typing. Earlier typing is kept where it is known.
    pub fn note_other_change(&self, path: &WorkspacePath) {
        self.typed.lock().remove(path);
    }

    /// A document was saved: what was typed into it is kept. That takes its time, and this does not wait for it.
    pub fn keep_typed(&self, path: &WorkspacePath) {
        let mut all = self.typed.lock();
        let Some(typed) = all.remove(path) else { return };
        // A reader that finds no typing there any more finds it here.
        self.records.saved.waiting.lock().push_back((path.clone(), typed));
        drop(all);
        LineRecords::keep_saved_soon(&self.records);
    }

    /// Keeps the typing up to the last saves: no later reader may come to do it.
    pub(super) fn keep_pending(&self) {
        self.records.keep_saved();
    }

    /// Carries out the records, so that no reader has to wait for it.
    pub fn settle_records(&self) {
        self.records.keep_saved();
        self.records.with_lines(|lines, ground| lines.settle_records(ground));
    }

    /// Keeps what is known of each line, before the texts go that it is known from.
    pub fn keep_snapshots(&self) {
        self.records.keep_saved();
        for snapshot in self.records.with_lines(LineProvenance::take_snapshots) {
            self.records.append_record(&LineRecord::Snapshot(snapshot));
        }
    }

    /// Returns the typing since the last record, where it leads to `text`.
    fn typed_up_to(&self, path: &WorkspacePath, text: &str) -> Option<TypedRecord> {
        let all = self.typed.lock();
        all.get(path).filter(|typed| *typed.now == *text)?.typed_record(path)
    }

    /// The files of which anything was recorded.
    pub fn recorded_paths(&self) -> Vec<WorkspacePath> {
        self.records.keep_saved();
        self.records.with_lines(|lines, ground| lines.recorded_paths(ground))
    }

    /// Returns who wrote each line of `text`, the text of `path`.
    pub fn known_lines(&self, path: &WorkspacePath, text: &str) -> KnownLines {
        self.records.keep_saved();
        let typed = self.typed_up_to(path, text);
        self.records.with_lines(|lines, ground| {
            let marks = lines.marks_for(path, text, typed.as_ref(), ground);
            let is_recorded = lines.is_recorded(path, ground);
            let mut named: Vec<u32> = marks.iter().filter_map(|mark| mark.origin).collect();
            named.sort_unstable();
            named.dedup();
            let origin = |at: u32| {
                let origin = lines.origin(at)?.clone();
                let decision = lines.decision(&origin).cloned();
                Some((at, origin, decision))
            };
            KnownLines { origins: named.into_iter().filter_map(origin).collect(), marks, is_recorded }
        })
    }
}

impl TypedDocument {
    fn typed_record(&self, path: &WorkspacePath) -> Option<TypedRecord> {
        self.lines.to_record(path, &self.base, &self.now)
    }
}

impl LineRecords {
    fn append_record(&self, record: &LineRecord) {
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        if let Err(error) = self.workspace.state().append_bytes(RECORDS, &line) {
            tracing::warn!("which call a line comes from is not kept: {error}");
        }
    }

    /// Keeps the typing up to each save so far. Returns only when it is there, whichever thread keeps it.
    fn keep_saved(&self) {
        let _turn = self.saved.turn.lock();
        loop {
            let next = self.saved.waiting.lock().pop_front();
            let Some((path, typed)) = next else { return };
            self.keep_typed(&path, &typed, None);
        }
    }

    /// Keeps the saved typing on a thread of its own.
    fn keep_saved_soon(records: &Arc<Self>) {
        if records.saved.is_awaited.swap(true, Ordering::AcqRel) {
            return;
        }
        let kept = records.clone();
        let keep = move || {
            kept.saved.is_awaited.store(false, Ordering::Release);
            kept.keep_saved();
        };
        if std::thread::Builder::new().name("typed-lines".to_owned()).spawn(keep).is_err() {
            records.saved.is_awaited.store(false, Ordering::Release);
        }
    }

    /// Keeps what was typed, where it leads to the text with this hash.
    fn keep_typed(&self, path: &WorkspacePath, typed: &TypedDocument, hash: Option<&str>) {
        let Some(record) =
            typed.typed_record(path).filter(|record| hash.is_none_or(|hash| record.after == hash))
        else {
            return;
        };
        if record.runs.is_empty() {
            return;
        }
        let is_known = self.with_lines(|lines, ground| match lines.last_hash(path, ground) {
            Some(last) => Some(last == record.before),
            None => lines.is_recorded(path, ground).then_some(false),
        });
        match is_known {
            // Nothing is kept of files that no call has touched.
            None => return,
            Some(true) => {}
            // The record refers to a text that nothing else keeps.
            Some(false) => drop(self.workspace.state().put_object(typed.base.as_bytes())),
        }
        self.append_record(&LineRecord::Typed(record));
    }

    /// Calls `ask` with the lines of all records.
    fn with_lines<T>(&self, ask: impl FnOnce(&mut LineProvenance, &dyn WorkspaceTexts) -> T) -> T {
        let mut read = self.read.lock();
        let state = self.workspace.state();
        read.catch_up(state);
        ask(&mut read.lines, &KeptGround { state, files: &self.files })
    }

    /// Carries out what is recorded a little later, on a thread of its own.
    fn settle_soon(records: &Arc<Self>) {
        if records.is_settling.swap(true, Ordering::AcqRel) {
            return;
        }
        let weak = Arc::downgrade(records);
        let settle = move || {
            std::thread::sleep(PAUSE);
            let Some(records) = weak.upgrade() else { return };
            records.is_settling.store(false, Ordering::Release);
            records.with_lines(|lines, ground| lines.settle_but(YOUNG, ground));
        };
        // Without the thread the next reader does it.
        let _ = std::thread::Builder::new().name("line-history".to_owned()).spawn(settle);
    }
}

impl ReadRecords {
    /// Reads what was recorded since, by any process. A record that is not whole yet waits.
    fn catch_up(&mut self, state: &WorkspaceState) {
        while let Ok(Some(bytes)) = state.read_from(RECORDS, self.end, PIECE) {
            let Some(whole) = bytes.iter().rposition(|byte| *byte == b'\n') else { return };
            for line in bytes[..whole].split(|byte| *byte == b'\n') {
                if let Ok(line) = std::str::from_utf8(line) {
                    self.lines.apply_line(line);
                }
            }
            self.end += whole as u64 + 1;
        }
    }
}

/// The contents that the state folder keeps, and the files of the workspace.
struct KeptGround<'s> {
    state: &'s WorkspaceState,
    files: &'s SessionFiles,
}

impl WorkspaceTexts for KeptGround<'_> {
    fn text_of(&self, hash: &str) -> Option<String> {
        let bytes = self.state.get_object(hash).ok().flatten()?;
        text::decode_text(&bytes).map(|decoded| decoded.text)
    }

    fn file_exists(&self, path: &WorkspacePath) -> bool {
        self.files.unasked_files().entry_at(path).is_ok_and(|entry| entry.is_some())
    }
}

#[cfg(test)]
mod tests;
