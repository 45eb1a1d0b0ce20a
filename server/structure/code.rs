//! Definitions in program code: found by their names, read, replaced and taken away.

mod change;
mod definitions;
mod indent;
mod language;
mod symbols;

pub(crate) use change::{change_symbol, find_symbol};
pub(crate) use language::Language;
