//! The `wherefore` binary: parse the arguments, run the subcommand, exit with its code.

use std::process::ExitCode;

fn main() -> ExitCode {
    wherefore::cli::main()
}
