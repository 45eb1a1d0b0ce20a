//! `wherefore mcp`: the way in for agents, over standard streams or HTTP.

mod error;
mod http;
mod line;
mod pump;
pub(super) mod reach;
mod roots;

use std::path::PathBuf;
use std::process::ExitCode;

use super::answer;
use super::call::PolicyArg;
use super::env::EnvironmentArgs;
use crate::protocol::{Code, Fault};
pub(super) use error::ServeError;
use reach::{ServerConnector, current_folder};

/// Serve an agent over the Model Context Protocol; all agents and the editor of a folder share one server
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// The folder that the agent works in [default: the nearest folder here or above that a server has open or that holds
    /// .wherefore or .git; else the current folder]
    ///
    /// The home folder, and what holds it, is not served without this option or one of those marks. A client that was
    /// started there is asked for its roots.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The policy for the agent's changes [default: as the settings say, and `ask` where they say nothing]
    #[arg(long, value_enum)]
    policy: Option<PolicyArg>,
    /// How long a change waits for the person, in seconds: less than the agent's limit for a call [default: 45; for Claude
    /// Code an hour]
    ///
    /// `wherefore init` writes it for agents whose limit it knows. `[review] wait_s` in your settings comes first. Claude
    /// Code's own setting of the limit, the environment variable MCP_TOOL_TIMEOUT, is kept to.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
    /// Serve over HTTP at this loopback address, as 127.0.0.1:7777, until interrupted
    ///
    /// Port 0 stands for any free port. The first line of the output is JSON with the `url` and the bearer `token`. The
    /// environment variable WHEREFORE_MCP_TOKEN sets the token.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

/// Runs it until the agent leaves.
pub(super) fn run_mcp(args: &McpArgs) -> ExitCode {
    match serve_agent(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::show_fault(&fault),
    }
}

fn serve_agent(args: &McpArgs) -> Result<(), Fault> {
    let policy = args.policy.map(Into::into);
    let reach = match &args.root {
        Some(root) => ServerConnector::new(Some(root), policy),
        None => ServerConnector::nearest(&current_folder()?, policy),
    };
    let limit_s = limit_s(std::env::var("MCP_TOOL_TIMEOUT").ok());
    let patient = |reach: ServerConnector| {
        reach.with_limits(args.wait, limit_s).in_environment(args.environment.chosen())
    };
    match (reach, &args.http) {
        (Ok(reach), Some(address)) => Ok(http::keep_address_open(&patient(reach), address)?),
        (Ok(reach), None) => Ok(pump::pump_messages(&patient(reach), None)?),
        (Err(fault), None) if fault.code == Code::Unsupported => {
            match roots::find_by_roots(fault.clone(), policy)? {
                Some(found) => {
                    let reach = patient(found.reach.clone());
                    Ok(pump::pump_messages(&reach, Some(found))?)
                }
                None => Err(fault),
            }
        }
        (Err(fault), _) => Err(fault),
    }
}

/// Seconds before the client's limit at which a call is answered.
const MARGIN_S: u64 = 5;

/// Seconds that a call may take, given the milliseconds of Claude Code's own limit.
fn limit_s(limit_ms: Option<String>) -> Option<u64> {
    let limit_ms = limit_ms.and_then(|limit| limit.trim().parse::<u64>().ok());
    // Claude Code ignores less than a second.
    limit_ms.filter(|limit| *limit >= 1000).map(|limit| (limit / 1000).saturating_sub(MARGIN_S))
}

#[cfg(test)]
mod tests {
    use super::limit_s;

    #[test]
    fn a_limit_in_milliseconds_is_one_in_seconds() {
        let limit = |ms: &str| limit_s(Some(ms.to_owned()));
        assert_eq!((limit("60000"), limit(" 100000000 ")), (Some(55), Some(99_995)));
        assert_eq!((limit("12"), limit("soon"), limit_s(None)), (None, None, None));
    }
}
