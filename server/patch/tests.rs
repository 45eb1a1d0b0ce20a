//! The engine against case folders, random texts, and hostile sizes.

mod bounds;
mod cases;
mod moves;
mod parts;
mod properties;
