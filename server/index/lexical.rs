//! Lines that match a pattern, found through an index of what each file holds.

pub mod entry;
mod evaluate;
mod gather;
pub mod hit;
pub mod index;
pub mod keeper;
pub mod plan;
pub mod query;
mod read_ahead;
pub mod search;
pub mod segment;
pub mod source;
mod store;
pub mod sweep;
mod text;
mod trigrams;
pub mod update;
pub mod verify;
pub mod view;
pub mod walk;

#[cfg(test)]
mod tests;
