//! What is to be done to a file of an agent's hooks, worked out before it is shown.

use serde_json::Value;

use super::command::HookCommand;
use super::forms::{self, GuardedAgent, HookFile, HookForm};
use crate::cli::init::edit::{FileFormat, MARK};
use crate::cli::init::error::{EditError, PlanError};
use crate::cli::init::plan::{Act, FilePlan, read};
use crate::cli::init::{items, jsonc};

/// Puts our hooks into a file. Hooks of ours that say something else are replaced; those of others stay.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn put(
    agent: &'static GuardedAgent,
    file: &HookFile,
    command: &HookCommand,
) -> Result<FilePlan, PlanError> {
    let before = read(&file.path, &file.name)?;
    let text = before.as_deref().unwrap_or_default();
    let after = match agent.form {
        HookForm::Plugin if before.is_some() && !forms::is_plugin(text) => Err(EditError::NotOurs),
        HookForm::Plugin => Ok(forms::plugin(command)),
        _ => with_items(agent, text, command),
    };
    let after = after.map_err(PlanError::left(&file.name))?;
    let act = if before.as_ref() == Some(&after) { Act::Nothing } else { Act::Add };
    Ok(plan(agent, file, act, (before, Some(after))))
}

/// Takes our hooks out of a file; nothing where it has none. A file that then holds nothing goes with them.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn take(agent: &'static GuardedAgent, file: &HookFile) -> Result<Option<FilePlan>, PlanError> {
    let before = read(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    if matches!(agent.form, HookForm::Plugin) {
        return Ok(forms::is_plugin(text).then(|| plan(agent, file, Act::Remove, (before, None))));
    }
    let left = without_items(agent, text).map_err(PlanError::left(&file.name))?;
    if left == *text {
        return Ok(None);
    }
    let stays = file.path.is_symlink() || !FileFormat::Json.is_bare(&left, &agent.head());
    Ok(Some(plan(agent, file, Act::Remove, (before, stays.then_some(left)))))
}

/// The commands of ours that a file runs, each once.
///
/// # Errors
/// What keeps the file from being read, with its name.
pub(in crate::cli) fn commands(agent: &GuardedAgent, file: &HookFile) -> Result<Vec<String>, PlanError> {
    let Some(text) = read(&file.path, &file.name)? else { return Ok(Vec::new()) };
    if matches!(agent.form, HookForm::Plugin) {
        return Ok(forms::plugin_program(&text).into_iter().collect());
    }
    let mut found = Vec::new();
    for event in agent.events() {
        let items = items::of(&text, &["hooks", event]).map_err(PlanError::left(&file.name))?;
        found.extend(items.iter().flat_map(|item| agent.commands(item).0));
    }
    found.dedup();
    Ok(found)
}

/// What a settings file in JSON says; nothing where it is not there, or cannot be read.
pub(in crate::cli) fn settings(file: &HookFile) -> Option<Value> {
    let text = read(&file.path, &file.name).ok()??;
    jsonc::parse(text.trim_start_matches(MARK)).ok()
}

fn plan(
    agent: &GuardedAgent,
    file: &HookFile,
    act: Act,
    (before, after): (Option<String>, Option<String>),
) -> FilePlan {
    let purpose = match act {
        Act::Remove => format!("{}: no hooks any more", agent.name()),
        _ => format!("{}: hooks for its {}", agent.name(), agent.covered),
    };
    let plan = FilePlan::unchanged(agent.name(), file.name.clone(), file.path.clone(), before);
    FilePlan { next: agent.next, purpose, act, after, ..plan }
}

fn with_items(agent: &GuardedAgent, text: &str, command: &HookCommand) -> Result<String, EditError> {
    let mut after = text.to_owned();
    for (event, item) in agent.items(command) {
        let list = ["hooks", event];
        if ours(agent, text, &list)? != [item.clone()] {
            after = items::take(&after, &list, &|item| is_ours(agent, item))?;
            after = items::append(&after, &list, &item, &agent.head())?;
        }
    }
    Ok(after)
}

fn without_items(agent: &GuardedAgent, text: &str) -> Result<String, EditError> {
    let mut left = text.to_owned();
    for event in agent.events() {
        let list = ["hooks", event];
        ours(agent, text, &list)?;
        left = items::take(&left, &list, &|item| is_ours(agent, item))?;
    }
    Ok(left)
}

/// The items of a list that are ours.
///
/// # Errors
/// What is wrong with the file; that an item holds a command of ours and one of another's.
fn ours(agent: &GuardedAgent, text: &str, list: &[&str]) -> Result<Vec<Value>, EditError> {
    let items = items::of(text, list)?;
    let is_mixed = |item: &Value| matches!(agent.commands(item), (ours, 1..) if !ours.is_empty());
    match items.iter().any(is_mixed) {
        true => Err(EditError::ByHand(list.join("."))),
        false => Ok(items.into_iter().filter(|item| is_ours(agent, item)).collect()),
    }
}

/// Whether an item holds commands of ours alone.
fn is_ours(agent: &GuardedAgent, item: &Value) -> bool {
    matches!(agent.commands(item), (ours, 0) if !ours.is_empty())
}

/// Where our items stand in the list of an event, counted from 0.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn places(agent: &GuardedAgent, text: &str, event: &str) -> Result<Vec<usize>, EditError> {
    let items = items::of(text, &["hooks", event])?;
    Ok((0..items.len()).filter(|at| is_ours(agent, &items[*at])).collect())
}
