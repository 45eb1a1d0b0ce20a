//! `wherefore completions`: the completion script of a shell, and the names that the script offers.
//!
//! The script that a shell reads asks this program at each completion, so that it knows the tools, calls, sessions and
//! proposals of the folder that the person is in.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::backend::{RequestTarget, RootArgs};
use super::print;
use crate::base::hidden::shorten_to_line;
use crate::protocol::ProposalsParams;
use crate::requests::list_tools::ListToolsParams;
use crate::requests::{ListTools, Proposals};

/// The environment variable by which a shell asks for completions, with the shell's name as its value. It is specific
/// to wherefore: a variable that other programs set would keep every command from running.
const COMPLETE_VARIABLE: &str = "WHEREFORE_COMPLETE";
/// Calls that are offered, the last ones first.
const CALLS: usize = 40;
/// Characters of the reason that is shown next to a call.
const WHY: usize = 60;

/// Print a completion script for a shell
///
/// The script asks wherefore at each completion, so that it completes tools, calls, sessions and proposals too.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that reads the script
    #[arg(value_enum)]
    pub shell: CompletionShell,
}

/// A shell whose completions are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum CompletionShell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Answers a shell's request for completions, and then ends the process.
pub(super) fn answer_shell<C: CommandFactory>() {
    CompleteEnv::with_factory(C::command).var(COMPLETE_VARIABLE).bin("wherefore").complete();
}

/// Prints the script.
pub(super) fn run_completions(args: &CompletionsArgs) -> ExitCode {
    let name = args.shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut script = Vec::new();
    let written = match Shells::builtins().completer(&name) {
        Some(shell) => {
            shell.write_registration(COMPLETE_VARIABLE, "wherefore", "wherefore", "wherefore", &mut script)
        }
        None => Err(io::Error::other(format!("there are no completions for {name}"))),
    };
    print::exit_with(
        written.and_then(|()| io::stdout().lock().write_all(&script)).map(|()| ExitCode::SUCCESS),
    )
}

/// The names of the folder's tools.
pub(super) fn complete_tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let tools = current_target()
            .and_then(|mut target| Some(target.ask::<ListTools>(ListToolsParams::default()).ok()?.tools));
        matching_candidates(typed, tools.into_iter().flatten().map(|tool| (tool.name, tool.summary)))
    })
}

/// The last calls of the latest session, with their reasons.
pub(super) fn complete_calls() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| matching_candidates(typed, super::log::last_calls(CALLS)))
}

/// The sessions.
pub(super) fn complete_sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        matching_candidates(typed, super::log::session_names().into_iter().map(|name| (name, String::new())))
    })
}

/// The proposals that wait.
pub(super) fn complete_proposals() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let waiting =
            current_target().and_then(|mut target| target.ask::<Proposals>(ProposalsParams::default()).ok());
        let waiting = waiting.map(|answer| answer.proposals).unwrap_or_default();
        matching_candidates(
            typed,
            waiting.into_iter().map(|proposal| (proposal.id.to_string(), proposal.why.to_string())),
        )
    })
}

/// The request target of the folder that the shell is in; none if the folder cannot be opened, as a completion reports
/// no faults.
fn current_target() -> Option<RequestTarget> {
    RequestTarget::open(&RootArgs::default().find().ok()?).ok()
}

/// The known names that start with the typed text, each with its description.
fn matching_candidates(
    typed: &OsStr,
    known: impl IntoIterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fits = known.into_iter().filter(|(name, _)| name.starts_with(&*typed));
    fits.map(|(name, what)| {
        let what = shorten_to_line(&what, WHY);
        CompletionCandidate::new(name).help((!what.is_empty()).then(|| what.into()))
    })
    .collect()
}
