//! `wherefore hint`: a person's word on a file of the working set.

use std::process::ExitCode;

use clap::ValueEnum;

use super::answer;
use super::backend::{Backend, RootArgs};
use super::print::visible;
use crate::protocol::{Fault, HintAct, HintOutcome, HintParams};
use crate::requests::Hint;

/// Say that a file matters now or does not, pin it, or take that back
#[derive(Debug, clap::Args)]
pub(super) struct HintArgs {
    /// What to say of it
    advice: Word,
    /// The file
    path: String,
    /// Why, for whoever reads the working set
    #[arg(long)]
    why: Option<String>,
    /// Answer as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Word {
    /// It matters now
    Hot,
    /// It does not
    Cold,
    /// It stays in the set until it is unpinned
    Pin,
    /// It is pinned no longer
    Unpin,
    /// Every hint on it is taken back
    Clear,
}

/// Runs it.
pub(super) fn run(args: &HintArgs) -> ExitCode {
    match hint(args) {
        Ok(told) if args.json => answer::json(&told),
        Ok(told) => answer::line(&format!("{}: {}", visible(&told.path), visible(&told.reason))),
        Err(fault) => return answer::fault(&fault),
    }
    ExitCode::SUCCESS
}

fn hint(args: &HintArgs) -> Result<HintOutcome, Fault> {
    let advice = match args.advice {
        Word::Hot => HintAct::Hot,
        Word::Cold => HintAct::Cold,
        Word::Pin => HintAct::Pin,
        Word::Unpin => HintAct::Unpin,
        Word::Clear => HintAct::Clear,
    };
    let params = HintParams { path: args.path.clone(), advice, why: args.why.clone(), root: None };
    Backend::open(&args.root.find()?)?.ask::<Hint>(params)
}
