//! The hub in this process, with a scripted editor: review, undo, policies, and the tools' own examples.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod acting;
mod adopting;
mod afterwards;
mod closed;
mod commands;
mod crowd;
mod documents;
mod drafting;
mod editing;
mod examples;
mod fetching;
mod following;
mod governance;
mod kinds;
mod live;
mod logging;
mod memory;
mod native;
mod outside;
mod policies;
mod programs;
mod recovery;
mod repositories;
mod repository_traps;
mod requests;
mod review;
mod scripts;
mod search;
mod sending;
mod servers;
mod support;
mod together;
mod undo;
mod waiting;
mod working;
