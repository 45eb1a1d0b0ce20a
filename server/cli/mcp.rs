//! `wherefore mcp`: the way in for agents, over standard streams or HTTP.

mod error;
mod http;
mod line;
mod pump;
pub(super) mod reach;

use std::path::PathBuf;
use std::process::ExitCode;

use super::answer;
use super::call::PolicyArg;
pub(super) use error::ServeError;
use reach::Reach;

/// Serve an agent over the Model Context Protocol; all agents and the editor of a folder share one server
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder that the agent works in [default: the nearest folder here or above that a server has open; else the
    /// nearest that holds .wherefore or .git; else the current folder]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The policy for the agent's changes [default: as the settings say, and `ask` where they say nothing]
    #[arg(long, value_enum)]
    policy: Option<PolicyArg>,
    /// Serve over HTTP at this loopback address, as 127.0.0.1:7777, until interrupted
    ///
    /// Port 0 stands for any free port. The first line of the output is JSON with the `url` and the bearer `token`. The
    /// environment variable WHEREFORE_MCP_TOKEN sets the token.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
}

/// Runs it until the agent leaves.
pub(super) fn run(args: &Args) -> ExitCode {
    let reach = Reach::new(args.root.as_deref(), args.policy.map(Into::into));
    let ended = reach.and_then(|reach| match &args.http {
        Some(address) => Ok(http::serve(&reach, address)?),
        None => Ok(pump::pump(reach)?),
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::fault(&fault),
    }
}
