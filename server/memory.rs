//! The memory of a workspace: the working set, the hints on it, contexts made of it, and summaries.
//!
//! Invariants: what a file is like is worked out from text that is handed in, never read here; a line that a person
//! wrote in `hot.yml`, `cold.yml` or `working-set.yml` stays as they wrote it; a file that cannot be read is not written.
//!
//! # Invariants
//!
//! - No secret of a file is sent to a model for its summary, and no summary of a model is taken that is none.
//!   Test: `statements_are_taken_with_their_lines_and_no_secret_is_sent`,
//!   `what_a_model_does_wrong_is_a_fault_and_no_summary`
//! - No line that a person wrote in the working set's files is lost to a hint.
//!   Test: `a_hint_is_put_in_and_taken_out_beside_a_persons_lines`, `what_a_person_writes_counts_and_stays`
//! - No file that a rule closes or asks for gets into a context unasked.
//!   Test: `a_context_touches_nothing_and_closed_files_stay_closed`,
//!   `a_context_holds_what_matters_and_says_what_it_does_not`

pub(crate) mod advise;
pub(crate) mod collect;
mod cut;
pub(crate) mod fit;
mod heat;
mod hints;
mod hotness;
mod lines;
mod manifest;
mod notes;
mod roles;
mod state;
mod summary;
mod tokens;

pub(crate) use heat::{HeatTouch, TouchCause};
pub(crate) use notes::{FILES as NOTE_FILES, WorkingSetNotes};
pub(crate) use state::{OpenState, WorkspaceMemory};
pub(crate) use summary::{Extractive, ModelSummarizer, SummaryPage, is_summary};
pub(crate) use tokens::{ESTIMATE, TokenCounter, estimate_tokens};
