//! `wherefore sandbox`: a person's own command, or one of an agent's own shell, confined like those of terminal.run.

mod agent;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::limits;
use super::print::visible_line;
use crate::base::clock::SystemClock;
use crate::base::{WorkspacePath, person};
use crate::execution::{
    AttachedOutcome, AttachedRequest, CommandExecutor, CommandRequest, ExecutionError, git_diff,
};
use crate::ports::NoEditor;
use crate::protocol::{Code, Door, Fault, Origin, Policy, RawCall};
use crate::requests::Call;
use crate::sandbox::{LimitKind, RunReport, SandboxError, SandboxLauncher};
use crate::session::{CallScope, SessionOptions, WorkspaceSession};
use wherefore_fetch::HostList;

/// The name of the proposer of the command's changes, in the review and the log.
const AGENT: &str = "wherefore sandbox";
/// The exit code where a limit ended the command: that of `timeout`.
const OVER: u8 = 124;
/// The exit code where the command was not run.
const NOT_RUN: u8 = 125;
/// The exit code where there is no such program: that of a shell.
const NO_PROGRAM: u8 = 127;

/// Run a command in the sandbox that agents' commands run in; its exit code is passed on
///
/// It reads the workspace, what the rules leave open, and toolchains; it writes to the workspace, but not to .git,
/// .wherefore and other files that make programs run. It has no network, and a home folder with toolchains and plain
/// git settings alone. Exit codes of wherefore's own: 124 a limit ended it, 125 it was not run, 127 there is no such program.
#[derive(Debug, clap::Args)]
pub(super) struct SandboxArgs {
    #[command(flatten)]
    root: RootArgs,
    /// A host that the command may reach by http or https, as crates.io, .npmjs.org or localhost:5432; several with
    /// commas or by repeating
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    net: Vec<String>,
    /// Propose what the command changes, hunk by hunk, instead of writing it
    #[arg(long)]
    review: bool,
    /// Why it is run, for the proposal and the log
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    #[command(flatten)]
    agent: agent::ShellAgentArgs,
    /// Set a variable for the command
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable)]
    env: Vec<(String, String)>,
    /// End the command after so many seconds [default: never]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<String>,
}

fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// Runs it.
pub(super) fn run_sandbox(args: &SandboxArgs) -> ExitCode {
    match run_confined(args) {
        Ok(code) => ExitCode::from(code),
        Err((fault, code)) => {
            answer::show_fault(&fault);
            ExitCode::from(code)
        }
    }
}

/// A fault with the exit code for the stage that the command reached.
type CommandFailure = (Fault, u8);

fn run_confined(args: &SandboxArgs) -> Result<u8, CommandFailure> {
    let not_run = |fault| (fault, NOT_RUN);
    let root = args.root.find().map_err(not_run)?;
    let request = attached_request(args, &root).map_err(not_run)?;
    limits::room_for_files().map_err(not_run)?;
    let launcher = SandboxLauncher::own();
    // It makes its namespaces while this process reads the settings.
    launcher.prepare_at_terminal();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| not_run(Fault::internal(error.to_string())))?;
    let options = SessionOptions {
        editor: Arc::new(NoEditor),
        documents: Arc::default(),
        clock: Arc::new(SystemClock),
        shared_log: true,
        state: person::state_dir(),
    };
    let session = Arc::new(WorkspaceSession::open(&root, options).map_err(|error| not_run(error.into()))?);
    if let Some(run) = args.agent.attach(args, &root).map_err(not_run)? {
        return run.run_to_end(args, &runtime, session, &launcher);
    }
    let cancel = CancellationToken::new();
    let scope = CallScope::new(session, &Origin::from_door(Door::Cli), cancel.clone(), None);
    let outcome = run_here(&runtime, &scope, cancel, (&request, &launcher))?;
    if args.review {
        propose_changes(args, &root, &scope, &outcome).map_err(|fault| (fault, answer::FAULT))?;
    }
    Ok(exit_code(&outcome.report))
}

/// Runs the command on the streams of this process.
fn run_here(
    runtime: &Runtime,
    scope: &CallScope,
    cancel: CancellationToken,
    (request, launcher): (&AttachedRequest, &SandboxLauncher),
) -> Result<AttachedOutcome, CommandFailure> {
    let outcome = runtime.block_on(async {
        let stopping = tokio::spawn(stop_at_signals(cancel));
        let outcome = CommandExecutor::new(launcher.clone()).run_attached(scope, request).await;
        stopping.abort();
        outcome
    });
    let outcome = outcome.map_err(not_started)?;
    report_outcome(&outcome);
    Ok(outcome)
}

/// The process ends as the command does, which has no terminal of its own to be interrupted.
async fn stop_at_signals(cancel: CancellationToken) {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect::<Vec<_>>();
    let any = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    futures::future::select_all(any).await;
    cancel.cancel();
}

fn attached_request(args: &SandboxArgs, root: &str) -> Result<AttachedRequest, Fault> {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let below = here.as_deref().and_then(|here| here.strip_prefix(root).ok()).and_then(Path::to_str);
    let hosts = HostList::parse(args.net.iter().map(String::as_str));
    Ok(AttachedRequest {
        command: CommandRequest {
            argv: args.command.clone(),
            cwd: below.and_then(WorkspacePath::from_relative).unwrap_or_else(WorkspacePath::root),
            env: args.env.iter().cloned().collect::<BTreeMap<_, _>>(),
            input: None,
            hosts: hosts.map_err(|error| Fault::new(Code::InvalidArgs, error.to_string()))?,
            limit: Duration::ZERO,
        },
        limit: args.timeout.map(Duration::from_secs),
        is_reviewed: args.review,
        is_in_place: false,
        network: None,
    })
}

fn not_started(error: ExecutionError) -> CommandFailure {
    let code = match &error {
        ExecutionError::Sandbox(SandboxError::Program { .. }) => NO_PROGRAM,
        _ => NOT_RUN,
    };
    (error.into(), code)
}

/// Reports on standard error what would otherwise go unnoticed.
fn report_outcome(outcome: &AttachedOutcome) {
    let say = |text: &str| answer::write_note(&format!("wherefore: {}", visible_line(text)));
    for planted in &outcome.report.planted {
        let path = planted.path.display();
        say(&match &planted.quarantined {
            Some(moved) => format!("{path} could make programs run; it was moved to {}", moved.display()),
            None => format!("{path} was moved or left behind by the command; look at it before you use it"),
        });
    }
    outcome.written.iter().for_each(|writes| say(&format!("written without a review: {writes}")));
    outcome.left_out.iter().for_each(|left| say(&format!("not done: {left}")));
    if let Some(limit) = outcome.report.limit {
        say(match limit {
            LimitKind::Wall => "the command ran too long and was ended",
            LimitKind::Cpu => "the command used too much processor time and was ended",
            LimitKind::Memory => "the command used too much memory and was ended",
            LimitKind::Processes => "the command had too many processes and was ended",
            LimitKind::Disk => "the command filled the disk and was ended",
        });
    }
}

/// Passes the command's changes to the server of the folder, as a pending proposal.
fn propose_changes(
    args: &SandboxArgs,
    root: &str,
    scope: &CallScope,
    outcome: &AttachedOutcome,
) -> Result<(), Fault> {
    let (diff, folders) = git_diff(scope.files().state(), &outcome.draft)?;
    for folder in &folders {
        answer::write_note(&format!("wherefore: not taken: {}: a folder by itself", visible_line(folder)));
    }
    if diff.is_empty() {
        answer::write_note("wherefore: the command changed nothing");
        return Ok(());
    }
    let line = args.command.join(" ");
    let why = args.why.clone().unwrap_or_else(|| format!("Review what `{line}` changes"));
    let origin = Origin { agent: Some(AGENT.to_owned()), ..Origin::from_door(Door::Cli) };
    let raw = RawCall {
        tool: "fs.patch".to_owned(),
        arguments: json!({ "diff": diff, "why": why }),
        origin,
        policy: Some(Policy::Hold),
        root: Some(root.to_owned()),
        ..RawCall::default()
    };
    let envelope = RequestTarget::open(root)?.ask::<Call>(raw)?;
    match envelope.error {
        None => {
            let waiting = match outcome.draft.changes.len() - folders.len() {
                1 => "1 change waits".to_owned(),
                more => format!("{more} changes wait"),
            };
            answer::write_note(&format!("wherefore: {waiting} for you: `wherefore review` shows them"));
            Ok(())
        }
        Some(fault) => Err(fault),
    }
}

fn exit_code(report: &RunReport) -> u8 {
    match (report.limit, report.exit_code, report.signal) {
        (Some(_), _, _) => OVER,
        (None, Some(code), _) => u8::try_from(code).unwrap_or(u8::MAX),
        (None, None, signal) => 128 + u8::try_from(signal.unwrap_or_default() & 127).unwrap_or_default(),
    }
}
