//! A call for which two hooks of wherefore run: only one of them answers.

use std::path::Path;

use crate::agents::HookAgent;
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::command::runs_our_hook;
use crate::hooks::HookMessage;

/// Returns whether an agent (Copilot) runs a hook that a project has for another one (Claude Code) although it has a hook of
/// its own: only the latter answers, so that the person is not asked twice.
pub(super) fn is_duplicate_hook(named: Option<HookAgent>, message: &HookMessage) -> bool {
    let agent = message.agent;
    if !named.is_some_and(|named| agent.borrows_hooks_of(named)) {
        return false;
    }
    let above = message.cwd.iter().flat_map(|cwd| cwd.ancestors()).collect::<Vec<&Path>>();
    let files = above.into_iter().flat_map(|folder| agent.of_project(folder));
    files.chain(agent.of_person(&PersonMachine::current())).any(|file| {
        let text = file.path.is_file().then(|| std::fs::read_to_string(&file.path).ok()).flatten();
        text.is_some_and(|text| runs_our_hook(&text, agent.id()))
    })
}
