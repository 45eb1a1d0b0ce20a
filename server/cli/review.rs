//! `wherefore review`: what waits for a decision, and the decision.

mod context;
mod edit;
mod key;
mod walk;

use std::io::IsTerminal;
use std::process::ExitCode;

use self::walk::{Step, Walk};
use super::backend::{RequestTarget, RootArgs};
use super::print::{TerminalPage, visible};
use super::{answer, completions, show};
use crate::base::ProposalId;
use crate::protocol::{
    Act, DecideParams, Fault, Hunk, HunkState, Point, Proposal, ProposalsParams, ProposedFile,
};
use crate::requests::{Decide, Proposals};

/// Decide on pending changes: hunk by hunk at a terminal, or by --accept and --reject
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The proposal [default: every pending one]
    #[arg(add = completions::proposals())]
    proposal: Option<ProposalId>,
    /// Accept these hunks: `all`, or ids separated by commas (`h1,h3`), which need a PROPOSAL
    #[arg(long, value_name = "HUNKS")]
    accept: Option<String>,
    /// Reject these hunks, in the same form; a hunk that was accepted before is taken back
    #[arg(long, value_name = "HUNKS")]
    reject: Option<String>,
    /// The reason that the agent is told
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Include hunks that a policy applied and nobody has reviewed; rejecting such a hunk takes it back
    #[arg(long)]
    applied: bool,
    /// Only changes after this point of the log: a call, as c-0007, or a time, as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "POINT", value_parser = point)]
    since: Option<Point>,
    /// List the pending hunks, and decide nothing
    #[arg(long)]
    list: bool,
    /// List the pending hunks as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &Args) -> ExitCode {
    match decide(args) {
        Ok(code) => code,
        Err(fault) => answer::fault(&fault),
    }
}

impl Args {
    /// The hunks of a file that are to be decided on.
    fn shown<'a>(&self, file: &'a ProposedFile) -> impl Iterator<Item = &'a Hunk> + use<'a> {
        let applied = self.applied;
        let shown = move |hunk: &&Hunk| hunk.state == HunkState::Pending || (applied && hunk.is_unreviewed());
        file.hunks.iter().filter(shown)
    }
}

fn point(text: &str) -> Result<Point, String> {
    Point::try_from(text.to_owned())
}

fn decide(args: &Args) -> Result<ExitCode, Fault> {
    let root = args.root.find()?;
    let mut backend = RequestTarget::open(&root)?;
    let acts = [(Act::Reject, &args.reject), (Act::Accept, &args.accept)];
    if acts.iter().all(|(_, hunks)| hunks.is_none()) {
        let waiting = waiting(&mut backend, args)?;
        return match args.json || args.list || !std::io::stdin().is_terminal() {
            true => Ok(list(args, &waiting)),
            false => ask(&root, &mut backend, args, &waiting),
        };
    }
    let mut problems = Vec::new();
    for (act, hunks) in acts {
        let Some(hunks) = hunks else { continue };
        let hunks = match hunks.as_str() {
            "all" => Vec::new(),
            some => some.split(',').map(|id| id.trim().into()).collect(),
        };
        let reason = args.reason.clone().filter(|_| act == Act::Reject || args.reject.is_none());
        let answer = backend.ask::<Decide>(DecideParams {
            proposal: args.proposal.clone(),
            hunks,
            reason,
            applied: args.applied,
            since: args.since.clone(),
            ..DecideParams::all(act)
        })?;
        problems.extend(answer.problems);
        answer.proposals.iter().for_each(say);
    }
    problems.iter().for_each(|problem| answer::note(&format!("wherefore: {}", visible(problem))));
    Ok(ExitCode::from(if problems.is_empty() { 0 } else { answer::FAULT }))
}

fn waiting(backend: &mut RequestTarget, args: &Args) -> Result<Vec<Proposal>, Fault> {
    let params =
        ProposalsParams { applied: args.applied, since: args.since.clone(), ..ProposalsParams::default() };
    let answer = backend.ask::<Proposals>(params)?;
    let meant = |proposal: &Proposal| args.proposal.as_ref().is_none_or(|id| id == &proposal.id);
    Ok(answer.proposals.into_iter().filter(meant).collect())
}

fn list(args: &Args, waiting: &[Proposal]) -> ExitCode {
    if args.json {
        answer::json(&waiting);
        return ExitCode::SUCCESS;
    }
    if waiting.is_empty() {
        answer::line("nothing waits for a decision");
    }
    let page = TerminalPage::stdout();
    for proposal in waiting {
        answer::line(&show::heading(page, proposal));
        for file in &proposal.files {
            for hunk in args.shown(file) {
                answer::out(&show::hunk(page, file, hunk));
            }
        }
    }
    ExitCode::SUCCESS
}

fn say(proposal: &Proposal) {
    let hunks: Vec<String> =
        proposal.hunks().map(|hunk| format!("{} {}", hunk.id, hunk.state.word())).collect();
    answer::line(&format!("{} {}: {}", proposal.id, proposal.state().word(), hunks.join(", ")));
}

/// Goes through the hunks one by one.
fn ask(
    root: &str,
    backend: &mut RequestTarget,
    args: &Args,
    waiting: &[Proposal],
) -> Result<ExitCode, Fault> {
    let steps: Vec<Step<'_>> = waiting
        .iter()
        .flat_map(|proposal| proposal.files.iter().map(move |file| (proposal, file)))
        .flat_map(|(proposal, file)| {
            args.shown(file).map(move |hunk| Step { proposal, file, hunk: hunk.clone() })
        })
        .collect();
    if steps.is_empty() {
        answer::line("nothing waits for a decision");
        return Ok(ExitCode::SUCCESS);
    }
    let went_well = Walk::new(root, steps).go(backend)?;
    Ok(ExitCode::from(if went_well { 0 } else { answer::FAULT }))
}
