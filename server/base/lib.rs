//! Small parts that every layer uses: paths, texts, positions, ids, hashes.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(not(target_os = "linux"))]
compile_error!("wherefore runs on Linux alone so far: build it there, within WSL 2 or in a container");

mod blocking;
pub mod bm25;
pub mod clock;
pub mod envelope;
pub mod file_id;
pub mod hash;
pub mod hidden;
pub mod ids;
pub mod json;
pub mod lines;
pub mod markdown;
pub mod nearest;
pub mod numbers;
pub mod path;
pub mod person;
pub mod position;
pub mod random;
pub mod surrogates;
pub mod text;
pub mod tree;
pub mod uri;

pub use blocking::run_blocking;
pub use file_id::FileId;
pub use ids::{CallId, HunkId, ProposalId};
pub use path::{OWN_DIR, PathError, WorkspacePath};
