//! `wherefore review`: what waits for a decision, and the decision.

mod attach;
mod context;
pub(super) mod desk;
mod edit;
mod key;
mod screen;
pub(super) mod walk;
mod watch;
mod watch_lines;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use self::desk::Desk;
use self::walk::{StandardInput, Walk};
use self::watch::ReviewWatch;
use super::backend::{RequestTarget, RootArgs};
use super::mcp::reach::Reach;
use super::palette::Palette;
use super::print::{TerminalPage, TextLook, visible};
use super::{answer, completions, show};
use crate::base::ProposalId;
use crate::protocol::{Act, Code, DecideParams, Fault, Hunk, Point, Proposal, ProposalsParams, ProposedFile};
use crate::requests::{Decide, Proposals};

/// Decide on pending changes: hunk by hunk at a terminal, or by --accept and --reject
#[derive(Debug, Default, clap::Args)]
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
    /// Show the files and hunks on the whole screen, and take keys without Enter
    #[arg(short, long, conflicts_with_all = ["list", "json", "accept", "reject"])]
    full_screen: bool,
    /// Stay open, as an editor does: agents' calls wait for you here, and questions of the rules are asked here
    #[arg(long, conflicts_with_all = ["list", "json", "accept", "reject", "proposal"])]
    watch: bool,
    /// Go line by line, as `git add -p` does and screen readers need: the default without --watch
    #[arg(long, conflicts_with = "full_screen")]
    lines: bool,
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
        file.hunks.iter().filter(move |hunk| desk::is_open(hunk, applied))
    }
}

fn point(text: &str) -> Result<Point, String> {
    Point::try_from(text.to_owned())
}

fn decide(args: &Args) -> Result<ExitCode, Fault> {
    let root = args.root.find()?;
    if args.watch {
        return watch(args, root);
    }
    let mut backend = RequestTarget::open(&root)?;
    let acts = [(Act::Reject, &args.reject), (Act::Accept, &args.accept)];
    if acts.iter().all(|(_, hunks)| hunks.is_none()) {
        let proposals = waiting(&mut backend, args)?;
        let lists = args.json || args.list || !(args.full_screen || std::io::stdin().is_terminal());
        return match lists {
            true => Ok(list(args, &proposals)),
            false => ask(&root, &mut backend, args, &proposals),
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

/// Has the person decide on one proposal, hunk by hunk.
///
/// # Errors
/// What the server says.
pub(super) fn one(proposal: &ProposalId, backend: &mut RequestTarget) -> Result<(), Fault> {
    let RequestTarget::Server(_, root) = &*backend else { return Ok(()) };
    let root = root.clone();
    let args = Args { proposal: Some(proposal.clone()), ..Args::default() };
    let waiting = waiting(backend, &args)?;
    ask(&root, backend, &args, &waiting).map(drop)
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
    proposals: &[Proposal],
) -> Result<ExitCode, Fault> {
    let mut desk = Desk::new(proposals, args.applied);
    if desk.left().is_empty() {
        answer::line("nothing waits for a decision");
        return Ok(ExitCode::SUCCESS);
    }
    if args.full_screen {
        let (sum, went_well) = screen::run(root, backend, desk, None, |backend| waiting(backend, args))?;
        answer::line(&sum.to_string());
        return Ok(code(went_well));
    }
    Walk::new(root, Palette::stdout(), &mut desk, &mut StandardInput).go(backend)?;
    answer::line(&format!("\n{}", desk.sum()));
    Ok(code(desk.went_well()))
}

fn code(went_well: bool) -> ExitCode {
    ExitCode::from(if went_well { 0 } else { answer::FAULT })
}

/// Stays, and takes calls' waits as an editor does.
fn watch(args: &Args, root: String) -> Result<ExitCode, Fault> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Fault::new(Code::Unsupported, "a review that stays needs a terminal")
            .suggest("`wherefore review --list` lists what waits, `--accept` and `--reject` decide"));
    }
    let watch = ReviewWatch::new(Reach::new(Some(Path::new(&root)), None)?)?;
    let mut backend = RequestTarget::open(&root)?;
    let desk = Desk::new(&waiting(&mut backend, args)?, args.applied);
    let (sum, went_well) = match args.lines {
        true => watch_lines::run(&root, &mut backend, desk, watch, |backend| waiting(backend, args))?,
        false => screen::run(&root, &mut backend, desk, Some(watch), |backend| waiting(backend, args))?,
    };
    answer::line(&sum.to_string());
    Ok(code(went_well))
}

/// Shows one hunk between the lines around it, as "2 of 5".
pub(super) fn show(
    page: TerminalPage,
    palette: Palette,
    root: &str,
    (file, hunk): (&ProposedFile, &Hunk),
    (number, count): (usize, usize),
) {
    let around = context::of(root, file, hunk);
    let place = page.paint(TextLook::Bold, &format!("{number} of {count}  "));
    answer::out(&format!("\n{place}{}", show::within(page, palette, file, hunk, &around)));
}
