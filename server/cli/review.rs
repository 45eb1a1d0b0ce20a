//! `wherefore review`: what waits for a decision, and the decision.
//!
//! # Invariants
//!
//! - No key of a review is lost, and no terminal left in raw mode, when it is killed.
//!   Test: `a_review_that_is_killed_gives_the_terminal_back_and_loses_no_key`

mod attach;
mod context;
pub(super) mod desk;
mod edit;
mod ignored_changes;
mod key;
mod other_folders;
mod repository;
mod screen;
pub(super) mod walk;
mod watch;
mod watch_lines;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use self::desk::ReviewSession;
use self::ignored_changes::IgnoredArg;
use self::repository::GitArg;
use self::walk::{HunkWalk, StandardInput};
use self::watch::ReviewWatch;
use super::backend::{RequestTarget, RootArgs};
use super::mcp::reach::ServerConnector;
use super::palette::DiffPalette;
use super::print::{TerminalPage, TextLook, visible_line};
use super::{answer, completions, show};
use crate::base::ProposalId;
use crate::protocol::{Act, Code, DecideParams, Fault, Hunk, Point, Proposal, ProposalsParams, ProposedFile};
use crate::requests::{Decide, Proposals};

/// Decide on pending changes: hunk by hunk at a terminal, or by --accept and --reject
#[derive(Debug, Default, clap::Args)]
pub(super) struct ReviewArgs {
    /// The proposal [default: every pending one]
    #[arg(add = completions::complete_proposals())]
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
    #[arg(long, value_name = "POINT", value_parser = parse_point)]
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
    /// What commands changed in ignored folders and is kept apart by `[sandbox] ignored = "session"`: show it, take it over or
    /// drop it
    #[arg(long, value_name = "ACT", num_args = 0..=1, default_missing_value = "show")]
    #[arg(conflicts_with_all = ["list", "accept", "reject", "proposal", "full_screen", "applied", "since", "watch"])]
    ignored: Option<IgnoredArg>,
    /// What commands did to the repository and waits: show it, take it over, drop it, or undo what was taken over last
    #[arg(long, value_name = "ACT", num_args = 0..=1, default_missing_value = "show")]
    #[arg(conflicts_with_all = ["list", "accept", "reject", "proposal", "full_screen", "applied", "since", "watch", "ignored"])]
    git: Option<GitArg>,
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
pub(super) fn run_review(args: &ReviewArgs) -> ExitCode {
    match decide_or_list(args) {
        Ok(code) => code,
        Err(fault) => answer::show_fault(&fault),
    }
}

impl ReviewArgs {
    /// The hunks of a file that are to be decided on.
    fn open_hunks<'a>(&self, file: &'a ProposedFile) -> impl Iterator<Item = &'a Hunk> + use<'a> {
        let applied = self.applied;
        file.hunks.iter().filter(move |hunk| desk::is_open(hunk, applied))
    }
}

fn parse_point(text: &str) -> Result<Point, String> {
    Point::try_from(text.to_owned())
}

fn decide_or_list(args: &ReviewArgs) -> Result<ExitCode, Fault> {
    let root = args.root.find()?;
    if args.watch {
        return stay_and_review(args, root);
    }
    let mut backend = RequestTarget::open(&root)?;
    if let Some(act) = args.ignored {
        return ignored_changes::decide_on_ignored(&mut backend, act, args.json);
    }
    if let Some(act) = args.git {
        return repository::decide(&mut backend, act, args.json);
    }
    let acts = [(Act::Reject, &args.reject), (Act::Accept, &args.accept)];
    if acts.iter().all(|(_, hunks)| hunks.is_none()) {
        let proposals = waiting_proposals(&mut backend, args)?;
        let lists = args.json || args.list || !(args.full_screen || std::io::stdin().is_terminal());
        let code = match lists {
            true => list_waiting(args, &root, &proposals),
            false => ask_about_hunks(&root, &mut backend, args, &proposals)?,
        };
        ignored_changes::remind_of_ignored(&mut backend);
        repository::remind(&mut backend);
        return Ok(code);
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
        answer.proposals.iter().for_each(print_states);
    }
    problems.iter().for_each(|problem| answer::write_note(&format!("wherefore: {}", visible_line(problem))));
    Ok(ExitCode::from(if problems.is_empty() { 0 } else { answer::FAULT }))
}

/// Asks the person to decide on one proposal, hunk by hunk.
///
/// # Errors
/// The error of the server.
pub(super) fn review_proposal(proposal: &ProposalId, backend: &mut RequestTarget) -> Result<(), Fault> {
    let RequestTarget::Server(_, root) = &*backend else { return Ok(()) };
    let root = root.clone();
    let args = ReviewArgs { proposal: Some(proposal.clone()), ..ReviewArgs::default() };
    let waiting = waiting_proposals(backend, &args)?;
    ask_about_hunks(&root, backend, &args, &waiting).map(drop)
}

fn waiting_proposals(backend: &mut RequestTarget, args: &ReviewArgs) -> Result<Vec<Proposal>, Fault> {
    let params =
        ProposalsParams { applied: args.applied, since: args.since.clone(), ..ProposalsParams::default() };
    let answer = backend.ask::<Proposals>(params)?;
    let meant = |proposal: &Proposal| args.proposal.as_ref().is_none_or(|id| id == &proposal.id);
    Ok(answer.proposals.into_iter().filter(meant).collect())
}

fn list_waiting(args: &ReviewArgs, root: &str, waiting: &[Proposal]) -> ExitCode {
    if args.json {
        answer::write_json(&waiting);
        return ExitCode::SUCCESS;
    }
    if waiting.is_empty() {
        other_folders::say_nothing_waits(root);
    }
    let page = TerminalPage::stdout();
    for proposal in waiting {
        answer::write_line(&show::proposal_heading(page, proposal));
        for file in &proposal.files {
            for hunk in args.open_hunks(file) {
                answer::write_text(&show::format_hunk(page, file, hunk));
            }
        }
    }
    ExitCode::SUCCESS
}

fn print_states(proposal: &Proposal) {
    let hunks: Vec<String> =
        proposal.hunks().map(|hunk| format!("{} {}", hunk.id, hunk.state.as_str())).collect();
    answer::write_line(&format!("{} {}: {}", proposal.id, proposal.state().as_str(), hunks.join(", ")));
}

/// Goes through the hunks one by one.
fn ask_about_hunks(
    root: &str,
    backend: &mut RequestTarget,
    args: &ReviewArgs,
    proposals: &[Proposal],
) -> Result<ExitCode, Fault> {
    let mut desk = ReviewSession::new(proposals, args.applied);
    if desk.open_steps().is_empty() {
        other_folders::say_nothing_waits(root);
        return Ok(ExitCode::SUCCESS);
    }
    if args.full_screen {
        let (sum, went_well) =
            screen::run_screen(root, backend, desk, None, |backend| waiting_proposals(backend, args))?;
        answer::write_line(&sum.to_string());
        return Ok(exit_code(went_well));
    }
    HunkWalk::new(root, DiffPalette::stdout(), &mut desk, &mut StandardInput).go_through(backend)?;
    answer::write_line(&format!("\n{}", desk.decision_sum()));
    Ok(exit_code(desk.went_well()))
}

fn exit_code(went_well: bool) -> ExitCode {
    ExitCode::from(if went_well { 0 } else { answer::FAULT })
}

/// Stays open as an editor does, so that agents' calls wait for it.
fn stay_and_review(args: &ReviewArgs, root: String) -> Result<ExitCode, Fault> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Fault::new(Code::Unsupported, "a review that stays needs a terminal").with_suggestion(
            "`wherefore review --list` lists what waits, `--accept` and `--reject` decide",
        ));
    }
    let watch = ReviewWatch::new(ServerConnector::new(Some(Path::new(&root)), None)?)?;
    let mut backend = RequestTarget::open(&root)?;
    let desk = ReviewSession::new(&waiting_proposals(&mut backend, args)?, args.applied);
    let (sum, went_well) = match args.lines {
        true => watch_lines::run_lines(&root, &mut backend, desk, watch, |backend| {
            waiting_proposals(backend, args)
        })?,
        false => screen::run_screen(&root, &mut backend, desk, Some(watch), |backend| {
            waiting_proposals(backend, args)
        })?,
    };
    answer::write_line(&sum.to_string());
    Ok(exit_code(went_well))
}

/// Shows one hunk between the lines around it, as "2 of 5".
pub(super) fn show_hunk(
    page: TerminalPage,
    palette: DiffPalette,
    root: &str,
    (file, hunk): (&ProposedFile, &Hunk),
    (number, count): (usize, usize),
) {
    let around = context::lines_around_hunk(root, file, hunk);
    let place = page.paint(TextLook::Bold, &format!("{number} of {count}  "));
    answer::write_text(&format!("\n{place}{}", show::format_hunk_within(page, palette, file, hunk, &around)));
}
