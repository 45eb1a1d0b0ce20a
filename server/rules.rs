//! What a call may touch: rules judge its effects.
//!
//! Invariants: only this module makes a [`Grant`], and an [`Allowed`] call from the effects that the call declares; no setting opens `.git` for writing or `.wherefore` at all;
//! a project's settings close paths and never open one, built-in ones that are asked for among them.

mod acts;
mod builtin;
mod commands;
mod fold;
mod glob;
mod grant;
mod held;
mod judge;
mod refusal;
mod review;
#[cfg(test)]
mod tests;
mod touch;
mod verdict;

pub(crate) use builtin::{BuiltinGlob, RuleKind, table};
pub(crate) use grant::{Allowed, Grant, Opener, RuleQuestion, Verdict};
pub(crate) use held::Held;
pub(crate) use judge::{Lists, Rules, Ruling};
pub(crate) use refusal::Refusal;
pub(crate) use review::ReviewRules;
pub(crate) use touch::{Effectful, PathTouch, Touch};
