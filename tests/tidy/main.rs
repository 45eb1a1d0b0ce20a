//! The rules that the whole repository keeps, each one a test whose message says how to mend what it found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod architecture;
mod invariants;
mod layers;
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

/// One test for each check, under its own name.
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
    files_named_in_the_architecture_are_there: architecture::files,
}
