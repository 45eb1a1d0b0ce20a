//! End to end: the real binary, driven by a test editor over stdio. One module a feature.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod acp;
mod agents;
mod asks;
mod at_a_terminal;
mod by_keys;
mod command_line;
mod confined;
mod demo;
mod departing;
mod discovery;
mod guard;
mod http;
mod indexing;
mod interrupted;
mod language;
mod leftovers;
mod meaning;
mod meant;
mod neovim;
mod offered;
mod others;
mod protocol;
mod released;
mod review;
mod search;
mod sending;
mod sharing;
mod slots;
mod support;
mod tiers;
mod tokens;
mod trojan;
mod upstream;
mod whole_screen;
mod working;
