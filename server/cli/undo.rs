//! `wherefore undo`: an applied change is taken back.

use std::process::ExitCode;

use super::backend::{RequestTarget, RootArgs};
use super::print::visible;
use super::{answer, completions};
use crate::base::numbers::counted;
use crate::protocol::{Fault, UndoAnswer};
use crate::requests::Undo;
use crate::requests::undo::UndoParams;

/// Undo the change that a call made, and keep later edits; where a later edit overlaps the change, undo nothing
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The call, as `c-0007` or `SESSION/c-0007`, or the id of an undo [default: the last change]
    #[arg(add = completions::calls())]
    call: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &Args) -> ExitCode {
    match undo(args) {
        Ok(answer) if args.json => answer::json(&answer),
        Ok(answer) => {
            if !answer.paths.is_empty() {
                answer::line(&format!("undid {}: {}", answer.call, visible(&answer.paths.join(", "))));
                answer::line(&format!("`wherefore undo {}` brings it back", answer.undo_id));
            }
            if answer.withdrawn > 0 {
                let hunks = counted(answer.withdrawn, "hunk");
                answer::line(&format!("rejected {hunks} of {} that waited", answer.call));
            }
        }
        Err(fault) => return answer::fault(&fault),
    }
    ExitCode::SUCCESS
}

fn undo(args: &Args) -> Result<UndoAnswer, Fault> {
    RequestTarget::open(&args.root.find()?)?.ask::<Undo>(UndoParams { call: args.call.clone(), root: None })
}
