//! The `wherefore` binary: parse the arguments, run the subcommand, exit with its code.
//!
//! # Invariants
//!
//! - No answer waits for a reader of the log on standard error.
//!   Test: `a_server_whose_log_nobody_reads_answers_all_the_same`,
//!   `lines_that_nobody_reads_are_left_out_and_told_of_once`

use std::process::ExitCode;

/// A call makes some hundred small allocations; this allocator takes a fifth off its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The process that builds a sandbox has one thread, and starts before anything else could make more.
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|first| first == wherefore::sandbox::SUBCOMMAND) {
        return wherefore::sandbox::enter_with(wherefore::script::serve_script);
    }
    wherefore::cli::main()
}
