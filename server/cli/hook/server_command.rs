//! The calls whose command runs at the server.

use std::path::{Path, PathBuf};

use crate::agents::HookAgent;
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::plan;
use crate::hooks::{CommandRoute, HookMessage, HookMoment, NativeAct, NativeCall};
use crate::workspace::LinkedTree;

/// The settings that an administrator gives Claude Code.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
/// The folder that Claude Code was started in, for its hooks.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// Returns whether a call is about to run a command that runs at the server.
pub(super) fn runs_at_server(message: &HookMessage, call: &NativeCall) -> bool {
    let NativeAct::Command { script } = &call.act else { return false };
    message.moment == HookMoment::Before
        && (message.command_route() == CommandRoute::AtServer || is_refused_by_shell(message, script))
}

/// Returns whether the agent (Claude Code) would not run the command line that confines a script, or would keep it from the
/// server.
fn is_refused_by_shell(message: &HookMessage, script: &str) -> bool {
    if !message.agent.shell.may_refuse_rewritten || message.runs_in_background() {
        return false;
    }
    let Some(folder) = message.cwd.as_ref().and_then(|cwd| cwd.canonicalize().ok()) else { return false };
    let tree = LinkedTree::tree_around(&folder);
    // Of a session in a working tree of its own it wants to see where git works, and runs no shell that is handed a text which
    // names git.
    let is_refused = tree.is_some() && script.to_ascii_lowercase().contains("git");
    is_refused || has_sandbox(message.agent, &folder, tree.and_then(LinkedTree::at_folder).as_ref())
}

/// Returns whether Claude Code's settings turn on its own sandbox, in which no command reaches the server's socket.
fn has_sandbox(agent: HookAgent, folder: &Path, tree: Option<&LinkedTree>) -> bool {
    let started = std::env::var_os(PROJECT).map(PathBuf::from);
    let main = tree.and_then(LinkedTree::main_tree).map(Path::to_owned);
    let folders = [Some(folder.to_owned()), started, main].into_iter().flatten();
    let machine = PersonMachine::current();
    let files = folders.flat_map(|folder| agent.settings_files(&machine, &folder)).map(|file| file.path);
    files.chain([PathBuf::from(MANAGED)]).any(|path| {
        plan::read_settings_at(&path).is_some_and(|settings| settings["sandbox"]["enabled"] == true)
    })
}
