//! Real commands in real sandboxes. A machine that offers no namespaces skips them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

#[path = "runs/files.rs"]
mod files;
#[path = "runs/layers.rs"]
mod layers;
#[path = "runs/limits.rs"]
mod limits;
#[path = "runs/network.rs"]
mod network;
#[path = "runs/odd.rs"]
mod odd;
#[path = "runs/overlays.rs"]
mod overlays;
#[path = "runs/place.rs"]
mod place;
#[path = "runs/planted.rs"]
mod planted;
#[path = "runs/programs.rs"]
mod programs;
#[path = "runs/routines.rs"]
mod routines;
#[path = "runs/streams.rs"]
mod streams;
#[path = "runs/tiers.rs"]
mod tiers;
