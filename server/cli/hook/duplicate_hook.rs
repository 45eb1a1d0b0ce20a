//! A call for which two hooks of wherefore run: only one of them answers.
//!
//! # Invariants
//!
//! - A plugin's hook leaves a call to a hook of the settings only where that one has begun to answer this very call.
//!   Test: `a_plugin_leaves_a_call_only_to_a_hook_that_answers_it`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io, thread};

use serde_json::json;

use crate::agents::HookAgent;
use crate::base::hash::full_hash;
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::command::runs_our_hook;
use crate::cli::init::guard::plan;
use crate::hooks::HookMessage;
use crate::socket;

/// The folder of claims, in that of the running servers.
const CLAIMS: &str = "claims";
/// The time that a plugin's hook waits for the claim of the other one: an agent starts both at once.
const CLAIM_WAIT: Duration = Duration::from_secs(2);
/// The age at which a claim is swept. Its hook has begun long before.
const CLAIM_AGE: Duration = Duration::from_secs(120);

/// Returns whether an agent (Copilot) runs a hook that a project has for another one (Claude Code) although it has a hook of
/// its own: only the latter answers, so that the person is not asked twice.
pub(super) fn is_duplicate_hook(named: Option<HookAgent>, message: &HookMessage) -> bool {
    let agent = message.agent;
    if !named.is_some_and(|named| agent.borrows_hooks_of(named)) {
        return false;
    }
    let machine = PersonMachine::current();
    if folders_above(message).any(|folder| agent.profile.installed_plugin(&machine, folder).is_some()) {
        return true;
    }
    let files = folders_above(message).flat_map(|folder| agent.of_project(folder));
    files.chain(agent.of_person(&machine)).any(|file| {
        let text = file.path.is_file().then(|| fs::read_to_string(&file.path).ok()).flatten();
        text.is_some_and(|text| runs_our_hook(&text, agent.id()))
    })
}

/// Lets the hook of a plugin leave this call to the one that answers: that of the settings, which runs beside it.
pub(super) fn claim_call(message: &HookMessage) {
    let (agent, machine) = (message.agent, PersonMachine::current());
    let mut folders = folders_above(message);
    if agent.profile.plugin.is_none()
        || !folders.any(|folder| agent.profile.installed_plugin(&machine, folder).is_some())
    {
        return;
    }
    // Without its claim the plugin's hook answers, too, and the person is asked twice.
    let _ = claims_folder().and_then(|folder| write_claim(&folder, message));
}

/// Returns whether a hook of the settings has begun to answer the call of a plugin's hook.
pub(super) fn is_left_to_settings(message: &HookMessage) -> bool {
    let (agent, machine) = (message.agent, PersonMachine::current());
    let files = folders_above(message).flat_map(|folder| agent.of_project(folder));
    let has_hooks = |file| plan::hook_commands(agent, &file).is_ok_and(|commands| !commands.is_empty());
    if !files.chain(agent.of_person(&machine)).any(has_hooks) {
        return false;
    }
    let Ok(folder) = claims_folder() else { return false };
    let start = Instant::now();
    loop {
        if take_claim(&folder, message) {
            return true;
        }
        if start.elapsed() >= CLAIM_WAIT {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn folders_above(message: &HookMessage) -> impl Iterator<Item = &Path> {
    message.cwd.iter().flat_map(|cwd| cwd.ancestors())
}

fn claims_folder() -> io::Result<PathBuf> {
    let folder = socket::runtime_folder().map_err(io::Error::other)?.join(CLAIMS);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The file of a call's claim. Both hooks get the same call, with the agent's id of it.
fn claim_file(folder: &Path, message: &HookMessage) -> PathBuf {
    let call = json!([
        message.agent.id(),
        message.event,
        message.session,
        message.call,
        message.tool,
        message.arguments,
    ]);
    folder.join(full_hash(call.to_string().as_bytes()))
}

fn write_claim(folder: &Path, message: &HookMessage) -> io::Result<()> {
    let old = |file: &fs::DirEntry| {
        let changed = file.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::now());
        changed.elapsed().is_ok_and(|age| age > CLAIM_AGE)
    };
    fs::read_dir(folder)?.flatten().filter(old).for_each(|file| drop(fs::remove_file(file.path())));
    fs::write(claim_file(folder, message), "")
}

/// Takes the claim of a call away; returns whether there was one.
fn take_claim(folder: &Path, message: &HookMessage) -> bool {
    fs::remove_file(claim_file(folder, message)).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plugin_leaves_a_call_only_to_a_hook_that_answers_it() {
        let folder = tempfile::tempdir().unwrap();
        let message = |id: &str, file: &str| {
            let message = json!({
                "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": id, "transcript_path": "/t",
                "tool_name": "Read", "tool_input": { "file_path": file },
            });
            HookMessage::read(None, None, message.to_string().as_bytes()).unwrap()
        };
        let call = message("1", "a.txt");
        assert!(!take_claim(folder.path(), &call), "nobody answers it");
        write_claim(folder.path(), &call).unwrap();
        for other in [message("2", "a.txt"), message("1", "b.txt")] {
            assert!(!take_claim(folder.path(), &other), "another call");
        }
        assert!(take_claim(folder.path(), &call) && !take_claim(folder.path(), &call), "once");
    }
}
