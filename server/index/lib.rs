//! What is known of a workspace's texts before anyone asks: which lines may hold what, and what each file is about.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod lexical;
pub mod semantic;

use wherefore_base as base;
use wherefore_watch as watch;
