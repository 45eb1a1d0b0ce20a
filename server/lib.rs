//! wherefore: the tool layer between an editor and the language models that work in it.
//!
//! The modules stand lowest layer first; each imports only from those above it in this list.
//! `tests/tidy` holds them to that.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub use wherefore_base as base;

pub use wherefore_protocol as protocol;

pub use wherefore_redact as redact;

pub mod ports;

pub use wherefore_embed as embed;

pub use wherefore_model as model;

pub use wherefore_fetch as fetch;

pub use wherefore_patch as patch;

pub use wherefore_provenance as provenance;

pub use wherefore_shell as shell;

pub mod native;

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

mod review;

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

mod ide;

mod lsp;

mod serve;

pub mod cli;
