//! `wherefore demo`: plays a recorded agent on a copy of a project. It calls a real server through its socket, and a person
//! decides here, as in `wherefore review`, or in their editor.

mod agent;
mod decide;
mod launch;
mod outcome;
mod play;
mod project;
mod recording;
mod show;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print;
use decide::DecisionRule;
use launch::DemoEditorKind;
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
        let keeps = args.keep || args.editor.is_some();
        let prepared = play::prepare_demo(&project, args.editor).inspect_err(|_| {
            // Nothing was shown yet that could be looked at: the copy goes.
            let _ = fs::remove_dir_all(&project.folder);
        })?;
        let is_right = match prepared.launch {
            Some(launch) => play::play_in_editor(&project, &prepared.recording, launch)?,
            None => play::play_in_terminal(&project, &prepared.recording, args.decide, keeps)?,
        };
        leave_project(&project, keeps || !is_right)?;
        Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }))
}

/// Removes the copy of the project or prints where it is kept, and suggests the next steps.
fn leave_project(project: &DemoProject, keeps: bool) -> io::Result<()> {
    let page = print::TerminalPage::stdout();
    show::show_heading(page, "Next")?;
    let folder = print::visible_line(&project.folder.to_string_lossy());
    match keeps {
        true => page.write_line(format!("   The copy stays in {folder}: `rm -r` removes it."))?,
        false => {
            fs::remove_dir_all(&project.folder)?;
            page.write_line(
                "   The copy is removed. `wherefore demo --keep` keeps it, with its session log.",
            )?;
        }
    }
    page.write_line("   In a project of yours, `wherefore init` adds wherefore's tools to your agents, and `wherefore init --guard`")?;
    page.write_line("   sends their own edits, commands and reads through it: you review each edit, and commands run in a sandbox.")?;
    page.write_line("   `wherefore doctor` says what works on this machine, and how to mend the rest.")
}
