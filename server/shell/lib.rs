//! Reads shell commands as data and judges each of them: allowed, asked for, denied.
//!
//! The rules are no boundary: whoever writes a program can hide what it does. They decide when a person is asked, and
//! what is refused at once. A command that they allow runs confined all the same.

#![cfg_attr(test, allow(clippy::expect_used, clippy::unwrap_used, clippy::panic))]

mod allow;
mod command;
mod expand;
mod glob;
mod judge;
mod output;
mod place;
mod programs;
mod read;
mod scan;
mod table;
#[cfg(test)]
mod tests;
mod variables;
mod verdict;
mod word;
mod wrapper;

pub use allow::{AllowScope, Allowance};
pub use command::{Assignment, Doubt, Input, Reading, Redirect, RedirectKind, ShellCommand, Within};
pub use judge::{CommandRules, JudgedCommand, Judgement, PathRules};
pub use place::{Place, Zone};
pub use programs::PathUse;
pub use read::{read_argv, read_script};
pub use table::CommandTable;
pub use verdict::{CommandVerdict, Objection};
pub use word::{Word, WordKind};
