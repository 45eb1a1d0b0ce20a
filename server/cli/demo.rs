//! `wherefore demo`: plays a recorded agent against the real server, with this program as its editor or a person's.

mod agent;
mod check;
mod decide;
mod editor;
mod end;
mod launch;
mod live;
mod play;
pub(super) mod plugin;
mod project;
mod recording;
mod show;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print;
use decide::{Decider, DecisionRule};
use launch::Which;
use play::Play;
use project::Project;

/// Play a recorded agent on a copy of a project: see its calls, decide on its changes, undo them
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// The project to copy [default: a small project that ships with the program]
    pub dir: Option<PathBuf>,
    /// Decide on each hunk by this rule instead of asking you [default: ask; without a terminal, `alternate`]
    #[arg(long, value_enum)]
    pub decide: Option<DecisionRule>,
    /// Review in this editor: it opens the copy with wherefore's plugin, and the agent waits for your decisions
    #[arg(long, value_enum, conflicts_with = "decide")]
    pub editor: Option<Which>,
    /// Keep the copy of the project with its session log; a demo in an editor always keeps it
    #[arg(long)]
    pub keep: bool,
}

/// Plays the demo. It succeeds only when the disk, the answers and the undo are what was decided.
pub(super) fn run(args: &DemoArgs) -> ExitCode {
    print::exit(Project::copy(args.dir.as_deref()).and_then(|project| {
        let same = match args.editor {
            Some(editor) => live::run(&project, editor)?,
            None => Play::new(project.clone(), Decider::new(args.decide), args.keep).run()?,
        };
        end::leave(print::TerminalPage::stdout(), &project, args.keep || args.editor.is_some() || !same)?;
        Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }))
}
