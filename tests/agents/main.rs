//! Real agents and the protocol's own test programs, with the real binary. What could not be installed is passed over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod acp;
mod agent;
mod alone;
mod at_editor;
mod commands;
mod conformance;
mod editors;
mod everyday;
mod fixtures;
mod guarded;
mod http;
mod inspector;
mod model;
mod orphans;
mod own_rules;
mod patience;
mod person;
mod place;
mod plugins;
mod programs;
mod recipes;
mod setup;
mod shared;
mod task;
mod terminal;
mod together;
mod turn;
mod waiting;
