//! The index of a workspace's texts, made before any search: the lines that may hold a text, and the subject of each file.
//!
//! # Invariants
//!
//! - No search misses what was on the disk, or unsaved in the editor, before it was asked.
//!   Test: `what_was_written_is_found`, `unsaved_text_is_what_is_searched`,
//!   `what_an_editor_brings_back_unsaved_is_searched_as_it_shows_it`
//! - No search, by whatever layer, finds other lines than ripgrep.
//!   Test: `every_layer_finds_the_same_lines`
//! - No search shows a file that the rules close.
//!   Test: `closed_files_are_not_found`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod lexical;
pub mod semantic;

use wherefore_base as base;
use wherefore_watch as watch;
use wherefore_words as words;
