//! Small parts that everything stands on: paths, texts, positions, ids, hashes.

pub mod hash;
pub mod ids;
pub mod nearest;
pub mod path;
pub mod position;
pub mod text;

pub use path::WorkspacePath;
