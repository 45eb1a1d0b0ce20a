//! The records that are written while hunks are put in place: one record a line of a file, as JSON.

use serde::{Deserialize, Serialize};
use wherefore_base::{CallId, HunkId, WorkspacePath};
use wherefore_protocol::ChangeKind;

use crate::{HunkSpan, LineOrigin, WrittenBy};

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum LineRecord {
    /// A path was changed.
    Step(StepRecord),
    /// The step that a call recorded last did not happen.
    Dropped(DroppedRecord),
    /// A person changed the lines that a hunk adds before they accepted it.
    Edited(EditedRecord),
    /// Hunks of a call were decided.
    Decision(DecisionRecord),
    /// A person edited a document.
    Typed(TypedRecord),
    /// The known marks of the lines of a file: earlier records of it need not be kept any longer.
    Snapshot(SnapshotRecord),
}

/// A change of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The session that holds the call.
    pub session: String,
    /// The call, or the id of an undo.
    pub call: CallId,
    /// For an undo, the call or the undo that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<CallId>,
    /// The path, from the workspace's root.
    pub path: WorkspacePath,
    /// The source of a rename or a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkspacePath>,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The hash of the bytes before; `None` if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hash of the bytes after; `None` if no file is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The hunks of the call's proposal that it puts in place, or takes out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkId>,
    /// The place of each hunk, or of each part of an undo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<HunkSpan>,
    /// True if no agent is known to have made it: the file changed on the disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
    /// True if it takes them out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
}

/// A step that did not happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedRecord {
    /// The session that holds the call.
    pub session: String,
    /// The call, or the id of an undo.
    pub call: CallId,
}

/// A hunk whose lines a person changed before they accepted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedRecord {
    /// The session that holds the call.
    pub session: String,
    /// The call.
    pub call: CallId,
    /// The hunk.
    pub hunk: HunkId,
    /// For each of its accepted lines, a hash of the line and its author.
    pub lines: Vec<(u64, WrittenBy)>,
}

/// A decision on hunks of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// The session that holds the call.
    pub session: String,
    /// The call.
    pub call: CallId,
    /// The tool that was called.
    pub tool: String,
    /// The agent; `None` if the call came from no agent that is known by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The reason for the call, with secrets taken out.
    pub why: String,
    /// The deciding party, in the form of the session log.
    pub by: String,
    /// When, RFC 3339.
    pub time: String,
    /// The decision on each hunk.
    pub hunks: Vec<DecidedHunk>,
}

/// The decision on one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedHunk {
    /// The hunk.
    pub id: HunkId,
    /// `accepted`, `rejected` or `stale`.
    pub state: String,
    /// The person's word, with secrets taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A person's typing, as recorded by their editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedRecord {
    /// The path, from the workspace's root.
    pub path: WorkspacePath,
    /// The hash of the text before.
    pub before: String,
    /// The hash of the text after.
    pub after: String,
    /// The lines that differ, in order.
    pub runs: Vec<TypedRun>,
}

/// Lines that were edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedRun {
    /// The first line in the text before.
    pub start: u32,
    /// The number of lines of that text that it replaces.
    pub gone: u32,
    /// The lines that stand there now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<TypedLine>,
}

/// An edited line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedLine {
    /// A hash of it.
    pub hash: u64,
    /// The lines of the text before of which a part is in it; empty if it is newly typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<u32>,
}

/// The author of each line of a file. It holds no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRecord {
    /// The path, from the workspace's root.
    pub path: WorkspacePath,
    /// The hash of the file's bytes.
    pub hash: String,
    /// A hash of each line.
    pub lines: Vec<u64>,
    /// Their authors, in runs.
    pub marks: Vec<MarkedRun>,
    /// The calls that the lines come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<LineOrigin>,
}

/// Lines of one mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedRun {
    /// The number of lines.
    pub count: u32,
    /// Their author.
    pub by: WrittenBy,
    /// The place of their call in the snapshot's `calls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// True if they may be a person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unsure: bool,
}
