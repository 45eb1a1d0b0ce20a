//! `wherefore review --ignored`: changes of commands to ignored paths, which are kept apart: shown, taken over or dropped.

use std::process::ExitCode;

use super::super::answer;
use super::super::backend::RequestTarget;
use super::super::print::visible_line;
use crate::protocol::{ApartAct, Fault};
use crate::requests::KeptApart;
use crate::requests::kept_apart::{KeptApartAnswer, KeptApartParams};

/// The decision on changes that are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum IgnoredArg {
    /// Say what it is
    Show,
    /// Write it to the workspace
    Take,
    /// Remove it
    Drop,
}

/// Shows the changes that are kept apart, or carries out the decision on them.
///
/// # Errors
/// The error of the server.
pub(super) fn decide_on_ignored(
    backend: &mut RequestTarget,
    act: IgnoredArg,
    is_json: bool,
) -> Result<ExitCode, Fault> {
    let asked = match act {
        IgnoredArg::Show => None,
        IgnoredArg::Take => Some(ApartAct::Take),
        IgnoredArg::Drop => Some(ApartAct::Drop),
    };
    let answer = backend.ask::<KeptApart>(KeptApartParams { act: asked, ..KeptApartParams::default() })?;
    if is_json {
        answer::write_json(&answer);
    } else {
        print_ignored(&answer, act);
    }
    Ok(ExitCode::from(if answer.left_out.is_empty() { 0 } else { answer::FAULT }))
}

fn print_ignored(answer: &KeptApartAnswer, act: IgnoredArg) {
    if answer.files.is_empty() && answer.left_out.is_empty() {
        answer::write_line("nothing is kept apart");
    }
    let verb = match act {
        IgnoredArg::Show => "",
        IgnoredArg::Take => "taken over: ",
        IgnoredArg::Drop => "dropped: ",
    };
    answer
        .files
        .iter()
        .for_each(|writes| answer::write_line(&format!("{verb}{}", visible_line(&writes.to_string()))));
    if act == IgnoredArg::Show && !answer.files.is_empty() {
        answer::write_note(
            "`wherefore review --ignored take` writes it to the workspace, `--ignored drop` removes it",
        );
    }
    answer.left_out.iter().for_each(|left| answer::write_note(&format!("wherefore: {}", visible_line(left))));
}

/// Reports changes that are kept apart, in addition to those that wait for a decision.
pub(super) fn remind_of_ignored(backend: &mut RequestTarget) {
    let Ok(answer) = backend.ask::<KeptApart>(KeptApartParams::default()) else { return };
    let words: Vec<String> = answer.files.iter().map(|writes| visible_line(&writes.to_string())).collect();
    if !words.is_empty() {
        answer::write_note(&format!("{}: see `wherefore review --ignored`", words.join("; ")));
    }
}
