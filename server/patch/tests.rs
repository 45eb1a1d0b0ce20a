//! The engine against case folders, random texts, and hostile sizes.

mod block_names;
mod bounds;
mod cases;
mod context;
mod forms;
mod merges;
mod moves;
mod parts;
mod properties;
mod whole;
