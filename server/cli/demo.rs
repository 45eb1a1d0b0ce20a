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
use decide::{DecisionRule, HunkDecider};
use launch::DemoEditorKind;
use play::DemoPlay;
use project::DemoProject;

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
    pub editor: Option<DemoEditorKind>,
    /// Keep the copy of the project with its session log; a demo in an editor always keeps it
    #[arg(long)]
    pub keep: bool,
}

/// Plays the demo. It succeeds only if the disk, the answers and the undo match the decisions.
pub(super) fn run_demo(args: &DemoArgs) -> ExitCode {
    print::exit_with(DemoProject::copy_from(args.dir.as_deref()).and_then(|project| {
        let same = match args.editor {
            Some(editor) => live::run_live(&project, editor)?,
            None => DemoPlay::new(project.clone(), HunkDecider::new(args.decide), args.keep).run_demo()?,
        };
        end::leave_project(
            print::TerminalPage::stdout(),
            &project,
            args.keep || args.editor.is_some() || !same,
        )?;
        Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }))
}
