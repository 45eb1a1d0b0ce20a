//! The `wherefore` binary: parse the arguments, run the subcommand, exit with its code.

use std::process::ExitCode;

/// A call makes some hundred small allocations; this allocator takes a fifth off its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The process that builds a sandbox has one thread, and starts before anything else could make more.
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|first| first == wherefore::sandbox::SUBCOMMAND) {
        return wherefore::sandbox::enter_with(wherefore::script::serve);
    }
    wherefore::cli::main()
}
