//! What a call may touch: rules judge its effects.
//!
//! Invariants: only this module makes a [`Grant`]; no setting opens `.git` for writing or `.wherefore` at all;
//! a project's settings close paths and never open one, built-in ones that are asked for among them.

mod builtin;
mod fold;
mod glob;
mod held;
mod judge;
mod review;
#[cfg(test)]
mod tests;

pub(crate) use builtin::{Entry, Kind, table};
pub(crate) use held::Held;
pub(crate) use judge::{Ask, Grant, Lists, Opener, Rules, Touch, Verdict};
pub(crate) use review::ReviewRules;
