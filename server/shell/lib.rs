//! Reads shell commands as data and judges each of them: allowed, asked for, denied.
//!
//! The rules are no boundary: a program can hide its effects. They decide when a person is asked, and
//! what is refused at once. A command that they allow runs confined all the same.
//!
//! # Invariants
//!
//! - No command that the rules refuse runs because of the text around it, and none that cannot be read with
//!   certainty runs unasked where no sandbox bounds it, or where it may lose work.
//!   Test: `each_command_gets_its_verdict`, `a_refused_command_stays_refused_among_others`,
//!   `a_confined_command_is_asked_about_only_where_a_rule_says_so`
//! - No text that bash expands a second time, and no code of an interpreter that removes what it names, is judged as
//!   a mere argument.
//!   Test: `each_command_gets_its_verdict`

#![cfg_attr(test, allow(clippy::expect_used, clippy::unwrap_used, clippy::panic))]

mod allowance;
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
mod unclear;
mod variables;
mod verdict;
mod word;
mod wrapper;

pub use allowance::{AllowScope, CommandAllowance};
pub use command::{
    CommandInput, RedirectKind, ScriptDoubt, ScriptReading, ShellCommand, StreamRedirect, VariableAssignment,
    Within,
};
pub use judge::{CommandRules, JudgedCommand, Judgement, PathRules};
pub use place::{CommandPlace, PathZone};
pub use programs::PathUse;
pub use read::{command_texts, plain_commands, read_argv, read_script};
pub use table::CommandTable;
pub use verdict::{CommandVerdict, RuleObjection};
pub use word::{ShellWord, WordKind};
