//! What is to be done to the agents' files: worked out first, shown, and done only where the file is still as seen.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::agents::{AgentFile, AgentProgram, PermitItem, Scope};
use super::error::{EditError, PlanError};
use super::{items, neovim};
use crate::cli::file;

/// What becomes of an agent's file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Act {
    /// Our entry comes in.
    Add,
    /// Our entry takes the place of another of its name.
    Replace,
    /// Our entry stands there already.
    Nothing,
    /// Our entry goes.
    Remove,
}

/// A file, as it is and as it will be; none where it is not there.
#[derive(Debug)]
pub(super) struct FilePlan {
    /// The agent's name for people, or another's whose file it is.
    pub(super) agent: &'static str,
    /// What the person has to do next, as what the agent does.
    pub(super) next: &'static str,
    /// What the file does once it is written, for a list of files.
    pub(super) purpose: String,
    pub(super) act: Act,
    /// The file, as it is named to people.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// The folder of the Neovim plugin, where that comes and goes with the file.
    pub(super) plugin: Option<PathBuf>,
    /// Whether the file is run: a new one gets the mode for it.
    pub(super) is_program: bool,
}

/// Puts the entry that starts `command` into the agent's file: the one that has an entry, else the first that is
/// there, else the usual one. Nothing where the agent has no such file.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn put(
    agent: &'static AgentProgram,
    scope: Scope<'_>,
    command: &str,
) -> Result<Option<FilePlan>, PlanError> {
    let mut chosen = None;
    let files = agent.entry_files(scope);
    for file in &files {
        let text = read(&file.path, &file.name)?;
        let entry = text.as_deref().map_or(Ok(None), |text| agent.format.entry(text, &agent.place.path()));
        let entry = entry.map_err(PlanError::left(&file.name))?;
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
    let ours = agent.entry(command, scope);
    // An entry that an earlier version wrote lacks what came later. What a person set stays.
    let (act, entry) = match has {
        Some(has) if has.get("command") != ours.get("command") => (Act::Replace, ours),
        Some(has) => match completed(&has, &ours) {
            whole if whole == has => (Act::Nothing, whole),
            whole => (Act::Add, whole),
        },
        None => (Act::Add, ours),
    };
    let after = match act {
        Act::Nothing => before.clone(),
        _ => {
            let text = before.as_deref().unwrap_or_default();
            let put = agent.format.put(text, &agent.place.path(), &entry, &agent.head());
            Some(put.map_err(PlanError::left(&file.name))?)
        }
    };
    let purpose = match act {
        Act::Replace => format!("in place of another `{}` in it: {}", super::PROGRAM, agent.purpose()),
        _ => agent.purpose(),
    };
    Ok(Some(FilePlan::of(agent, file, act, (before, after)).that(purpose)))
}

/// Puts what lets the agent use our tools without a question into its settings file; nothing where it needs none.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn permit(agent: &'static AgentProgram, scope: Scope<'_>) -> Result<Option<FilePlan>, PlanError> {
    let Some((file, items)) = agent.permits(scope) else { return Ok(None) };
    let before = read(&file.path, &file.name)?;
    let left_as_it_is = PlanError::left(&file.name);
    let mut after = before.clone().unwrap_or_default();
    for PermitItem { list, item } in items {
        if !items::of(&after, list).map_err(&left_as_it_is)?.contains(&json!(item)) {
            after = items::append(&after, list, &json!(item), &[]).map_err(&left_as_it_is)?;
        }
    }
    let act = if before.as_ref() == Some(&after) { Act::Nothing } else { Act::Add };
    let purpose = format!("{} asks about no tool of wherefore's", agent.name);
    Ok(Some(FilePlan::of(agent, &file, act, (before, Some(after))).that(purpose)))
}

/// Takes all that is ours out of the agent's files: the entry of each that has one, and what permits our tools. A file
/// that then holds nothing goes with it; an entry of that name that starts another program stays.
///
/// # Errors
/// What keeps a file from being read or changed, with its name.
pub(super) fn take(agent: &'static AgentProgram, scope: Scope<'_>) -> Vec<Result<FilePlan, PlanError>> {
    let entries = agent.entry_files(scope);
    let entries = entries.iter().filter_map(|file| take_entry(agent, file).transpose());
    entries.chain(take_permits(agent, scope).transpose()).collect()
}

fn take_entry(agent: &'static AgentProgram, file: &AgentFile) -> Result<Option<FilePlan>, PlanError> {
    let before = read(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    let left_as_it_is = PlanError::left(&file.name);
    let entry = agent.format.entry(text, &agent.place.path()).map_err(&left_as_it_is)?;
    if !entry.is_some_and(|entry| starts_us(&entry)) {
        return Ok(None);
    }
    let left = agent.format.take(text, &agent.place.path()).map_err(&left_as_it_is)?;
    let after = (file.path.is_symlink() || !agent.format.is_bare(&left, &agent.head())).then_some(left);
    let purpose = format!("{} starts wherefore no more", agent.name);
    Ok(Some(FilePlan::of(agent, file, Act::Remove, (before, after)).that(purpose)))
}

fn take_permits(agent: &'static AgentProgram, scope: Scope<'_>) -> Result<Option<FilePlan>, PlanError> {
    let Some((file, items)) = agent.permits(scope) else { return Ok(None) };
    let before = read(&file.path, &file.name)?;
    let Some(text) = &before else { return Ok(None) };
    let left_as_it_is = PlanError::left(&file.name);
    let mut left = text.clone();
    for PermitItem { list, item } in items {
        left = items::take(&left, list, &|other| *other == json!(item)).map_err(&left_as_it_is)?;
    }
    if left == *text {
        return Ok(None);
    }
    let after = (file.path.is_symlink() || !agent.format.is_bare(&left, &[])).then_some(left);
    let purpose = format!("{} asks about wherefore's tools again", agent.name);
    Ok(Some(FilePlan::of(agent, &file, Act::Remove, (before, after)).that(purpose)))
}

/// An entry with what it lacks of ours. What else it says is the person's own.
fn completed(entry: &Value, ours: &Value) -> Value {
    let mut whole = entry.clone();
    if let (Some(members), Some(ours)) = (whole.as_object_mut(), ours.as_object()) {
        for (name, value) in ours {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    whole
}

/// Whether an entry starts a program of our name, from wherever.
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
            act: Act::Nothing,
            name,
            path,
            after: text.clone(),
            before: text,
            plugin: None,
            is_program: false,
        }
    }

    fn of(
        agent: &AgentProgram,
        file: &AgentFile,
        act: Act,
        (before, after): (Option<String>, Option<String>),
    ) -> Self {
        let plan = Self::unchanged(agent.name, file.name.clone(), file.path.clone(), before);
        Self { next: agent.next, act, after, ..plan }
    }

    fn that(self, purpose: String) -> Self {
        Self { purpose, ..self }
    }

    /// Does it. A folder that a removed file leaves empty goes too, unless it is `dir`.
    ///
    /// # Errors
    /// What keeps the file from being written, or that it has changed since it was looked at.
    pub(super) fn carry_out(&self, dir: &Path) -> Result<(), PlanError> {
        if read(&self.path, &self.name)? != self.before {
            return Err(PlanError::Changed { name: self.name.clone() });
        }
        if let Some(folder) = &self.plugin {
            let done = neovim::place(folder, self.after.is_some());
            done.map_err(|source| PlanError::Plugin { folder: folder.clone(), source })?;
        }
        match &self.after {
            Some(text) => {
                file::write(&self.path, text.as_bytes())?;
                if self.is_program && self.before.is_none() {
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(&self.path, mode).map_err(file::system("write", &self.path))?;
                }
                Ok(())
            }
            None => {
                file::remove(&self.path)?;
                // Folders that held nothing else go, too: agents' files stand at most two deep.
                let folders = self.path.ancestors().skip(1).take(2).take_while(|folder| *folder != dir);
                let _ = folders.map(std::fs::remove_dir).take_while(Result::is_ok).count();
                Ok(())
            }
        }
    }
}

/// The text of a file, which an error calls `name`.
pub(super) fn read(path: &Path, name: &str) -> Result<Option<String>, PlanError> {
    let text = file::read(path)?.map(String::from_utf8).transpose();
    text.map_err(|_| PlanError::left(name)(EditError::NotUtf8))
}
