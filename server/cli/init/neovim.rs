//! The plugin in the person's own Neovim: a file of a few lines in its configuration, and the plugin in a folder of wherefore.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::PROGRAM;
use super::agents::PersonMachine;
use super::error::{PlanError, SettingsEditError};
use super::plan::{FilePlan, PlannedAct, read_text};
use crate::cli::neovim_plugin;

/// The lines that Neovim runs when it starts. The first line identifies wherefore as their author.
const LINES: &str = include_str!("neovim.lua");

/// The owner of the file, for people.
const NAME: &str = "Neovim";

/// The lines for a program that is started as `command`; none if the person has no folder for the plugin.
pub(super) fn config_lines(machine: &PersonMachine, command: &str) -> Option<String> {
    let folder = machine.data.as_ref()?.join("nvim");
    let options = match command {
        PROGRAM => "{}".to_owned(),
        path => format!("{{ cmd = {{ {}, \"lsp\" }} }}", json!(path)),
    };
    Some(LINES.replace("{folder}", &json!(folder).to_string()).replace("{options}", &options))
}

/// The state of the plugin in the person's Neovim.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum PluginState {
    /// A file of the person's configuration names it.
    Named(String),
    /// Our file loads it, and it is this version's.
    Fresh(String),
    /// Our file loads it from this folder, which holds another version's.
    Other(String),
    /// Nothing loads it.
    Missing,
}

/// The state of the plugin in the person's Neovim.
pub(in crate::cli) fn plugin_state(machine: &PersonMachine) -> PluginState {
    let short = |path: &Path| machine.named_file(path.to_owned()).name;
    if let Ok(Some(FilePlan { before: Some(_), plugin: Some(folder), path, .. })) = plugin_plan(machine) {
        return match neovim_plugin::holds_plugin(&folder) {
            true => PluginState::Fresh(short(&path)),
            false => PluginState::Other(short(&folder)),
        };
    }
    let config = machine.config.as_ref().map(|config| config.join("nvim"));
    match config.filter(|config| names_us(config, 4)) {
        Some(config) => PluginState::Named(short(&config)),
        None => PluginState::Missing,
    }
}

/// Returns whether Neovim is installed, and its configuration does not name the plugin yet.
pub(super) fn is_wanted(machine: &PersonMachine) -> bool {
    let config = machine.config.as_ref().map(|config| config.join("nvim"));
    machine.find_program("nvim").is_some() && !config.is_some_and(|config| names_us(&config, 4))
}

/// Returns whether a Lua or Vim script in a folder, down to `depth`, names the plugin.
fn names_us(folder: &Path, depth: usize) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.extension().and_then(OsStr::to_str) {
        _ if path.is_dir() => depth > 0 && names_us(&path, depth - 1),
        Some("lua" | "vim") => fs::read_to_string(&path).is_ok_and(|text| text.contains(PROGRAM)),
        _ => false,
    })
}

/// Writes the lines that Neovim runs, and the plugin into the folder that they name; none if there is no folder for it.
///
/// # Errors
/// The reason why the file cannot be read, or that it is another's.
pub(super) fn put_plugin(machine: &PersonMachine, command: &str) -> Result<Option<FilePlan>, PlanError> {
    let (Some(plan), Some(text)) = (plugin_plan(machine)?, config_lines(machine, command)) else {
        return Ok(None);
    };
    let is_there = plan.plugin.as_deref().is_some_and(neovim_plugin::holds_plugin);
    let act =
        if plan.before.as_ref() == Some(&text) && is_there { PlannedAct::Nothing } else { PlannedAct::Add };
    let purpose = match &plan.plugin {
        Some(folder) => {
            format!("Neovim loads the plugin, which goes to {}", machine.named_file(folder.clone()).name)
        }
        None => String::new(),
    };
    Ok(Some(FilePlan { act, purpose, after: Some(text), ..plan }))
}

/// Removes the lines and the plugin; none if they are not there.
///
/// # Errors
/// The reason why the file cannot be read.
pub(super) fn take_plugin(machine: &PersonMachine) -> Result<Option<FilePlan>, PlanError> {
    match plugin_plan(machine) {
        Err(PlanError::LeftUnchanged { source: SettingsEditError::NotOurs, .. }) => Ok(None),
        plan => Ok(plan?.filter(|plan| plan.before.is_some())),
    }
}

fn plugin_plan(machine: &PersonMachine) -> Result<Option<FilePlan>, PlanError> {
    let (Some(config), Some(data)) = (&machine.config, &machine.data) else { return Ok(None) };
    let file = machine.named_file(config.join("nvim/plugin/wherefore_init.lua"));
    let before = read_text(&file.path, &file.name)?;
    if before.as_ref().is_some_and(|text| text.lines().next() != LINES.lines().next()) {
        return Err(PlanError::left_unchanged(&file.name)(SettingsEditError::NotOurs));
    }
    Ok(Some(FilePlan {
        agent: NAME,
        next: "loads the plugin from its next start",
        purpose: "Neovim loads the plugin no more".to_owned(),
        act: PlannedAct::Remove,
        name: file.name,
        path: file.path,
        before,
        after: None,
        plugin: Some(data.join("nvim")),
        is_program: false,
    }))
}

/// Writes the plugin into its folder, in place of an earlier version, or removes it.
///
/// # Errors
/// The error of the file system.
pub(super) fn place_plugin(folder: &Path, wanted: bool) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if wanted {
        return neovim_plugin::write_plugin(folder);
    }
    // The parent folder is removed when it is empty.
    let _ = folder.parent().map(fs::remove_dir);
    Ok(())
}
