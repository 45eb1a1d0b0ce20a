//! The five documents that the program was built from: their statements and their own examples, tried on the real binary.
//! A module a document; each test names the section that it holds the program to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod activities;
mod answers;
mod calls;
mod card;
mod comments;
mod common_tools;
mod definitions;
mod discovery;
mod environment;
mod errors;
mod extensions;
mod questions;
mod reader;
mod semantic_search;
mod servers;
mod tool_calling;
mod tool_protocol;
