//! Faults put in on purpose: kills, errors of the system, full disks, swapped folders, odd files, hostile values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod errno;
mod full;
mod hostile;
mod kill;
mod reach;
mod special;
mod speed;
mod strace;
mod support;
mod swap;
