//! Tools and activities by name: what a raw call is resolved and checked against.
//!
//! A tool is a schema; an activity is code. They live in registries of their own and meet by name, so that
//! an activity can be swapped while the server runs, and a tool can stand without one (*latent*: the model
//! fills its `_output`). Only [`Registry::resolve`] makes a [`Call`], and only a call with a
//! [`crate::rules::Grant`] is [`Permitted`].

mod activities;
mod activity;
mod arguments;
mod call;
mod compose;
mod draft;
mod judge;
mod latent;
mod output;
mod reason;
mod render;
mod resolve;
mod sentences;
mod tool;
mod unfit;
mod violations;

pub use activities::{Activities, PROD};
pub use activity::{Activity, AnyActivity, AnyInput, PreparedActivity};
pub use call::{Call, Permitted};
pub use compose::compose;
pub use draft::{Change, Content, Draft};
pub use latent::ask_for_output;
pub use output::Output;
pub use render::{Format, render};
pub use resolve::{Refused, Registry};
pub use tool::Tool;
pub use violations::Violation;

#[cfg(test)]
mod tests;
