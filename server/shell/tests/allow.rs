//! Standing permissions of a person.

use super::table::{FakePaths, place};
use crate::{AllowScope, CommandAllowance, CommandRules, CommandTable, CommandVerdict};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn verdict(scope: AllowScope, tables: &[&CommandTable], argv: &[String]) -> CommandVerdict {
    let allowances = [CommandAllowance { scope, why: "it is needed each day".to_owned() }];
    let place = place();
    let paths = FakePaths::new();
    let rules =
        CommandRules { place: &place, tables, paths: &paths, allowances: &allowances, confined: true };
    rules.judge_argv(argv).verdict
}

#[track_caller]
fn check(scope: &AllowScope, cases: &[(&str, CommandVerdict)]) {
    for (command, expected) in cases {
        let found = verdict(scope.clone(), &[CommandTable::builtin()], &words(command));
        assert_eq!(found, *expected, "{command}");
    }
}

#[test]
fn an_argument_vector_is_allowed_and_no_other() {
    let scope = AllowScope::Argv(words("git push origin main"));
    check(
        &scope,
        &[
            ("git push origin main", CommandVerdict::Allow),
            ("git push origin main --force", CommandVerdict::Ask),
            ("git push origin", CommandVerdict::Ask),
            ("sudo git push origin main", CommandVerdict::Ask),
        ],
    );
    let script = |text: &str| ["bash".to_owned(), "-c".to_owned(), text.to_owned()].to_vec();
    let scope = AllowScope::Argv(words("git fetch"));
    let tables = [CommandTable::builtin()];
    for (text, expected) in [
        ("git fetch && ls", CommandVerdict::Allow),
        ("git fetch > log.txt", CommandVerdict::Allow),
        ("git fetch > ../log.txt", CommandVerdict::Ask),
        ("git fetch; curl example.com", CommandVerdict::Ask),
        ("GIT_SSH=x git fetch", CommandVerdict::Ask),
        ("x=fetch; git $x", CommandVerdict::Ask),
    ] {
        assert_eq!(verdict(scope.clone(), &tables, &script(text)), expected, "{text}");
    }
}

#[test]
fn a_whole_script_is_allowed_unless_it_leaves_the_workspace_or_is_refused() {
    let tables = [CommandTable::builtin()];
    for (text, expected) in [
        ("eval \"$x\" && curl example.com", CommandVerdict::Allow),
        ("eval ls > ../x", CommandVerdict::Ask),
        ("eval ls; rm -rf ~", CommandVerdict::Deny),
    ] {
        let argv = ["bash".to_owned(), "-c".to_owned(), text.to_owned()].to_vec();
        assert_eq!(verdict(AllowScope::Argv(argv.clone()), &tables, &argv), expected, "{text}");
    }
}

#[test]
fn a_program_is_allowed_with_these_options_alone() {
    let scope = AllowScope::Program { program: words("npm install"), flags: words("--save-dev") };
    check(
        &scope,
        &[
            ("npm install left-pad", CommandVerdict::Allow),
            ("npm install --save-dev left-pad", CommandVerdict::Allow),
            ("npm install --global left-pad", CommandVerdict::Ask),
            ("npm publish", CommandVerdict::Ask),
        ],
    );
}

#[test]
fn a_program_is_allowed_on_a_path() {
    let scope = AllowScope::Path { program: words("git restore"), path: "docs".to_owned() };
    check(
        &scope,
        &[
            ("git restore docs/a.md", CommandVerdict::Allow),
            ("git restore docs", CommandVerdict::Allow),
            ("git restore docs/../src/a.rs", CommandVerdict::Ask),
            ("git restore docs src", CommandVerdict::Ask),
            ("git restore", CommandVerdict::Ask),
        ],
    );
}

#[test]
fn a_rule_of_somebody_else_is_not_opened() {
    let mut table = CommandTable::default();
    table.add_pattern("npm install", CommandVerdict::Ask, "rules.commands.ask of the project", true);
    table.add_pattern("make deploy", CommandVerdict::Deny, "rules.commands.deny", false);
    let tables = [CommandTable::builtin(), &table];
    let argv = words("npm install x");
    assert_eq!(verdict(AllowScope::Argv(argv.clone()), &tables, &argv), CommandVerdict::Ask);
    let argv = words("make -j2 deploy");
    assert_eq!(verdict(AllowScope::Argv(argv.clone()), &tables, &argv), CommandVerdict::Deny);
}
