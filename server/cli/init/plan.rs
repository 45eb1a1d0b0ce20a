//! The changes to the agents' files: computed first, shown, and made only if the file is still the same.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::agents::{AgentFile, SetupScope};
use super::edit::FileFormat;
use super::error::{PlanError, SettingsEditError};
use super::{items, neovim, original};
use crate::agents::{AgentProfile, PermitItem};
use crate::cli::file;

/// The change to an agent's file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlannedAct {
    /// Our entry comes in.
    Add,
    /// Our entry takes the place of another of its name.
    Replace,
    /// Our entry is there already.
    Nothing,
    /// Our entry goes.
    Remove,
}

/// A file, with its current and its new text; none if it does not exist.
#[derive(Debug)]
pub(super) struct FilePlan {
    /// The agent's name for people, or another's whose file it is.
    pub(super) agent: &'static str,
    /// The next step for the person, as a phrase that begins with the agent's verb.
    pub(super) next: &'static str,
    /// The effect of the written file, for a list of files.
    pub(super) purpose: String,
    pub(super) act: PlannedAct,
    /// The file, as it is named to people.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// The folder of the Neovim plugin, which is written and removed with the file.
    pub(super) plugin: Option<PathBuf>,
    /// True if the file is executed: a new one becomes executable.
    pub(super) is_program: bool,
}

/// Adds the entry that starts `command` to the agent's file: the one that has an entry, or else the first that exists,
/// or else the usual one. None if the agent has no such file.
///
/// # Errors
/// The reason why the file cannot be read or changed, with its name.
pub(super) fn put_entry(
    agent: &'static AgentProfile,
    scope: SetupScope<'_>,
    command: &str,
) -> Result<Option<FilePlan>, PlanError> {
    let mut chosen = None;
    let files = agent.entry_files(scope);
    for file in &files {
        let text = read_text(&file.path, &file.name)?;
        let entry = text.as_deref().map_or(Ok(None), |text| {
            agent.setup.format.read_entry(text, &agent.setup.entry_path.entry_path())
        });
        let entry = entry.map_err(PlanError::left_unchanged(&file.name))?;
        match (&entry, &text, &chosen) {
            (Some(_), ..) => {
                chosen = Some((file, text, entry));
                break;
            }
            (None, Some(_), None) => chosen = Some((file, text, None)),
            _ => {}
        }
    }
    let usual = files.first().map(|file| (file, None, None));
    let Some((file, before, has)) = chosen.or(usual) else { return Ok(None) };
    let ours = agent.server_entry(command, scope);
    // An entry from an earlier version lacks newer members. Members that a person set stay.
    let (act, entry) = match has {
        Some(has) if has.get("command") != ours.get("command") => (PlannedAct::Replace, ours),
        Some(has) => match complete_entry(&has, &ours) {
            whole if whole == has => (PlannedAct::Nothing, whole),
            whole => (PlannedAct::Add, whole),
        },
        None => (PlannedAct::Add, ours),
    };
    let after = match act {
        PlannedAct::Nothing => before.clone(),
        _ => {
            let text = before.as_deref().unwrap_or_default();
            let put = agent.setup.format.put_entry(
                text,
                &agent.setup.entry_path.entry_path(),
                &entry,
                &agent.file_head(),
            );
            Some(put.map_err(PlanError::left_unchanged(&file.name))?)
        }
    };
    let purpose = match act {
        PlannedAct::Replace => {
            format!("in place of another `{}` in it: {}", super::PROGRAM, agent.entry_purpose())
        }
        _ => agent.entry_purpose(),
    };
    Ok(Some(FilePlan::of(agent, file, act, (before, after)).with_purpose(purpose)))
}

/// Adds the permission to use wherefore's tools without a question to the agent's settings file; none if it needs none.
///
/// # Errors
/// The reason why the file cannot be read or changed, with its name.
pub(super) fn permit_tools(
    agent: &'static AgentProfile,
    scope: SetupScope<'_>,
) -> Result<Option<FilePlan>, PlanError> {
    let Some((file, items)) = agent.permit_lists(scope) else { return Ok(None) };
    let before = read_text(&file.path, &file.name)?;
    let left_as_it_is = PlanError::left_unchanged(&file.name);
    let mut after = before.clone().unwrap_or_default();
    for PermitItem { list, item } in items {
        if !items::list_items(&after, list).map_err(&left_as_it_is)?.contains(&json!(item)) {
            after = items::append_item(&after, list, &json!(item), &[]).map_err(&left_as_it_is)?;
        }
    }
    let act = if before.as_ref() == Some(&after) { PlannedAct::Nothing } else { PlannedAct::Add };
    let purpose = format!("{} asks about no tool of wherefore's", agent.title);
    Ok(Some(FilePlan::of(agent, &file, act, (before, Some(after))).with_purpose(purpose)))
}

/// Removes all of wherefore's entries from the agent's files, with the permissions of its tools. A file that then holds
/// nothing is removed; an entry of that name that starts another program stays.
///
/// # Errors
/// The reason why a file cannot be read or changed, with its name.
pub(super) fn take_all(
    agent: &'static AgentProfile,
    scope: SetupScope<'_>,
) -> Vec<Result<FilePlan, PlanError>> {
    let entries = agent.entry_files(scope);
    let entries = entries.iter().filter_map(|file| take_entry(agent, file).transpose());
    entries.chain(take_permits(agent, scope).transpose()).collect()
}

fn take_entry(agent: &'static AgentProfile, file: &AgentFile) -> Result<Option<FilePlan>, PlanError> {
    let before = read_text(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    let left_as_it_is = PlanError::left_unchanged(&file.name);
    let entry =
        agent.setup.format.read_entry(text, &agent.setup.entry_path.entry_path()).map_err(&left_as_it_is)?;
    if !entry.is_some_and(|entry| starts_us(&entry)) {
        return Ok(None);
    }
    let left =
        agent.setup.format.take_entry(text, &agent.setup.entry_path.entry_path()).map_err(&left_as_it_is)?;
    let is_bare = agent.setup.format.is_bare(&left, &agent.file_head());
    let container = &[agent.setup.entry_path.container][..];
    let after =
        original::text_without_us(&file.path, text, (left, is_bare), agent.setup.format, &[container]);
    let purpose = format!("{} starts wherefore no more", agent.title);
    Ok(Some(FilePlan::of(agent, file, PlannedAct::Remove, (before, after)).with_purpose(purpose)))
}

fn take_permits(agent: &'static AgentProfile, scope: SetupScope<'_>) -> Result<Option<FilePlan>, PlanError> {
    let Some((file, items)) = agent.permit_lists(scope) else { return Ok(None) };
    let before = read_text(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    let left_as_it_is = PlanError::left_unchanged(&file.name);
    let mut left = text.clone();
    for PermitItem { list, item } in items {
        left = items::take_items(&left, list, &|other| *other == json!(item)).map_err(&left_as_it_is)?;
    }
    if left == *text {
        return Ok(None);
    }
    let is_bare = agent.setup.format.is_bare(&left, &[]);
    let containers: Vec<_> = items.iter().map(|item| item.list).collect();
    let after = original::text_without_us(&file.path, text, (left, is_bare), FileFormat::Json, &containers);
    let purpose = format!("{} asks about wherefore's tools again", agent.title);
    Ok(Some(FilePlan::of(agent, &file, PlannedAct::Remove, (before, after)).with_purpose(purpose)))
}

/// An entry with the missing members added. All other members are the person's own.
fn complete_entry(entry: &Value, ours: &Value) -> Value {
    let mut whole = entry.clone();
    if let (Some(members), Some(ours)) = (whole.as_object_mut(), ours.as_object()) {
        for (name, value) in ours {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    whole
}

/// Returns whether an entry starts a program named wherefore, at any path.
fn starts_us(entry: &Value) -> bool {
    let command = &entry["command"];
    let program = command.as_str().or(command[0].as_str()).map(Path::new);
    program.and_then(Path::file_name).is_some_and(|name| name == super::PROGRAM)
}

impl FilePlan {
    /// A file that stays as it is.
    pub(super) fn unchanged(agent: &'static str, name: String, path: PathBuf, text: Option<String>) -> Self {
        Self {
            agent,
            next: "",
            purpose: String::new(),
            act: PlannedAct::Nothing,
            name,
            path,
            after: text.clone(),
            before: text,
            plugin: None,
            is_program: false,
        }
    }

    fn of(
        agent: &AgentProfile,
        file: &AgentFile,
        act: PlannedAct,
        (before, after): (Option<String>, Option<String>),
    ) -> Self {
        let plan = Self::unchanged(agent.title, file.name.clone(), file.path.clone(), before);
        Self { next: agent.setup.next_step, act, after, ..plan }
    }

    fn with_purpose(self, purpose: String) -> Self {
        Self { purpose, ..self }
    }

    /// Carries out the plan. A folder that was made for a removed file, and is empty without it, is removed, too.
    ///
    /// # Errors
    /// The reason why the file cannot be written, or that it has changed since the plan was made.
    pub(super) fn carry_out(&self, dir: &Path) -> Result<(), PlanError> {
        if read_text(&self.path, &self.name)? != self.before {
            return Err(PlanError::Changed { name: self.name.clone() });
        }
        if let Some(folder) = &self.plugin {
            let done = neovim::place_plugin(folder, self.after.is_some());
            done.map_err(|source| PlanError::Plugin { folder: folder.clone(), source })?;
        }
        let is_made = original::made_folder(&self.path);
        original::note_change(&self.path, self.before.as_deref(), self.after.as_deref());
        match &self.after {
            Some(text) => {
                file::write_file(&self.path, text.as_bytes())?;
                if self.is_program && self.before.is_none() {
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(&self.path, mode)
                        .map_err(file::system_error("write", &self.path))?;
                }
                Ok(())
            }
            None => {
                file::remove_file(&self.path)?;
                // Agents' files are at most two folders deep.
                let above = self.path.ancestors().skip(1).take(2).take_while(|folder| *folder != dir);
                let _ = above
                    .take_while(|folder| is_made(folder))
                    .map(std::fs::remove_dir)
                    .take_while(Result::is_ok)
                    .count();
                Ok(())
            }
        }
    }
}

/// The text of a file, which an error calls `name`.
pub(super) fn read_text(path: &Path, name: &str) -> Result<Option<String>, PlanError> {
    let text = file::read_file(path)?.map(String::from_utf8).transpose();
    text.map_err(|_| PlanError::left_unchanged(name)(SettingsEditError::NotUtf8))
}
