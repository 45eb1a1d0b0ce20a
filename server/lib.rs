//! wherefore: the tool layer between an editor and the language models that work in it.
//!
//! The modules stand lowest layer first; each imports only from those above it in this list.
//! `tests/tidy` holds them to that.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod protocol;

pub mod base;

pub mod redact;

pub mod ports;

pub mod embed;

pub mod patch;

pub mod rules;

pub mod catalogue;

pub mod journal;

pub mod workspace;

pub mod watch;

pub mod index;

pub mod memory;

pub mod session;

pub mod registry;

pub mod review;

pub mod pipeline;

pub mod tools;

pub mod upstream;

pub mod hub;

pub mod requests;

pub mod socket;

pub mod mcp;

pub mod lsp;

pub mod serve;

pub mod cli;
