//! The changes to a file of an agent's hooks, computed before they are shown.

use std::path::Path;

use serde_json::Value;

use super::command::HookCommand;
use super::forms::{self, HookFile};
use crate::agents::HookAgent;
use crate::cli::init::edit::{BYTE_ORDER_MARK, FileFormat};
use crate::cli::init::error::{PlanError, SettingsEditError};
use crate::cli::init::plan::{FilePlan, PlannedAct, read_text};
use crate::cli::init::{items, jsonc, original};

/// Adds wherefore's hooks to a file. Outdated hooks of wherefore are replaced; those of others stay.
///
/// # Errors
/// The reason why the file cannot be read or changed, with its name.
pub(super) fn put_hooks(
    agent: HookAgent,
    file: &HookFile,
    command: &HookCommand,
) -> Result<FilePlan, PlanError> {
    let before = read_text(&file.path, &file.name)?;
    let text = before.as_deref().unwrap_or_default();
    let after = match agent.plugin() {
        Some(plugin) if before.is_some() && !forms::is_plugin(plugin, text) => {
            Err(SettingsEditError::NotOurs)
        }
        Some(plugin) => Ok(forms::plugin_text(plugin, command)),
        None => with_items(agent, text, command),
    };
    let after = after.map_err(PlanError::left_unchanged(&file.name))?;
    let act = if before.as_ref() == Some(&after) { PlannedAct::Nothing } else { PlannedAct::Add };
    Ok(file_plan(agent, file, act, (before, Some(after))))
}

/// Removes wherefore's hooks from a file; none if it has none. A file that then holds nothing is removed.
///
/// # Errors
/// The reason why the file cannot be read or changed, with its name.
pub(super) fn take_hooks(agent: HookAgent, file: &HookFile) -> Result<Option<FilePlan>, PlanError> {
    let before = read_text(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    if let Some(plugin) = agent.plugin() {
        return Ok(forms::is_plugin(plugin, text)
            .then(|| file_plan(agent, file, PlannedAct::Remove, (before, None))));
    }
    let left = without_items(agent, text).map_err(PlanError::left_unchanged(&file.name))?;
    if left == *text {
        return Ok(None);
    }
    let is_bare = FileFormat::Json.is_bare(&left, &agent.hook_file_head());
    let after = original::text_without_us(&file.path, text, (left, is_bare), FileFormat::Json, &[&["hooks"]]);
    Ok(Some(file_plan(agent, file, PlannedAct::Remove, (before, after))))
}

/// The commands of wherefore that a file runs, each once.
///
/// # Errors
/// The reason why the file cannot be read, with its name.
pub(in crate::cli) fn hook_commands(agent: HookAgent, file: &HookFile) -> Result<Vec<String>, PlanError> {
    let Some(text) = read_text(&file.path, &file.name)? else { return Ok(Vec::new()) };
    if agent.plugin().is_some() {
        return Ok(agent.plugin_program(&text).into_iter().collect());
    }
    let mut found = Vec::new();
    for event in agent.hook_events() {
        let items =
            items::list_items(&text, &["hooks", event]).map_err(PlanError::left_unchanged(&file.name))?;
        found.extend(items.iter().flat_map(|item| agent.split_commands(item).0));
    }
    found.dedup();
    Ok(found)
}

/// The value of a settings file in JSON; none if it is missing or cannot be read.
pub(in crate::cli) fn read_settings(file: &HookFile) -> Option<Value> {
    read_settings_at(&file.path)
}

/// The value of a settings file in JSON, by its path.
pub(in crate::cli) fn read_settings_at(path: &Path) -> Option<Value> {
    let text = read_text(path, "").ok()??;
    jsonc::parse_jsonc(text.trim_start_matches(BYTE_ORDER_MARK)).ok()
}

fn file_plan(
    agent: HookAgent,
    file: &HookFile,
    act: PlannedAct,
    (before, after): (Option<String>, Option<String>),
) -> FilePlan {
    let purpose = match act {
        PlannedAct::Remove => format!("{}: no hooks any more", agent.title()),
        _ => format!("{}: hooks for its {}", agent.title(), agent.setup.covered),
    };
    let plan = FilePlan::unchanged(agent.title(), file.name.clone(), file.path.clone(), before);
    FilePlan { next: agent.setup.next_step, purpose, act, after, ..plan }
}

fn with_items(agent: HookAgent, text: &str, command: &HookCommand) -> Result<String, SettingsEditError> {
    let mut after = text.to_owned();
    for (event, item) in agent.hook_items(command) {
        let list = ["hooks", event];
        if our_items(agent, text, &list)? != [item.clone()] {
            after = items::take_items(&after, &list, &|item| is_our_item(agent, item))?;
            after = items::append_item(&after, &list, &item, &agent.hook_file_head())?;
        }
    }
    Ok(after)
}

fn without_items(agent: HookAgent, text: &str) -> Result<String, SettingsEditError> {
    let mut left = text.to_owned();
    for event in agent.hook_events() {
        let list = ["hooks", event];
        our_items(agent, text, &list)?;
        left = items::take_items(&left, &list, &|item| is_our_item(agent, item))?;
    }
    Ok(left)
}

/// The items of a list that belong to wherefore.
///
/// # Errors
/// The problem with the file, or an item that mixes wherefore's commands with others.
fn our_items(agent: HookAgent, text: &str, list: &[&str]) -> Result<Vec<Value>, SettingsEditError> {
    let items = items::list_items(text, list)?;
    let is_mixed = |item: &Value| matches!(agent.split_commands(item), (ours, 1..) if !ours.is_empty());
    match items.iter().any(is_mixed) {
        true => Err(SettingsEditError::ByHand(list.join("."))),
        false => Ok(items.into_iter().filter(|item| is_our_item(agent, item)).collect()),
    }
}

/// Returns whether all commands of an item are wherefore's.
fn is_our_item(agent: HookAgent, item: &Value) -> bool {
    matches!(agent.split_commands(item), (ours, 0) if !ours.is_empty())
}

/// The positions of wherefore's items in the list of an event, counted from 0.
///
/// # Errors
/// The problem with the file.
pub(super) fn item_places(
    agent: HookAgent,
    text: &str,
    event: &str,
) -> Result<Vec<usize>, SettingsEditError> {
    let items = items::list_items(text, &["hooks", event])?;
    Ok((0..items.len()).filter(|at| is_our_item(agent, &items[*at])).collect())
}
