//! `wherefore hint`: a person's word on a file of the working set.

use std::process::ExitCode;

use clap::ValueEnum;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use crate::protocol::{Fault, HintAct, HintOutcome, HintParams};
use crate::requests::Hint;

/// Mark a file of the working set as hot or cold, pin it, or clear its hints
#[derive(Debug, clap::Args)]
pub(super) struct HintArgs {
    /// The hint
    advice: HintWord,
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
enum HintWord {
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
pub(super) fn run_hint(args: &HintArgs) -> ExitCode {
    match give_hint(args) {
        Ok(told) if args.json => answer::write_json(&told),
        Ok(told) => {
            answer::write_line(&format!("{}: {}", visible_line(&told.path), visible_line(&told.reason)))
        }
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn give_hint(args: &HintArgs) -> Result<HintOutcome, Fault> {
    let advice = match args.advice {
        HintWord::Hot => HintAct::Hot,
        HintWord::Cold => HintAct::Cold,
        HintWord::Pin => HintAct::Pin,
        HintWord::Unpin => HintAct::Unpin,
        HintWord::Clear => HintAct::Clear,
    };
    let params = HintParams { path: args.path.clone(), advice, why: args.why.clone(), root: None };
    RequestTarget::open(&args.root.find()?)?.ask::<Hint>(params)
}
