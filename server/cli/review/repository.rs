//! `wherefore review --git`: what commands did to the repository and waits, shown, taken over, dropped or moved back.

use std::process::ExitCode;

use super::super::answer;
use super::super::backend::RequestTarget;
use super::super::print::visible_line;
use crate::protocol::{Fault, RepositoryAct, RepositoryChange};
use crate::requests::Repository;
use crate::requests::repository::{RepositoryAnswer, RepositoryParams};

/// The decision on what commands did to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum GitArg {
    /// Say what it is
    Show,
    /// Take it over: commits, branches, tags, stashes and what is staged
    Take,
    /// Remove it
    Drop,
    /// Move the branches and tags back that were taken over last
    Undo,
}

/// Shows what waits, or carries the decision on it out.
///
/// # Errors
/// The server's fault.
pub(super) fn decide(backend: &mut RequestTarget, arg: GitArg, is_json: bool) -> Result<ExitCode, Fault> {
    let act = match arg {
        GitArg::Show => None,
        GitArg::Take => Some(RepositoryAct::Take),
        GitArg::Drop => Some(RepositoryAct::Drop),
        GitArg::Undo => Some(RepositoryAct::Undo),
    };
    let answer = backend.ask::<Repository>(RepositoryParams { act, ..RepositoryParams::default() })?;
    match is_json {
        true => answer::write_json(&answer),
        false => print(&answer, act),
    }
    Ok(ExitCode::from(if answer.problems.is_empty() { 0 } else { answer::FAULT }))
}

fn print(answer: &RepositoryAnswer, act: Option<RepositoryAct>) {
    if answer.changes.is_empty() && answer.problems.is_empty() {
        answer::write_line("nothing of the repository waits");
    }
    let verb = act.map(|act| format!("{}: ", act.word())).unwrap_or_default();
    for change in &answer.changes {
        answer::write_line(&format!("{verb}{}", visible_line(&change.summary)));
        if act.is_none() {
            notes(change);
        }
    }
    if act.is_none() && !answer.changes.is_empty() {
        answer::write_note("`wherefore review --git take` takes it over, `--git drop` removes it");
    }
    answer
        .problems
        .iter()
        .for_each(|problem| answer::write_note(&format!("wherefore: {}", visible_line(problem))));
}

fn notes(change: &RepositoryChange) {
    let note = |text: String| answer::write_note(&format!("  {}", visible_line(&text)));
    change.not_accepted.iter().for_each(|path| {
        note(format!("{path} stands otherwise in the workspace: decide on its changes first"));
    });
    change
        .passing
        .iter()
        .for_each(|path| note(format!("an earlier commit of it holds another text of {path}")));
    change.obstacles.iter().for_each(|why| note(format!("it cannot be taken over: {why}")));
    change.left_out.iter().for_each(|why| note(format!("left out: {why}")));
}

/// Prints that a change of the repository waits, after the other changes that wait for a decision.
pub(super) fn remind(backend: &mut RequestTarget) {
    let Ok(answer) = backend.ask::<Repository>(RepositoryParams::default()) else { return };
    let words: Vec<String> =
        answer.changes.iter().map(|change| visible_line(&change.summary).to_string()).collect();
    if !words.is_empty() {
        answer::write_note(&format!("{}: see `wherefore review --git`", words.join("; ")));
    }
}
