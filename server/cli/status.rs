//! `wherefore status`: sessions, agents, pending hunks.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use crate::base::numbers::format_count;
use crate::base::person;
use crate::protocol::{
    Fault, RescanReason, ServerStatus, WatchBackend, WatchMode, WatchStatus, WorkspaceStatus,
};
use crate::registry::PROD;
use crate::requests::Status;
use crate::requests::status::StatusAnswer;
use crate::workspace::{WorkspaceRoot, WorkspaceState};

/// Show sessions, agents, pending changes and problems
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_status(args: &StatusArgs) -> ExitCode {
    match ask_status(args) {
        Ok((status, _)) if args.json => answer::write_json(&status),
        Ok((status, served)) => {
            let who = match (served, status.editor) {
                (true, true) => format!("served by process {}, with an editor", status.pid),
                (true, false) => format!("served by process {}, with no editor", status.pid),
                (false, _) => "no server runs here".to_owned(),
            };
            answer::write_line(&format!("wherefore {}: {who}", status.version));
            status.workspaces.iter().for_each(show_workspace);
        }
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn ask_status(args: &StatusArgs) -> Result<(StatusAnswer, bool), Fault> {
    let mut backend = RequestTarget::open(&args.root.find()?)?;
    let status = backend.ask::<Status>(())?;
    Ok((status, matches!(backend, RequestTarget::Server(..))))
}

fn show_workspace(workspace: &WorkspaceStatus) {
    answer::write_line(&visible_line(&workspace.root));
    let session = if workspace.session.is_empty() { "none yet" } else { &workspace.session };
    answer::write_line(&format!("  session   {}", visible_line(session)));
    if !workspace.log.is_empty() {
        answer::write_line(&format!("  log       {}", visible_line(&workspace.log)));
    }
    let replaced = workspace.replaced.iter().map(|(tool, words)| format!("{tool} is {words}"));
    let replaced = replaced.collect::<Vec<_>>().join(", ");
    if !replaced.is_empty() || workspace.environment != PROD {
        let replaced = if replaced.is_empty() { String::new() } else { format!(": {replaced}") };
        answer::write_line(&format!(
            "  env       {}{}",
            visible_line(&workspace.environment),
            visible_line(&replaced)
        ));
    }
    for (agent, environment) in &workspace.own_environments {
        let line = format!("{environment} for {agent}, which was started with it");
        answer::write_line(&format!("  env       {}", visible_line(&line)));
    }
    let ways: Vec<String> =
        workspace.ways.iter().map(|(door, count)| format!("{count} by {}", door.as_str())).collect();
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
    answer::write_line(&format!("  calls     {} ({} running){ways}", workspace.calls, workspace.running));
    if workspace.latent > 0 {
        let calls = format_count(workspace.latent, "call");
        answer::write_line(&format!(
            "  latent    {calls} that no code ran: their callers filled the results"
        ));
    }
    if !workspace.agents.is_empty() {
        answer::write_line(&format!("  agents    {}", visible_line(&workspace.agents.join(", "))));
    }
    let (hunks, files) =
        (format_count(workspace.pending_hunks, "hunk"), format_count(workspace.pending_files, "file"));
    answer::write_line(&format!("  pending   {hunks} in {files}"));
    if workspace.unreviewed_hunks > 0 {
        let hunks = format_count(workspace.unreviewed_hunks, "hunk");
        answer::write_line(&format!("  applied   {hunks} that nobody has looked at"));
    }
    if let Some(watch) = &workspace.watch {
        show_watch(watch);
    }
    workspace
        .servers
        .iter()
        .for_each(|server| answer::write_line(&format!("  server    {}", server_line(server))));
    if let Ok(root) = WorkspaceRoot::open(Path::new(&workspace.root)) {
        let state = WorkspaceState::new(Arc::new(root), person::state_dir());
        let size = state.total_size() as f64 / 1e6;
        answer::write_line(&format!("  state     {size:.1} MB in {}", state.folder().display_path()));
    }
    for problem in &workspace.problems {
        answer::write_line(&format!("  problem   {}", visible_line(problem)));
    }
}

/// A server of the Model Context Protocol, and what confines it.
fn server_line(server: &ServerStatus) -> String {
    let whose = if server.of_project { ", named by the project" } else { "" };
    let how = match (server.running, server.confined, &server.tier) {
        (true, _, Some(tier)) => format!("runs in a sandbox, {tier}"),
        _ if server.remote && server.running => "connected".to_owned(),
        _ if server.remote => "not connected".to_owned(),
        (true, _, None) => "runs with no sandbox".to_owned(),
        (false, true, _) => "not started, would run in a sandbox".to_owned(),
        (false, false, _) => "not started, would run with no sandbox".to_owned(),
    };
    format!("{}{whose}: {how}", visible_line(&server.name))
}

/// The way in which the files are watched, and the reason of the last rescan.
fn show_watch(watch: &WatchStatus) {
    let by = match watch.backend {
        WatchBackend::Notify => "notify",
        _ => "inotify",
    };
    let how = match watch.mode {
        WatchMode::Native => format!("the kernel tells of changes, by {by}"),
        WatchMode::Polling => "read again before each answer".to_owned(),
        WatchMode::Mixed => format!(
            "the kernel tells of changes, by {by}, but {} folders are read again before each answer",
            watch.folders_polled
        ),
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
    answer::write_line(&format!("  files     {}; {how}{why}", watch.files));
    for problem in &watch.problems {
        answer::write_line(&format!("  problem   {}", visible_line(problem)));
    }
}
