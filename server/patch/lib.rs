//! Diffs and texts: apply a diff as a model writes it, cut a change into hunks, find a hunk again, print one.
//!
//! Everything here is a pure function over text, or over the bytes of a binary patch. [`apply`] reads a diff leniently
//! but changes a text only where the lines that the diff states stand in it; anything else is a [`Refusal`] that says
//! where and why, and the text stays as it was. [`replace`] does the same for a text to find and one to put in its
//! place. [`cut`] makes the hunks that a person reviews from the *result*, so that what is accepted is what changes;
//! [`relocate`] and [`splice`] keep and apply them one by one. [`unified`] prints a change. [`git_files`] reads what a
//! diff of git's says beside lines: renames, copies, modes, symlinks, bytes.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod align;
mod apply;
mod assemble;
mod cut;
mod edit;
mod explain;
mod git;
mod heading;
mod hunk;
mod indent;
mod index;
mod lines;
mod locate;
mod names;
mod normalize;
mod parse;
mod place;
mod readings;
mod refusal;
mod relocate;
mod replace;
mod report;
mod text;
mod unified;

#[cfg(test)]
use wherefore_base as base;

pub use apply::{apply, apply_to};
pub use cut::{Cut, cut, splice};
pub use git::{BinaryError, BinaryPatch, GitBody, GitChange, GitContent, GitFile, git_change, git_files};
pub use readings::Reading;
pub use refusal::{Difference, Excerpt, LineRange, Refusal, RefusalCode};
pub use relocate::{Moves, relocate};
pub use replace::{Places, replace, replace_matches};
pub use report::{Applied, AppliedKind, HunkReport, Level};
pub use unified::unified;

#[cfg(test)]
mod tests;
