//! `wherefore completions`: what a shell needs to complete our commands, and the names that it is told.
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
use crate::base::hidden::short;
use crate::protocol::ProposalsParams;
use crate::requests::list::ListParams;
use crate::requests::{List, Proposals};

/// The variable by which a shell asks for completions, with its own name. One of ours: a variable that other programs set
/// would keep every command from running.
const ASKED: &str = "WHEREFORE_COMPLETE";
/// Calls that are offered, the last ones first.
const CALLS: usize = 40;
/// Characters of a reason beside a call.
const WHY: usize = 60;

/// Print a completion script for a shell
///
/// The script asks wherefore at each completion, so that it completes tools, calls, sessions and proposals too.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that reads the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell whose completions are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Answers a shell that asks what comes next, and ends the process then.
pub(super) fn answer<C: CommandFactory>() {
    CompleteEnv::with_factory(C::command).var(ASKED).bin("wherefore").complete();
}

/// Prints the script.
pub(super) fn run(args: &CompletionsArgs) -> ExitCode {
    let name = args.shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut script = Vec::new();
    let written = match Shells::builtins().completer(&name) {
        Some(shell) => shell.write_registration(ASKED, "wherefore", "wherefore", "wherefore", &mut script),
        None => Err(io::Error::other(format!("there are no completions for {name}"))),
    };
    print::exit(written.and_then(|()| io::stdout().lock().write_all(&script)).map(|()| ExitCode::SUCCESS))
}

/// The names of the folder's tools.
pub(super) fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let tools = here().and_then(|mut target| Some(target.ask::<List>(ListParams::default()).ok()?.tools));
        fitting(typed, tools.into_iter().flatten().map(|tool| (tool.name, tool.summary)))
    })
}

/// The last calls of the latest session, with their reasons.
pub(super) fn calls() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, super::log::last_calls(CALLS)))
}

/// The sessions.
pub(super) fn sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        fitting(typed, super::log::session_names().into_iter().map(|name| (name, String::new())))
    })
}

/// The proposals that wait.
pub(super) fn proposals() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let waiting = here().and_then(|mut target| target.ask::<Proposals>(ProposalsParams::default()).ok());
        let waiting = waiting.map(|answer| answer.proposals).unwrap_or_default();
        fitting(
            typed,
            waiting.into_iter().map(|proposal| (proposal.id.to_string(), proposal.why.to_string())),
        )
    })
}

/// Who answers for the folder that the shell is in; nobody where it cannot be opened: a completion tells no faults.
fn here() -> Option<RequestTarget> {
    RequestTarget::open(&RootArgs::default().find().ok()?).ok()
}

/// Those that begin as what was typed, each with what it is.
fn fitting(typed: &OsStr, known: impl IntoIterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fits = known.into_iter().filter(|(name, _)| name.starts_with(&*typed));
    fits.map(|(name, what)| {
        let what = short(&what, WHY);
        CompletionCandidate::new(name).help((!what.is_empty()).then(|| what.into()))
    })
    .collect()
}
