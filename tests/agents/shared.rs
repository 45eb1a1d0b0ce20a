//! The test editor of tests/e2e, as it is there.
#![allow(dead_code)]

#[path = "../e2e/support/editor.rs"]
mod editor;
#[path = "../e2e/support/model.rs"]
mod model;
#[path = "../e2e/support/ours.rs"]
mod ours;
#[path = "../e2e/support/wire.rs"]
mod wire;

pub(crate) use editor::{Editor, Options};
