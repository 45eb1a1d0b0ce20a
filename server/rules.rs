//! The rules of a workspace, which judge the effects of a call.
//!
//! Invariants: only this module makes a [`Grant`], and an [`AllowedSubject`] call from the effects that the call declares; no setting opens `.git` for writing or `.wherefore` at all;
//! a project's settings close paths and never open one, built-in ones that are asked for among them.
//!
//! # Invariants
//!
//! - No tool and no command makes a folder a git repository under another name than `.git`.
//!   Test: `no_tool_makes_a_repository_under_another_name`, `a_repository_without_a_protected_name_is_found`
//! - No path is permitted by its spelling: rules hold through links, case and absolute paths.
//!   Test: `rules_hold_through_links_and_spellings`
//! - No file that makes programs run by itself is written. None that steers agents is written without a yes, and none
//!   that runs at a build without a warning.
//!   Test: `what_runs_is_closed_what_steers_is_asked_and_what_builds_warns`,
//!   `what_steers_agents_or_runs_in_ci_is_asked_for_and_only_to_write`, `each_hunk_of_a_build_file_carries_a_warning`

mod acts;
mod builtin;
mod builtin_lists;
mod commands;
mod fold;
mod glob;
mod glob_sets;
mod grant;
mod held_paths;
mod judge;
mod path_rule_lists;
mod public;
mod refusal;
mod review;
#[cfg(test)]
mod tests;
mod touch;
mod verdict;

pub(crate) use acts::{Allowable, LastingPermission};
pub(crate) use builtin::{BuiltinGlob, RuleKind, builtin_table};
pub(crate) use grant::{AllowedSubject, FileOpener, Grant, RuleQuestion, RuleVerdict};
pub(crate) use held_paths::HeldPaths;
pub(crate) use judge::{PartyLists, WorkspaceRules};
pub(crate) use path_rule_lists::PathRuling;
pub(crate) use public::{LARGEST, holds_public, public_judge};
pub(crate) use refusal::AccessRefusal;
pub(crate) use review::ReviewRules;
pub(crate) use touch::{Effectful, PathTouch, Touch};
pub(crate) use verdict::indent_script;
