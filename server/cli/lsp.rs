//! `wherefore lsp`: the language server on standard input and output.

use std::process::ExitCode;

use super::{answer, limits};

/// Serve an editor as a language server, over standard input and output
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Taken for editors that give it: standard input and output are always used
    #[arg(long)]
    stdio: bool,
    /// The editor's process; the server ends when it is gone
    #[arg(long = "clientProcessId", value_name = "PID")]
    client_process_id: Option<u32>,
}

/// Runs it until the editor leaves.
pub(super) fn run(args: &Args) -> ExitCode {
    match limits::room_for_files() {
        Ok(()) => crate::serve::editor(args.client_process_id),
        Err(fault) => answer::fault(&fault),
    }
}
