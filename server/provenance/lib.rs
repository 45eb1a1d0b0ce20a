//! The origin of each line of a file: the call and the hunk that it comes from, or a person. It is kept through later
//! edits, moves, renames and undos. [`LineProvenance`] reads no file: it is given records, and the texts that they
//! name. [`TypedLines`] makes a record of the edits that an editor reports; without one texts are compared.
//!
//! Invariant: where it is seen that a change has two readings, a line is a person's, mixed or unknown, never an agent's. Of
//! equal lines, such as `}`, a comparison cannot always distinguish: the invariants below have the figures.
//!
//! # Invariants
//!
//! - In the random histories that the tests run, no line that a person wrote counts as an agent's. For all histories
//!   it holds where an editor reports a person's edits. For changes on the disk it does not quite:
//!   `WHEREFORE_HISTORIES=1000 WHEREFORE_SEED=1001` (200 steps each) finds 3 such lines, seen 39 times among
//!   2,910,535 lines looked at. `WHEREFORE_HISTORIES` and `WHEREFORE_STEPS` make the histories of the engine longer
//!   too.
//!   Test: `each_line_of_a_random_history_is_known`, `each_line_of_a_random_history_in_an_editor_is_known`,
//!   `each_line_of_a_random_history_in_an_editor_and_on_the_disk_is_known`,
//!   `each_line_of_a_random_history_of_the_engine_is_known`, `what_an_editor_tells_is_no_guess`
//! - No line changes its author because its file is renamed and indented between two calls, and none of a person's
//!   becomes an agent's by it in the histories that the tests run. In longer ones it does not quite hold for short
//!   lines: `WHEREFORE_HISTORIES=200 WHEREFORE_SEED=101` finds 2 such lines, seen 3 times among 595,131 lines looked
//!   at.
//!   Test: `a_file_that_is_renamed_and_indented_between_two_calls_keeps_its_lines`,
//!   `each_line_of_a_random_history_with_renames_and_indents_is_known`

mod align;
mod author;
mod calls;
mod carry;
mod follow;
mod forget;
mod indents;
mod lined_file;
mod lines;
mod mark;
mod moves;
mod note_match;
mod record;
mod reflow;
mod restore;
mod similar_lines;
mod slide;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
mod tests;
mod text;
mod typed_lines;

pub use align::HunkSpan;
pub use lines::{LineProvenance, WorkspaceTexts};
pub use mark::{LineMark, LineOrigin, WrittenBy};
pub use note_match::{find_noted, note_hash};
pub use record::{
    DecidedHunk, DecisionRecord, DroppedRecord, EditedRecord, LineRecord, MarkedRun, SnapshotRecord,
    StepRecord, TypedLine, TypedRecord, TypedRun,
};
pub use similar_lines::edited_lines;
pub use text::hash_line as line_hash;
pub use typed_lines::TypedLines;
