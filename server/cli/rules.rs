//! `wherefore rules`: the paths and commands that the built-in rules close, ask for or warn of, and why.

mod test;

use std::process::ExitCode;

use serde_json::json;

use super::answer;
use super::backend::RootArgs;
use super::print::{TerminalPage, TextLook};
use crate::rules::{BuiltinGlob, RuleKind, builtin_table};
use crate::shell::{CommandTable, CommandVerdict};

/// List the built-in rules: the paths that are closed, that need your yes or that carry a warning, and the commands that
/// are refused or asked about, each with its reason
#[derive(Debug, clap::Args)]
pub(super) struct RulesArgs {
    #[command(subcommand)]
    act: Option<RulesAction>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

#[derive(Debug, clap::Subcommand)]
enum RulesAction {
    /// Say what the rules make of a command, and of each command in it, without running it
    Test(test::TestArgs),
}

/// Runs it.
pub(super) fn run_rules(args: &RulesArgs) -> ExitCode {
    if let Some(RulesAction::Test(test)) = &args.act {
        return test::run_rules_test(test, &args.root, args.json);
    }
    if args.json {
        let entry = |entry: &BuiltinGlob| json!({ "glob": entry.glob, "rule": entry.kind.rule_name(), "reason": entry.reason });
        answer::write_json(&builtin_table().iter().map(entry).collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    let page = TerminalPage::stdout();
    for kind in RuleKind::ALL {
        answer::write_line(&format!(
            "{}: {}",
            page.paint(TextLook::Bold, kind.rule_name()),
            kind.describe_effect()
        ));
        let mut entries = builtin_table().iter().filter(|entry| entry.kind == kind).peekable();
        while let Some(first) = entries.next() {
            let mut globs = vec![first.glob];
            while let Some(more) = entries.next_if(|more| more.reason == first.reason) {
                globs.push(more.glob);
            }
            answer::write_line(&format!("  {}", page.paint(TextLook::Cyan, first.reason)));
            answer::write_line(&format!("    {}", page.hang_text(4, None, &globs.join("  "))));
        }
        answer::write_line("");
    }
    answer::write_line(&format!(
        "{}: judged one by one in each script",
        page.paint(TextLook::Bold, "commands")
    ));
    for rule in CommandTable::builtin_rules() {
        let verdict = if rule.verdict == CommandVerdict::Deny { "refused" } else { "asked" };
        let only = if rule.unconfined { "; asked only outside of the sandbox" } else { "" };
        let name = page.paint(TextLook::Cyan, &rule.rule);
        let margin = rule.rule.len() + 12;
        answer::write_line(&format!(
            "  {verdict:<7} {name}: {}",
            page.hang_text(margin, None, &format!("{}{only}", rule.why))
        ));
    }
    let test = "`wherefore rules test COMMAND` says which of them a command meets.";
    answer::write_line(&format!("  {}\n", page.hang_text(2, None, test)));
    let further = "Each path stands at any depth, without regard to case. Settings add to them: `[rules]` in config.toml.";
    answer::write_line(&page.hang_text(0, None, further));
    ExitCode::SUCCESS
}
