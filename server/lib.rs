//! wherefore: the tool layer between an editor and the language models that work in it.
//!
//! The modules stand lowest layer first; each imports only from those above it in this list.
//! `tests/tidy` holds them to that.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod base;

pub mod protocol;

mod redact;

pub mod ports;

mod embed;

pub mod patch;

mod rules;

pub mod catalogue;

pub mod journal;

mod workspace;

mod watch;

pub mod index;

mod memory;

pub mod session;

pub mod registry;

mod review;

mod pipeline;

mod tools;

mod upstream;

pub mod hub;

pub mod requests;

mod socket;

pub mod mcp;

mod lsp;

mod serve;

pub mod cli;
