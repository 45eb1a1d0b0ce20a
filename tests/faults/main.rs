//! Faults put in on purpose: kills, errors of the system, full disks, swapped folders, odd files, hostile values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod accept;
mod errno;
mod field;
mod full;
mod hostile;
mod kill;
mod kinds;
mod log_errors;
mod log_folder;
mod planted;
mod power;
mod reach;
mod settings;
mod special;
mod speed;
mod strace;
mod support;
mod swap;
