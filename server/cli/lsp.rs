//! `wherefore lsp`: the language server on standard input and output.

use std::process::ExitCode;

use super::{answer, limits};

/// Serve an editor as a language server, over standard input and output
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Has no effect: the server always uses standard input and output; editors pass this flag by convention
    #[arg(long)]
    stdio: bool,
    /// The editor's process id: the server ends with that process
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
