//! `wherefore hint`: a person's word on a file of the working set.

use std::process::ExitCode;

use clap::ValueEnum;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible;
use crate::protocol::{Fault, HintAct, HintOutcome, HintParams};
use crate::requests::Hint;

/// Mark a file of the working set as hot or cold, pin it, or clear its hints
#[derive(Debug, clap::Args)]
pub(super) struct HintArgs {
    /// The hint
    advice: Word,
    /// The file that the hint is about
    path: String,
    /// The reason that the working set shows
    #[arg(long)]
    why: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Word {
    /// The file matters now
    Hot,
    /// The file does not matter now
    Cold,
    /// The file stays in the working set until it is unpinned
    Pin,
    /// The file is no longer pinned
    Unpin,
    /// Every hint on the file is taken back
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
    RequestTarget::open(&args.root.find()?)?.ask::<Hint>(params)
}
