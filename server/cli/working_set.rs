//! `wherefore working-set`: the files that matter now, and why.

use std::process::ExitCode;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::{TerminalPage, visible};
use crate::base::numbers::counted;
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
pub(super) fn run(args: &WorkingSetArgs) -> ExitCode {
    match working_set(args) {
        Ok((dropped, set)) if args.json => {
            let mut shown = serde_json::to_value(&set).unwrap_or_default();
            if args.collect {
                shown["dropped"] = serde_json::to_value(dropped).unwrap_or_default();
            }
            answer::json(&shown);
        }
        Ok((dropped, set)) => {
            for gone in &dropped {
                answer::line(&format!("dropped  {}: {}", visible(&gone.path), visible(&gone.reason)));
            }
            set.files.iter().for_each(show);
            let count = counted(set.files.len(), "file");
            answer::line(&format!("{count}, about {} tokens; the budget is {}", set.tokens, set.budget));
            set.problems.iter().for_each(|problem| answer::line(&format!("problem  {}", visible(problem))));
        }
        Err(fault) => return answer::fault(&fault),
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

fn show(file: &WorkingFile) {
    let mark = match (file.pinned, file.advice) {
        (true, _) => "pinned",
        (false, Some(Advice::Hot)) => "hot",
        (false, Some(Advice::Cold)) => "cold",
        (false, None) => "",
    };
    let tokens = file.tokens.map_or_else(|| "gone".to_owned(), |tokens| format!("~{tokens}"));
    answer::line(&format!(
        "{:.2}  {mark:6}  {:9}  {tokens:>8}  {}",
        file.hotness,
        file.role.word(),
        visible(&file.path)
    ));
    for reason in &file.reasons {
        answer::line(&format!("      {}", TerminalPage::stdout().hung(6, None, reason)));
    }
}
