//! Tools and activities by name: what a raw call is resolved and checked against.
//!
//! A tool is a schema; an activity is code. They live in registries of their own and meet by name, so that
//! an activity can be swapped while the server runs, and a tool can stand without one (*latent*: the model
//! fills its `_output`). Only [`ToolRegistry::resolve_call`] makes a [`CheckedCall`], and only
//! a call with a grant of the rules is a [`PermittedCall`].
//!
//! # Invariants
//!
//! - No caller gives the result of a tool that code runs, and no result that a caller filled passes as one of code:
//!   not in the answer, the log, the report, the status or an editor.
//!   Test: `no_caller_gives_the_result_of_a_tool_that_code_runs`, `no_caller_forges_what_a_tool_with_code_gives`,
//!   `a_result_that_its_caller_filled_is_marked_wherever_it_is_shown`
//! - No code runs in an environment that replaces it, whatever is wrong with what replaces it.
//!   Test: `practical_applications_an_environment_swaps_what_runs_a_tool`
//! - No project replaces what runs a built-in tool, and none of its own accord what runs a tool of the person's.
//!   Test: `practical_applications_a_definition_stands_in_as_a_test_double`

mod activities;
mod activity;
mod arguments;
mod call_judgement;
mod checked_call;
mod compose;
mod definition_changes;
mod fixed_answer;
mod latent;
mod made_repository;
mod output;
mod reason;
mod render_definition;
mod resolve_call;
mod sentences;
mod tool;
mod unfit_call;
mod violations;

pub use crate::review::{CallDraft, ChangeContent, PathChange};
pub use activities::{
    Activities, EnvironmentActivity, Environments, PROD, RefusedActivities, RefusedActivity,
    UnknownEnvironment,
};
pub use activity::{Activity, ActivityConsent, AnyActivity, AnyInput, PreparedActivity, RepositoryDesk};
pub use checked_call::{CheckedCall, PermittedCall};
pub use compose::compose_tools;
pub use definition_changes::DefinitionChanges;
pub(crate) use fixed_answer::FixedAnswer;
pub use latent::ask_for_output;
pub(crate) use made_repository::find_made_repository;
pub use output::ActivityOutput;
pub use render_definition::{DefinitionFormat, render_definition};
pub use resolve_call::{RefusedCall, ToolRegistry};
pub use tool::CompiledTool;
pub use violations::Violation;

#[cfg(test)]
mod tests;
