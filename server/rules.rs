//! What a call may touch: rules judge its effects.
//!
//! Invariants: only this module makes a [`Grant`], and an [`Allowed`] call from the effects that the call declares; no setting opens `.git` for writing or `.wherefore` at all;
//! a project's settings close paths and never open one, built-in ones that are asked for among them.

mod acts;
mod builtin;
mod fold;
mod glob;
mod grant;
mod held;
mod judge;
mod refusal;
mod review;
mod touch;
mod verdict;
#[cfg(test)]
mod tests;

pub(crate) use builtin::{Entry, Kind, table};
pub(crate) use held::Held;
pub(crate) use judge::{Lists, Rules};
pub use grant::Allowed;
pub(crate) use grant::{Ask, Grant, Opener, Verdict};
pub(crate) use refusal::Refusal;
pub(crate) use touch::{Effectful, PathTouch, Touch};
pub(crate) use review::ReviewRules;
