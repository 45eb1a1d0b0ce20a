//! `wherefore man`: manual pages, made from the text of `--help`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, ValueHint};

use super::{help, print};

/// Print the manual page, or write a page for each subcommand into a folder
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder that the pages are written to, as ~/.local/share/man/man1
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// Makes the pages of the whole command line `command`.
pub(super) fn run_man(args: &ManArgs, command: Command) -> ExitCode {
    print::exit_with(write_pages(args, help::group_subcommands(command)).map(|()| ExitCode::SUCCESS))
}

fn write_pages(args: &ManArgs, command: Command) -> io::Result<()> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return io::stdout().lock().write_all(&page);
    };
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", dir.display()));
    std::fs::create_dir_all(dir).map_err(named)?;
    clap_mangen::generate_to(command, dir).map_err(named)
}
