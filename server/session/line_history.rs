//! Which call each line comes from: what is recorded of that while hunks are put in place, in the state folder.

use std::sync::Arc;

use parking_lot::Mutex;

use super::files::SessionFiles;
use super::workspace::Workspace;
use crate::base::{WorkspacePath, text};
use crate::provenance::{DecisionRecord, Ground, LineMark, LineOrigin, LineRecord, Lines};
use crate::workspace::State;

/// The file of the records, one a line.
const RECORDS: &str = "provenance/records.jsonl";
/// Bytes of records that are read at once.
const PIECE: u64 = 8 << 20;

/// Which call each line of the workspace's files comes from.
#[derive(Debug)]
pub struct LineHistory {
    workspace: Arc<Workspace>,
    files: Arc<SessionFiles>,
    read: Mutex<ReadRecords>,
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
        Self { workspace, files, read: Mutex::default() }
    }

    /// Keeps a record. Without it a line is not known to be an agent's; nothing else depends on it.
    pub fn record(&self, record: &LineRecord) {
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        if let Err(error) = self.workspace.state().append(RECORDS, &line) {
            tracing::warn!("which call a line comes from is not kept: {error}");
        }
    }

    /// Who wrote each line of `text`, which stands at `path`.
    pub fn known(&self, path: &WorkspacePath, text: &str) -> KnownLines {
        let mut read = self.read.lock();
        let state = self.workspace.state();
        read.catch_up(state);
        let ground = KeptGround { state, files: &self.files };
        let marks = read.lines.marks(path, text, &ground);
        let is_recorded = read.lines.knows(path, &ground);
        let mut named: Vec<u32> = marks.iter().filter_map(|mark| mark.origin).collect();
        named.sort_unstable();
        named.dedup();
        let origin = |at: u32| {
            let origin = read.lines.origin(at)?.clone();
            let decision = read.lines.decision(&origin).cloned();
            Some((at, origin, decision))
        };
        KnownLines { origins: named.into_iter().filter_map(origin).collect(), marks, is_recorded }
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
