//! `wherefore serve`: a server with no editor.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde_json::json;

use super::backend::RootArgs;
use super::env::EnvironmentArgs;
use super::{answer, limits};
use crate::protocol::Fault;

/// Serve a folder to agents while no editor has it open; `wherefore mcp` starts this server, and it ends with its last
/// client
#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    environment: EnvironmentArgs,
    /// Stay for so many seconds after the last client has left, as for the next hook of an agent
    #[arg(long, value_name = "SECONDS")]
    linger: Option<u64>,
    /// Start the server as a process of its own and end at once: what ends the processes that an agent has started does
    /// not find it
    #[arg(long, hide = true)]
    detach: bool,
}

/// Runs the server. A line on standard output reports that it is ready, or the reason why it is not.
pub(super) fn run_serve(args: &ServeArgs) -> ExitCode {
    let root = match limits::room_for_files().and_then(|()| args.root.find()) {
        Ok(root) => root,
        Err(fault) => return answer::show_fault(&fault),
    };
    if args.detach {
        return detach_server(&root, args.linger, args.environment.chosen());
    }
    let say = root.clone();
    let linger = args.linger.map(Duration::from_secs);
    crate::serve::run_headless(root, linger, args.environment.chosen(), move |ready| {
        let line = match ready {
            Ok(()) => json!({ "ready": say }),
            Err(fault) => json!({ "error": fault }),
        };
        // The process that started it may have ended.
        let _ = writeln!(std::io::stdout(), "{line}");
    })
}

/// Starts the server with the standard output of this process. OpenCode, for one, ends each process below the servers that
/// it started, and so would end the server of all agents.
fn detach_server(root: &str, linger: Option<u64>, environment: Option<String>) -> ExitCode {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.args(["serve", "--root", root]).stdin(Stdio::null()).stderr(Stdio::null());
        command.args(linger.iter().flat_map(|seconds| ["--linger".to_owned(), seconds.to_string()]));
        command.args(environment.iter().flat_map(|name| ["--env", name]));
        // An interrupt in the agent's terminal must not reach the server of all agents.
        command.process_group(0).spawn()
    });
    match started {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            let fault = Fault::internal(error.to_string());
            let _ = writeln!(std::io::stdout(), "{}", json!({ "error": fault }));
            ExitCode::from(answer::FAULT)
        }
    }
}
