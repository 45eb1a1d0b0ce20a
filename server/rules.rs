//! What a call may touch: rules judge its effects.
//!
//! Invariants: only this module makes a [`Grant`]; no setting opens `.git` for writing or `.wherefore` at all;
//! a project's settings close paths and never open one.

mod builtin;
mod fold;
mod glob;
mod judge;
#[cfg(test)]
mod tests;

pub use judge::{Ask, Grant, Rules, Ruling, Touch, Verdict};
