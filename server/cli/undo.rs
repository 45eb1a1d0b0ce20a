//! `wherefore undo`: an applied change is taken back.

use std::process::ExitCode;

use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use super::{answer, completions};
use crate::base::numbers::format_count;
use crate::protocol::{Fault, UndoAnswer};
use crate::requests::Undo;
use crate::requests::undo::UndoParams;

/// Undo the change that a call made, and keep later edits; where a later edit overlaps the change, undo nothing
#[derive(Debug, clap::Args)]
pub(super) struct UndoArgs {
    /// The call, as `c-0007` or `SESSION/c-0007`, or the id of an undo [default: the last change]
    #[arg(add = completions::complete_calls())]
    call: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_undo(args: &UndoArgs) -> ExitCode {
    match undo_change(args) {
        Ok(answer) if args.json => answer::write_json(&answer),
        Ok(answer) => {
            if !answer.paths.is_empty() {
                answer::write_line(&format!(
                    "undid {}: {}",
                    answer.call,
                    visible_line(&answer.paths.join(", "))
                ));
                answer::write_line(&format!("`wherefore undo {}` brings it back", answer.undo_id));
            }
            if answer.withdrawn > 0 {
                let hunks = format_count(answer.withdrawn, "hunk");
                answer::write_line(&format!("rejected {hunks} of {} that waited", answer.call));
            }
        }
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn undo_change(args: &UndoArgs) -> Result<UndoAnswer, Fault> {
    RequestTarget::open(&args.root.find()?)?.ask::<Undo>(UndoParams { call: args.call.clone(), root: None })
}
