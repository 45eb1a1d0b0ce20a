//! The plugin in the person's own Neovim: a file of a few lines in its configuration, and the plugin in a folder of ours.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::PROGRAM;
use super::agents::Machine;
use super::error::{EditError, PlanError};
use super::plan::{Act, FilePlan, read};
use crate::cli::demo::plugin;

/// What Neovim runs when it starts. Its first line tells that we wrote it.
const LINES: &str = include_str!("neovim.lua");

/// Whom the file is of, for people.
const NAME: &str = "Neovim";

/// The lines, for a program that is started as `command`; nothing where the person has no folder for the plugin.
pub(super) fn lines(machine: &Machine, command: &str) -> Option<String> {
    let folder = machine.data.as_ref()?.join("nvim");
    let options = match command {
        PROGRAM => "{}".to_owned(),
        path => format!("{{ cmd = {{ {}, \"lsp\" }} }}", json!(path)),
    };
    Some(LINES.replace("{folder}", &json!(folder).to_string()).replace("{options}", &options))
}

/// How the plugin stands to the person's Neovim.
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

/// How the plugin stands to the person's Neovim.
pub(in crate::cli) fn state(machine: &Machine) -> PluginState {
    let short = |path: &Path| machine.file(path.to_owned()).name;
    if let Ok(Some(FilePlan { before: Some(_), plugin: Some(folder), path, .. })) = plan(machine) {
        return match plugin::is_in(&folder) {
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

/// Whether Neovim is here, and its configuration does not name the plugin yet.
pub(super) fn is_wanted(machine: &Machine) -> bool {
    let config = machine.config.as_ref().map(|config| config.join("nvim"));
    machine.program("nvim").is_some() && !config.is_some_and(|config| names_us(&config, 4))
}

/// Whether a file of Lua or Vim script in a folder, so deep, names the plugin.
fn names_us(folder: &Path, depth: usize) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.extension().and_then(OsStr::to_str) {
        _ if path.is_dir() => depth > 0 && names_us(&path, depth - 1),
        Some("lua" | "vim") => fs::read_to_string(&path).is_ok_and(|text| text.contains(PROGRAM)),
        _ => false,
    })
}

/// Puts the lines where Neovim runs them, and the plugin where they say; nothing where there is no folder for it.
///
/// # Errors
/// What keeps the file from being read, or that another wrote it.
pub(super) fn put(machine: &Machine, command: &str) -> Result<Option<FilePlan>, PlanError> {
    let (Some(plan), Some(text)) = (plan(machine)?, lines(machine, command)) else { return Ok(None) };
    let is_there = plan.plugin.as_deref().is_some_and(plugin::is_in);
    let act = if plan.before.as_ref() == Some(&text) && is_there { Act::Nothing } else { Act::Add };
    let purpose = match &plan.plugin {
        Some(folder) => {
            format!("Neovim loads the plugin, which goes to {}", machine.file(folder.clone()).name)
        }
        None => String::new(),
    };
    Ok(Some(FilePlan { act, purpose, after: Some(text), ..plan }))
}

/// Takes the lines away, and the plugin; nothing where they are not there.
///
/// # Errors
/// What keeps the file from being read.
pub(super) fn take(machine: &Machine) -> Result<Option<FilePlan>, PlanError> {
    match plan(machine) {
        Err(PlanError::Left { source: EditError::NotOurs, .. }) => Ok(None),
        plan => Ok(plan?.filter(|plan| plan.before.is_some())),
    }
}

fn plan(machine: &Machine) -> Result<Option<FilePlan>, PlanError> {
    let (Some(config), Some(data)) = (&machine.config, &machine.data) else { return Ok(None) };
    let file = machine.file(config.join("nvim/plugin/wherefore_init.lua"));
    let before = read(&file.path, &file.name)?;
    if before.as_ref().is_some_and(|text| text.lines().next() != LINES.lines().next()) {
        return Err(PlanError::left(&file.name)(EditError::NotOurs));
    }
    Ok(Some(FilePlan {
        agent: NAME,
        next: "loads the plugin from its next start",
        purpose: "Neovim loads the plugin no more".to_owned(),
        act: Act::Remove,
        name: file.name,
        path: file.path,
        before,
        after: None,
        plugin: Some(data.join("nvim")),
        is_program: false,
    }))
}

/// Puts the plugin into its folder, in place of what an earlier version put there, or takes it away.
///
/// # Errors
/// What the file system says.
pub(super) fn place(folder: &Path, wanted: bool) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if wanted {
        return plugin::write(folder);
    }
    // Our folder of what the program brings along goes with the last of it.
    let _ = folder.parent().map(fs::remove_dir);
    Ok(())
}
