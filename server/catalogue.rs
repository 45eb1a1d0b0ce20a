//! Tool definitions: one loader for the built-in ones and those that users write.
//!
//! A definition is a YAML file with one `tool:` in it, or several under `custom_tools:`. [`load`] takes the built-in
//! ones and the users', both as text; what breaks a rule becomes a [`Problem`] with its line, and
//! the other definitions still load. Nothing here reads a file.

mod check;
pub mod complete;
mod definition;
pub mod discovery;
mod example;
mod load;
pub mod node;
mod reader;
mod schema;
mod short;
mod shown;
mod tree;

pub(crate) use definition::folded;

pub use definition::{Alias, Example, Runs, Sandbox, ToolDef};
pub use example::matches;
pub use load::{Catalogue, load};
pub use node::Problem;
pub use schema::compile;
pub use short::WHY;
pub use shown::show_schema;

pub use crate::protocol::Risk;
pub use tree::{TreeNode, tree};

#[cfg(test)]
mod tests;
