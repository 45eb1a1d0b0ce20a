//! The test editor and what it checks every message of the server with.

pub mod agent;
mod editor;
pub mod embeddings;
mod model;
mod ours;
pub mod terminal;
mod wire;

pub use editor::{Editor, Options};
pub use wire::{PATIENCE, Wire, frame};
