//! TOML: read with places by its events, written as the file has its tables.

mod read;
mod remove;
mod render;
mod write;

pub(crate) use read::read_document;
pub(crate) use remove::{entry_span, remove_entry};
pub(crate) use write::{add_entry, set_value};
