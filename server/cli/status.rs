//! `wherefore status`: sessions, agents, pending hunks.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible;
use crate::base::numbers::counted;
use crate::base::person;
use crate::protocol::{
    Fault, RescanReason, ServerStatus, SlotStatus, WatchMode, WatchStatus, WorkspaceStatus,
};
use crate::requests::Status;
use crate::requests::status::StatusAnswer;
use crate::workspace::{Root, State};

/// Show sessions, agents, pending changes and problems
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &Args) -> ExitCode {
    match status(args) {
        Ok((status, _)) if args.json => answer::json(&status),
        Ok((status, served)) => {
            let who = match (served, status.editor) {
                (true, true) => format!("served by process {}, with an editor", status.pid),
                (true, false) => format!("served by process {}, with no editor", status.pid),
                (false, _) => "no server runs here".to_owned(),
            };
            answer::line(&format!("wherefore {}: {who}", status.version));
            if let Some(slot) = &status.slot {
                answer::line(&format!("  slot      {}", visible(&announced(slot))));
            }
            status.workspaces.iter().for_each(show);
        }
        Err(fault) => return answer::fault(&fault),
    }
    ExitCode::SUCCESS
}

fn status(args: &Args) -> Result<(StatusAnswer, bool), Fault> {
    let mut backend = RequestTarget::open(&args.root.find()?)?;
    let status = backend.ask::<Status>(())?;
    Ok((status, matches!(backend, RequestTarget::Server(..))))
}

fn show(workspace: &WorkspaceStatus) {
    answer::line(&visible(&workspace.root));
    let session = if workspace.session.is_empty() { "none yet" } else { &workspace.session };
    answer::line(&format!("  session   {}", visible(session)));
    if !workspace.log.is_empty() {
        answer::line(&format!("  log       {}", visible(&workspace.log)));
    }
    let ways: Vec<String> =
        workspace.ways.iter().map(|(door, count)| format!("{count} by {}", door.word())).collect();
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
    answer::line(&format!("  calls     {} ({} running){ways}", workspace.calls, workspace.running));
    if !workspace.agents.is_empty() {
        answer::line(&format!("  agents    {}", visible(&workspace.agents.join(", "))));
    }
    let (hunks, files) = (counted(workspace.pending_hunks, "hunk"), counted(workspace.pending_files, "file"));
    answer::line(&format!("  pending   {hunks} in {files}"));
    if workspace.unreviewed_hunks > 0 {
        let hunks = counted(workspace.unreviewed_hunks, "hunk");
        answer::line(&format!("  applied   {hunks} that nobody has looked at"));
    }
    if let Some(watch) = &workspace.watch {
        watched(watch);
    }
    workspace.servers.iter().for_each(|server| answer::line(&format!("  server    {}", served(server))));
    if let Ok(root) = Root::open(Path::new(&workspace.root)) {
        let state = State::new(Arc::new(root), person::state());
        let size = state.size() as f64 / 1e6;
        answer::line(&format!("  state     {size:.1} MB in {}", state.shown()));
    }
    for problem in &workspace.problems {
        answer::line(&format!("  problem   {}", visible(problem)));
    }
}

/// The slot of an agent that looks for its editor.
fn announced(slot: &SlotStatus) -> String {
    let how = match &slot.file {
        Some(file) => format!("{} finds its editor here ({file})", slot.agent),
        None => format!("{} finds no editor here", slot.agent),
    };
    slot.problem.iter().fold(how, |how, problem| format!("{how}; {problem}"))
}

/// A server of the Model Context Protocol, and what confines it.
fn served(server: &ServerStatus) -> String {
    let whose = if server.of_project { ", named by the project" } else { "" };
    let how = match (server.running, server.confined, &server.tier) {
        (true, _, Some(tier)) => format!("runs in a sandbox, {tier}"),
        _ if server.remote && server.running => "connected".to_owned(),
        _ if server.remote => "not connected".to_owned(),
        (true, _, None) => "runs with no sandbox".to_owned(),
        (false, true, _) => "not started, would run in a sandbox".to_owned(),
        (false, false, _) => "not started, would run with no sandbox".to_owned(),
    };
    format!("{}{whose}: {how}", visible(&server.name))
}

/// How the files are watched, and why they were last read again.
fn watched(watch: &WatchStatus) {
    let how = match watch.mode {
        WatchMode::Native => "the kernel tells of changes".to_owned(),
        WatchMode::Polling => "read again before each answer".to_owned(),
        WatchMode::Mixed => format!("{} folders are read again before each answer", watch.folders_polled),
    };
    let why = watch.last_rescan.map_or("", |rescan| match rescan.reason {
        RescanReason::Started => "",
        RescanReason::Overflow => "; read again since more changed than the kernel keeps",
        RescanReason::RootReplaced | RescanReason::RootMissing => {
            "; read again since the folder was replaced"
        }
        RescanReason::RulesChanged => "; read again since an ignore file changed",
        RescanReason::Unmounted => "; read again since a file system came or went",
        RescanReason::TooManyChanges | RescanReason::Lagged => "; read again since very much changed",
    });
    answer::line(&format!("  files     {}; {how}{why}", watch.files));
    for problem in &watch.problems {
        answer::line(&format!("  problem   {}", visible(problem)));
    }
}
