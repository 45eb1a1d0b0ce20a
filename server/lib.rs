//! wherefore: the tool layer between an editor and the language models that work in it.
//!
//! The modules stand lowest layer first; each imports only from those above it in this list.
//! `tests/tidy` holds them to that.
//!
//! # Invariants
//!
//! - No module imports from one below it in the table.
//!   Test: `modules_import_only_from_above`
//! - No door imports a tool, and no tool a door.
//!   Test: `doors_do_not_import_tools`
//! - Nothing but `lsp` knows tower-lsp.
//!   Test: `only_the_lsp_door_uses_tower_lsp`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub use wherefore_base as base;

pub use wherefore_protocol as protocol;

pub use wherefore_redact as redact;

pub mod ports;

pub use wherefore_words as words;

pub use wherefore_embed as embed;

pub use wherefore_model as model;

pub use wherefore_fetch as fetch;

pub use wherefore_patch as patch;

pub use wherefore_review as review;
pub use wherefore_structure as structure;

pub use wherefore_provenance as provenance;

pub use wherefore_shell as shell;

pub mod agents;

pub mod hooks;

mod rules;

pub mod catalogue;

pub use wherefore_journal as journal;

pub mod report;

pub mod telemetry;

mod workspace;

pub use wherefore_sandbox as sandbox;

pub use wherefore_script as script;

pub use wherefore_watch as watch;

pub use wherefore_index as index;

mod memory;

pub mod session;

pub mod registry;

mod proposals;

mod pipeline;

mod execution;

mod tools;

mod upstream;

pub mod hub;

pub mod agent;

pub mod requests;

pub mod replay;

mod socket;

pub mod mcp;

pub mod acp;

mod lsp;

mod serve;

pub mod cli;
