//! Tool definitions: one loader for the built-in ones and those that users write.
//!
//! A definition is a YAML file with one `tool:` in it, or several under `custom_tools:` or by their names. [`load_catalogue`] takes
//! the built-in ones and the users', both as text; what breaks a rule becomes a [`DefinitionProblem`] with its line,
//! and the other definitions still load. Nothing here reads a file.
//!
//! # Invariants
//!
//! - No tool states a lower risk than the code behind it has.
//!   Test: `a_tool_is_no_less_risky_than_what_runs_it`

mod broken_file;
mod check;
pub mod complete;
mod definition;
pub mod discovery;
pub(crate) mod exact_params;
mod example;
mod file_form;
mod function_form;
mod keyed_form;
mod load;
pub mod node;
mod own_nodes;
mod reader;
mod schema;
mod short_form;
mod show_hidden;
mod tool_protocol;
mod tree;

pub(crate) use check::find_placeholder_problem;
pub(crate) use definition::{folded_name, is_of_project};

pub use definition::{StandIn, ToolAlias, ToolDef, ToolExample, ToolRunner, ToolSandbox};
pub use example::matches_example;
pub use load::{ToolCatalogue, load_catalogue};
pub use node::DefinitionProblem;
pub use schema::compile_schema;
pub use short_form::WHY;
pub use show_hidden::show_schema;

pub use crate::protocol::Risk;
pub use tree::{OntologyTree, TreeNode};

#[cfg(test)]
mod tests;
