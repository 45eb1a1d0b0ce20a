//! `wherefore serve`: a server with no editor.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::backend::RootArgs;
use super::{answer, limits};

/// Serve a folder to agents while no editor has it open; `wherefore mcp` starts this server, and it ends with its last
/// client
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    root: RootArgs,
    /// Stay for so many seconds after the last client has left, as for the next hook of an agent
    #[arg(long, value_name = "SECONDS")]
    linger: Option<u64>,
}

/// Runs it: a line on standard output says that it is ready, or why it is not.
pub(super) fn run(args: &Args) -> ExitCode {
    let root = match limits::room_for_files().and_then(|()| args.root.find()) {
        Ok(root) => root,
        Err(fault) => return answer::fault(&fault),
    };
    let say = root.clone();
    crate::serve::headless(root, args.linger.map(Duration::from_secs), move |ready| {
        let line = match ready {
            Ok(()) => json!({ "ready": say }),
            Err(fault) => json!({ "error": fault }),
        };
        // Whoever started it may be gone again.
        let _ = writeln!(std::io::stdout(), "{line}");
    })
}
