//! `wherefore completions`: what a shell needs to complete our commands.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::print;

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that reads the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completions of the whole command line `command`.
pub(super) fn run(args: &CompletionsArgs, mut command: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "wherefore", &mut script);
    print::exit(io::stdout().lock().write_all(&script).map(|()| ExitCode::SUCCESS))
}
