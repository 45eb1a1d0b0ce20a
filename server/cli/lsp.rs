//! `wherefore lsp`: the language server on standard input and output.

use std::process::ExitCode;

use super::env::EnvironmentArgs;
use super::{answer, limits};

/// Serve an editor as a language server, over standard input and output
#[derive(Debug, clap::Args)]
pub(super) struct LspArgs {
    /// Has no effect: the server always uses standard input and output; editors pass this flag by convention
    #[arg(long)]
    stdio: bool,
    /// The editor's process id: the server ends with that process
    #[arg(long = "clientProcessId", value_name = "PID")]
    client_process_id: Option<u32>,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

/// Runs it until the editor leaves.
pub(super) fn run_lsp(args: &LspArgs) -> ExitCode {
    match limits::room_for_files() {
        Ok(()) => crate::serve::run_editor_server(args.client_process_id, args.environment.chosen()),
        Err(fault) => answer::show_fault(&fault),
    }
}
