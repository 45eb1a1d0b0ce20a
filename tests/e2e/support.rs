//! The test editor and what it checks every message of the server with.

pub(crate) mod agent;
mod editor;
pub(crate) mod embeddings;
mod model;
mod ours;
mod skip;
pub(crate) mod terminal;
mod wire;

pub(crate) use editor::{Editor, Options};
pub(crate) use skip::report_skip;
pub(crate) use wire::{PATIENCE, PROMPT, Wire, frame};
