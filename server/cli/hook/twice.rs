//! A call that comes by two hooks of ours: one of them answers.

use std::path::Path;

use crate::cli::init::agents::{Id, Machine};
use crate::cli::init::guard::forms::GUARDED;
use crate::native::{HookMessage, NativeAgent};

/// Whether Copilot runs a hook that a project has for Claude Code, and has a hook of ours beside it: that one answers,
/// and the person is not asked twice.
pub(super) fn has_hook_of_its_own(named: Option<NativeAgent>, message: &HookMessage) -> bool {
    let is_borrowed = named == Some(NativeAgent::Claude) && message.agent == NativeAgent::Copilot;
    let Some(copilot) = GUARDED.iter().find(|agent| is_borrowed && agent.id == Id::Copilot) else {
        return false;
    };
    let above = message.cwd.iter().flat_map(|cwd| cwd.ancestors()).collect::<Vec<&Path>>();
    let files = above.into_iter().flat_map(|folder| copilot.of_project(folder));
    files.chain(copilot.of_person(&Machine::here())).any(|file| file.path.is_file())
}
