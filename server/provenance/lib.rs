//! Which call and hunk each line of a file comes from, or that a person wrote it: kept through later edits, moves,
//! renames and undos. [`Lines`] reads no file: it is given records, and the texts that they name.
//!
//! Invariant: no line that a person wrote counts as an agent's. Where two readings of a change are possible, a line is a
//! person's, mixed or unknown.

mod align;
mod author;
mod carry;
mod lines;
mod mark;
mod moves;
mod record;
mod restore;
mod similar_lines;
mod slide;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
mod tests;
mod text;

pub use align::Span;
pub use lines::{Ground, Lines};
pub use mark::{LineMark, LineOrigin, WrittenBy};
pub use record::{DecidedHunk, DecisionRecord, DroppedRecord, EditedRecord, LineRecord, StepRecord};
pub use similar_lines::edited_lines;
pub use text::hash as line_hash;
