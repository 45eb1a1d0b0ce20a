//! `wherefore acp`: the built-in agent, or the proxy between an editor and another agent, of the Agent Client Protocol.

mod links;

use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::{answer, limits};
use crate::acp::{self, ProxyOptions, ProxyStreams};
use crate::lsp::stdio;
use crate::protocol::{Code, Fault};
use links::FolderLinks;

/// The longest time that the agent may take to end once its editor has left.
const GRACE: Duration = Duration::from_secs(3);

/// Work as an agent of the Agent Client Protocol with your own model, or stand between an editor and another agent
///
/// It speaks the protocol over standard input and output. Without an agent's command it is the agent of `wherefore agent`,
/// with the model of the settings (`[model]`). With one it starts that agent and passes messages on: its edits become
/// proposals, its commands run confined in the editor's terminal, and wherefore's tools are offered to it.
#[derive(Debug, clap::Args)]
pub(super) struct AcpArgs {
    /// The agent's command line, as "gemini --acp"; a shell reads it
    #[arg(long, value_name = "COMMAND", conflicts_with = "command")]
    agent: Option<String>,
    /// The agent's program and its arguments, instead of --agent
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Runs it until the editor leaves, or the agent.
pub(super) fn run_acp(args: &AcpArgs) -> ExitCode {
    match serve_acp(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::show_fault(&fault),
    }
}

fn serve_acp(args: &AcpArgs) -> Result<(), Fault> {
    limits::room_for_files()?;
    let internal = |error: std::io::Error| Fault::internal(error.to_string());
    let program = std::env::current_exe().map_err(internal)?;
    let options = ProxyOptions { program: program.display().to_string(), agent: agent_name(args) };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(internal)?;
    let served = runtime.block_on(serve_editor(args, options));
    // Standard input may be read by a thread still.
    runtime.shutdown_background();
    served
}

async fn serve_editor(args: &AcpArgs, options: ProxyOptions) -> Result<(), Fault> {
    if args.agent.is_none() && args.command.is_empty() {
        tokio::select! {
            () = acp::run_own(stdio::open_input(), stdio::open_output(), Arc::new(FolderLinks::default())) => {}
            () = wait_for_signal() => {}
        }
        return Ok(());
    }
    let mut agent = start_agent(args)?;
    let (Some(to_agent), Some(from_agent)) = (agent.stdin.take(), agent.stdout.take()) else {
        return Err(Fault::internal("the agent has no standard streams"));
    };
    let ends = ProxyStreams {
        from_editor: stdio::open_input(),
        to_editor: stdio::open_output(),
        from_agent: Box::new(from_agent),
        to_agent: Box::new(to_agent),
    };
    let ended = tokio::select! {
        ended = acp::run_proxy(ends, Arc::new(FolderLinks::default()), options) => ended.map_err(Fault::from),
        () = wait_for_signal() => Ok(()),
    };
    let code = end_agent(&mut agent).await;
    match (ended, code) {
        (Err(fault), Some(code)) => Err(Fault { message: format!("{}: {code}", fault.message), ..fault }),
        (ended, _) => ended,
    }
}

/// The name of the agent's program, used until the agent gives its own name.
fn agent_name(args: &AcpArgs) -> String {
    let first = args.command.first().map(String::as_str);
    let word = first.or_else(|| args.agent.as_deref()?.split_whitespace().next()).unwrap_or_default();
    Path::new(word)
        .file_name()
        .map_or_else(|| "an agent".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Starts the agent in a process group of its own. Its standard error is this process's, so that its messages are seen.
fn start_agent(args: &AcpArgs) -> Result<Child, Fault> {
    let mut command = match (&args.agent, args.command.split_first()) {
        (Some(line), _) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec {line}")]);
            shell
        }
        (None, Some((program, rest))) => {
            let mut command = Command::new(program);
            command.args(rest);
            command
        }
        (None, None) => {
            return Err(Fault::new(Code::InvalidArgs, "no agent is named").with_suggestion("give --agent"));
        }
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).process_group(0);
    command.spawn().map_err(|error| {
        Fault::new(Code::NotFound, format!("the agent {} cannot be started: {error}", agent_name(args)))
            .with_suggestion("run its command in a terminal, and give --agent what works there")
    })
}

/// Returns when this process gets a signal to end.
async fn wait_for_signal() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect::<Vec<_>>();
    if signals.is_empty() {
        return std::future::pending().await;
    }
    futures::future::select_all(signals.iter_mut().map(|signal| Box::pin(signal.recv()))).await;
}

/// Waits for the agent to end, and ends it and its process group if that takes too long. Returns the exit status as
/// text if the agent ended by itself and failed.
async fn end_agent(agent: &mut Child) -> Option<String> {
    let group = agent.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let ended = tokio::time::timeout(GRACE, agent.wait()).await;
    // Processes that the agent left behind in its group are killed, too.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    match ended {
        Ok(Ok(status)) if !status.success() => Some(status.to_string()),
        _ => None,
    }
}
