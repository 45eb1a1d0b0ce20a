//! `wherefore working-set`: the files that matter now, and why.

use std::process::ExitCode;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::{TerminalPage, visible_line};
use crate::base::numbers::format_count;
use crate::protocol::{Advice, Fault, HintOutcome, WorkingFile, WorkingSetAnswer};
use crate::requests::collect::CollectParams;
use crate::requests::working_set::WorkingSetParams;
use crate::requests::{Collect, WorkingSet};

/// List the files that matter now, the hottest first, each with its reasons
#[derive(Debug, clap::Args)]
pub(super) struct WorkingSetArgs {
    /// First remove from the set the files that have cooled, and name them
    #[arg(long)]
    collect: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_working_set(args: &WorkingSetArgs) -> ExitCode {
    match working_set(args) {
        Ok((dropped, set)) if args.json => {
            let mut shown = serde_json::to_value(&set).unwrap_or_default();
            if args.collect {
                shown["dropped"] = serde_json::to_value(dropped).unwrap_or_default();
            }
            answer::write_json(&shown);
        }
        Ok((dropped, set)) => {
            for gone in &dropped {
                answer::write_line(&format!(
                    "dropped  {}: {}",
                    visible_line(&gone.path),
                    visible_line(&gone.reason)
                ));
            }
            set.files.iter().for_each(show_file);
            let count = format_count(set.files.len(), "file");
            answer::write_line(&format!(
                "{count}, about {} tokens; the budget is {}",
                set.tokens, set.budget
            ));
            set.problems
                .iter()
                .for_each(|problem| answer::write_line(&format!("problem  {}", visible_line(problem))));
        }
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn working_set(args: &WorkingSetArgs) -> Result<(Vec<HintOutcome>, WorkingSetAnswer), Fault> {
    let mut backend = RequestTarget::open(&args.root.find()?)?;
    let dropped = match args.collect {
        true => backend.ask::<Collect>(CollectParams::default())?.dropped,
        false => Vec::new(),
    };
    Ok((dropped, backend.ask::<WorkingSet>(WorkingSetParams::default())?))
}

fn show_file(file: &WorkingFile) {
    let mark = match (file.pinned, file.advice) {
        (true, _) => "pinned",
        (false, Some(Advice::Hot)) => "hot",
        (false, Some(Advice::Cold)) => "cold",
        (false, None) => "",
    };
    let tokens = file.tokens.map_or_else(|| "gone".to_owned(), |tokens| format!("~{tokens}"));
    answer::write_line(&format!(
        "{:.2}  {mark:6}  {:9}  {tokens:>8}  {}",
        file.hotness,
        file.role.as_str(),
        visible_line(&file.path)
    ));
    for reason in &file.reasons {
        answer::write_line(&format!("      {}", TerminalPage::stdout().hang_text(6, None, reason)));
    }
}
