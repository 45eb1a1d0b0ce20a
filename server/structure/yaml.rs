//! YAML: read with places by its events, written in the file's own style.

mod read;
mod remove;
mod render;
mod scalar;
mod style;
mod write;

pub(crate) use read::read_documents;
pub(crate) use remove::remove_entry;
pub(crate) use write::{add_entry, set_value};
