//! Diffs and texts: apply a diff as a model writes it, cut a change into hunks, find a hunk again, print one.
//!
//! Everything here is a pure function over text, or over the bytes of a binary patch. [`apply_diff`] reads a diff
//! leniently but changes a text only where it has the lines that the diff states; anything else is a [`PatchRefusal`]
//! that names the place and the reason, and the text stays as it was. [`replace_text`] does the same for a text to find
//! and one to put in its place. [`cut_hunks`] makes the hunks that a person reviews from the *result*, so that what is
//! accepted is what changes; [`relocate_hunk`] finds each of them again and [`splice_lines`] applies it.
//! [`unified_diff`] prints a change. [`git_files`] reads what a diff of git's holds in addition to lines: renames,
//! copies, modes, symlinks, bytes.
//!
//! # Invariants
//!
//! - No file and no hunk of a diff is passed over: it is in the draft, or the call is refused.
//!   Test: `every_change_is_in_the_text_or_its_file_is_named`, `a_diff_of_which_a_part_would_be_lost_is_refused`,
//!   `several_parts_for_one_file_are_all_applied`
//! - A SEARCH/REPLACE block changes the file that the lines above it name, or the diff is refused.
//!   Test: `a_block_is_for_the_file_that_the_lines_above_it_name`, `a_block_whose_file_is_not_certain_is_refused`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod align;
mod apply;
mod assemble;
mod cut;
mod edit;
mod envelope;
mod explain;
mod file_time;
mod git;
mod heading;
mod hunk;
mod indent;
mod index;
mod lines;
mod locate;
mod merge;
mod named;
mod names;
mod normalize;
mod parse;
mod parts;
mod place;
mod readings;
mod refusal;
mod relocate;
mod replace;
mod report;
mod retype;
mod text;
mod unified;
mod words;

#[cfg(test)]
use wherefore_base as base;

pub use apply::{apply_diff, apply_to_named_file, merge_into_named_file};
pub use cut::{ChangedLines, cut_hunks, splice_lines};
pub use envelope::{PatchFormError, PatchKind, PatchPart, envelope_parts, is_envelope};
pub use git::{
    BinaryError, BinaryPatch, GitBody, GitChange, GitContent, GitFile, git_files, print_git_change,
};
pub use named::{NamedFile, named_files};
pub use parts::{check_git, refuse_other_files};
pub use readings::HunkReading;
pub use refusal::{FileExcerpt, LineDifference, LineRange, PatchRefusal, RefusalCode};
pub use relocate::{LineMoves, relocate_hunk};
pub use replace::{ExpectedPlaces, replace_matches, replace_text};
pub use report::{AppliedDiff, AppliedKind, HunkReport, MatchLevel};
pub use unified::unified_diff;

#[cfg(test)]
mod tests;
