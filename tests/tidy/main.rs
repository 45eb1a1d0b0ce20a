//! The rules that the whole repository keeps, each one a test whose message names the remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod architecture;
mod invariants;
mod layers;
mod methods;
mod named;
mod naming;
mod pages;
mod requests;
mod rust_code;
mod text;
mod top_level;
mod tree;

use tree::{Finding, Tree};

/// Fails with every finding at once.
fn report(findings: Vec<Finding>) {
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} to mend:\n{}\n", list.len(), list.join("\n"));
}

/// A test for each check, under its own name.
macro_rules! checks {
    ($($name:ident: $check:path,)+) => { $(
        #[test]
        fn $name() {
            report($check(&Tree::tracked()));
        }
    )+ };
}

checks! {
    modules_import_only_from_above: layers::upward,
    doors_do_not_import_tools: layers::doors,
    tools_name_no_session: layers::sessions,
    only_the_lsp_door_uses_tower_lsp: layers::tower_lsp,
    calls_are_permitted_in_one_file: layers::permits,
    unsafe_code_stands_in_one_file: layers::unsafe_code,
    a_type_has_few_methods: methods::counts,
    a_request_is_a_row_and_a_file: requests::files,
    methods_of_requests_stand_in_their_table: requests::methods,
    source_files_are_short: text::sizes,
    modules_open_with_their_purpose: text::purpose,
    tracked_files_name_no_machine: text::machines,
    nothing_is_unfinished_or_switched_off: text::unfinished,
    the_top_level_holds_its_names_only: top_level::names,
    ci_runs_what_the_readme_says: pages::commands,
    the_readme_is_short: pages::length,
    subcommands_in_the_pages_exist: pages::subcommands,
    subcommands_have_rows_in_their_page: pages::commands_have_rows,
    tools_in_their_page_are_the_tools: pages::tools,
    links_in_pages_lead_somewhere: pages::links,
    every_invariant_has_its_test: invariants::tested,
    the_architecture_names_every_module: architecture::modules,
    the_architecture_is_read_in_one_go: architecture::length,
    what_pages_name_is_there: named::exist,
    functions_are_verbs_with_their_objects: naming::functions,
    types_say_of_what_they_are: naming::types,
    comments_begin_with_a_noun_or_a_verb: naming::comments,
}
