//! Which call each line comes from: what is recorded of that while hunks are put in place and while a person types, in
//! the state folder.

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
    DecisionRecord, Ground, LineMark, LineOrigin, LineRecord, Lines, TypedLines, TypedRecord,
};
use crate::workspace::{DocumentText, Edits, State};

/// The file of the records, one a line.
const RECORDS: &str = "provenance/records.jsonl";
/// Bytes of records that are read at once.
const PIECE: u64 = 8 << 20;

/// How long after a record what waits is carried out, so that nobody who asks has to wait for it.
const PAUSE: Duration = Duration::from_secs(2);
/// Records that may still be dropped: they are carried out when somebody asks.
const YOUNG: usize = 4;

/// Which call each line of the workspace's files comes from.
#[derive(Debug)]
pub struct LineHistory {
    records: Arc<Records>,
    /// What was typed into open documents since the last record of each.
    typed: Mutex<HashMap<WorkspacePath, TypedDocument>>,
}

/// The records of one workspace.
#[derive(Debug)]
struct Records {
    workspace: Arc<Workspace>,
    files: Arc<SessionFiles>,
    read: Mutex<ReadRecords>,
    is_settling: AtomicBool,
    saved: SavedTyping,
}

/// What was typed up to each save and is not recorded yet. It is recorded beside the editor's events, in their order.
#[derive(Debug, Default)]
struct SavedTyping {
    waiting: Mutex<VecDeque<(WorkspacePath, TypedDocument)>>,
    /// Whether a thread was started for what waits.
    is_awaited: AtomicBool,
    /// Held by whoever records what waits.
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
    lines: Lines,
    /// How far the file was read.
    end: u64,
}

/// Who wrote the lines of a file, with each call that they come from once.
#[derive(Clone, Debug, Default)]
pub struct KnownLines {
    /// The mark of each line.
    pub marks: Vec<LineMark>,
    /// The calls and hunks that the marks name, with the decision on each.
    pub origins: Vec<(u32, LineOrigin, Option<DecisionRecord>)>,
    /// Whether anything was recorded of the file.
    pub is_recorded: bool,
}

impl LineHistory {
    /// The records of a workspace.
    pub(super) fn new(workspace: Arc<Workspace>, files: Arc<SessionFiles>) -> Self {
        let (read, is_settling) = (Mutex::default(), AtomicBool::new(false));
        let saved = SavedTyping::default();
        let records = Arc::new(Records { workspace, files, read, is_settling, saved });
        Self { records, typed: Mutex::default() }
    }

    /// Keeps a record. Without it a line is not known to be an agent's; nothing else depends on it.
    pub fn record(&self, record: &LineRecord) {
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
        self.records.append(record);
        Records::settle_soon(&self.records);
    }

    /// A person edited a document: `before` became `after`.
    pub(crate) fn typed(
        &self,
        path: &WorkspacePath,
        before: &DocumentText,
        edits: &Edits,
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
            known.lines.edit(change.first, &change.old, change.range, &change.text);
        }
        known.now = after.clone();
        typed.insert(path.clone(), known);
    }

    /// What changes in a document is not a person's typing. What they typed before is kept where it is known.
    pub fn not_typed(&self, path: &WorkspacePath) {
        self.typed.lock().remove(path);
    }

    /// A document was saved: what was typed into it is kept. That takes its time, and this does not wait for it.
    pub fn keep_typed(&self, path: &WorkspacePath) {
        let mut all = self.typed.lock();
        let Some(typed) = all.remove(path) else { return };
        // Whoever finds nothing typed there any more finds it here.
        self.records.saved.waiting.lock().push_back((path.clone(), typed));
        drop(all);
        Records::keep_saved_soon(&self.records);
    }

    /// Keeps what was typed up to the last saves: nobody may come who does it.
    pub(super) fn end(&self) {
        self.records.keep_saved();
    }

    /// Carries out what is recorded, so that nobody who asks has to wait for it.
    pub fn settle(&self) {
        self.records.keep_saved();
        self.records.with(|lines, ground| lines.settle(ground));
    }

    /// Keeps what is known of each line, before the texts go that it is known from.
    pub fn keep_snapshots(&self) {
        self.records.keep_saved();
        for snapshot in self.records.with(Lines::snapshots) {
            self.records.append(&LineRecord::Snapshot(snapshot));
        }
    }

    /// What was typed since the last record, where it leads to `text`.
    fn typed_up_to(&self, path: &WorkspacePath, text: &str) -> Option<TypedRecord> {
        let all = self.typed.lock();
        all.get(path).filter(|typed| *typed.now == *text)?.record(path)
    }

    /// Who wrote each line of `text`, which stands at `path`.
    pub fn known(&self, path: &WorkspacePath, text: &str) -> KnownLines {
        self.records.keep_saved();
        let typed = self.typed_up_to(path, text);
        self.records.with(|lines, ground| {
            let marks = lines.marks(path, text, typed.as_ref(), ground);
            let is_recorded = lines.knows(path, ground);
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
    fn record(&self, path: &WorkspacePath) -> Option<TypedRecord> {
        self.lines.record(path, &self.base, &self.now)
    }
}

impl Records {
    fn append(&self, record: &LineRecord) {
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        if let Err(error) = self.workspace.state().append(RECORDS, &line) {
            tracing::warn!("which call a line comes from is not kept: {error}");
        }
    }

    /// Keeps what was typed up to each save so far. Nobody goes on before it is there, whoever does it.
    fn keep_saved(&self) {
        let _turn = self.saved.turn.lock();
        loop {
            let next = self.saved.waiting.lock().pop_front();
            let Some((path, typed)) = next else { return };
            self.keep_typed(&path, &typed, None);
        }
    }

    /// The same on a thread of its own.
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
        let Some(record) = typed.record(path).filter(|record| hash.is_none_or(|hash| record.after == hash))
        else {
            return;
        };
        if record.runs.is_empty() {
            return;
        }
        let is_known = self.with(|lines, ground| match lines.last_hash(path, ground) {
            Some(last) => Some(last == record.before),
            None => lines.knows(path, ground).then_some(false),
        });
        match is_known {
            // Nothing is kept of files that no call has touched.
            None => return,
            Some(true) => {}
            // What was typed is told of a text that nothing else keeps.
            Some(false) => drop(self.workspace.state().put(typed.base.as_bytes())),
        }
        self.append(&LineRecord::Typed(record));
    }

    /// What is known by all records.
    fn with<T>(&self, ask: impl FnOnce(&mut Lines, &dyn Ground) -> T) -> T {
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
            records.with(|lines, ground| lines.settle_but(YOUNG, ground));
        };
        // Without it whoever asks does it.
        let _ = std::thread::Builder::new().name("line-history".to_owned()).spawn(settle);
    }
}

impl ReadRecords {
    /// Reads what was recorded since, by any process. A record that is not whole yet waits.
    fn catch_up(&mut self, state: &State) {
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
    state: &'s State,
    files: &'s SessionFiles,
}

impl Ground for KeptGround<'_> {
    fn text(&self, hash: &str) -> Option<String> {
        let bytes = self.state.get(hash).ok().flatten()?;
        text::decode(&bytes).map(|decoded| decoded.text)
    }

    fn stands(&self, path: &WorkspacePath) -> bool {
        self.files.unasked().entry_at(path).is_ok_and(|entry| entry.is_some())
    }
}

#[cfg(test)]
mod tests;
