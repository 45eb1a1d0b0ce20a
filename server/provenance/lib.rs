//! Which call and hunk each line of a file comes from, or that a person wrote it: kept through later edits, moves,
//! renames and undos. [`Lines`] reads no file: it is given records, and the texts that they name. [`TypedLines`] makes a
//! record of the edits that an editor tells; without one texts are compared.
//!
//! Invariant: where it is seen that a change has two readings, a line is a person's, mixed or unknown, never an agent's. Of
//! equal lines, such as `}`, a comparison cannot always tell which is which: server/ARCHITECTURE.md has the figures.

mod align;
mod author;
mod carry;
mod lined_file;
mod lines;
mod mark;
mod moves;
mod noted;
mod record;
mod restore;
mod similar_lines;
mod slide;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
mod tests;
mod text;
mod typed;

pub use align::Span;
pub use lines::{Ground, Lines};
pub use mark::{LineMark, LineOrigin, WrittenBy};
pub use noted::{find_noted, note_hash};
pub use record::{
    DecidedHunk, DecisionRecord, DroppedRecord, EditedRecord, LineRecord, MarkedRun, SnapshotRecord,
    StepRecord, TypedLine, TypedRecord, TypedRun,
};
pub use similar_lines::edited_lines;
pub use text::hash as line_hash;
pub use typed::TypedLines;
