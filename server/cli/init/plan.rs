//! What is to be done to the agents' files: worked out first, shown, and done only where the file is still as seen.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agents::AgentProgram;
use super::error::{EditError, PlanError};
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
    /// The agent's name for people.
    pub(super) agent: &'static str,
    /// What the person has to do next, as what the agent does.
    pub(super) next: &'static str,
    pub(super) act: Act,
    /// The file, as it is named to people.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// Puts the entry that starts `command` into the agent's file: the one that has an entry, else the first that is
/// there, else the usual one.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn put(agent: &'static AgentProgram, dir: &Path, command: &str) -> Result<FilePlan, PlanError> {
    let mut chosen = None;
    for name in agent.files {
        let text = read(&dir.join(name), name)?;
        let entry = text.as_deref().map_or(Ok(None), |text| agent.format.entry(text, &agent.place.path()));
        let entry = entry.map_err(PlanError::left(name))?;
        match (&entry, &text, &chosen) {
            (Some(_), ..) => {
                chosen = Some((*name, text, entry));
                break;
            }
            (None, Some(_), None) => chosen = Some((*name, text, None)),
            _ => {}
        }
    }
    let usual = agent.files.first().copied().unwrap_or_default();
    let (name, before, has) = chosen.unwrap_or((usual, None, None));
    let entry = agent.entry(command);
    let act = match &has {
        Some(has) if holds(has, &entry) => Act::Nothing,
        Some(_) => Act::Replace,
        None => Act::Add,
    };
    let after = match act {
        Act::Nothing => before.clone(),
        _ => {
            let text = before.as_deref().unwrap_or_default();
            let put = agent.format.put(text, &agent.place.path(), &entry, &agent.head());
            Some(put.map_err(PlanError::left(name))?)
        }
    };
    let (name, path) = (name.to_owned(), dir.join(name));
    Ok(FilePlan { agent: agent.name, next: agent.next, act, name, path, before, after })
}

/// Takes the entry out of each of the agent's files that has one. A file that then holds nothing goes with it; an
/// entry of that name that starts another program stays.
///
/// # Errors
/// What keeps a file from being read or changed, with its name.
pub(super) fn take(agent: &'static AgentProgram, dir: &Path) -> Vec<Result<FilePlan, PlanError>> {
    let plan = |name: &&'static str| {
        let before = read(&dir.join(name), name)?;
        let Some(text) = &before else { return Ok(None) };
        let left_as_it_is = PlanError::left(name);
        let entry = agent.format.entry(text, &agent.place.path()).map_err(&left_as_it_is)?;
        if !entry.is_some_and(|entry| starts_us(&entry)) {
            return Ok(None);
        }
        let left = agent.format.take(text, &agent.place.path()).map_err(&left_as_it_is)?;
        let path = dir.join(name);
        let after = (path.is_symlink() || !agent.format.is_bare(&left, &agent.head())).then_some(left);
        let (name, act) = ((*name).to_owned(), Act::Remove);
        Ok(Some(FilePlan { agent: agent.name, next: agent.next, act, name, path, before, after }))
    };
    agent.files.iter().filter_map(|name| plan(name).transpose()).collect()
}

/// Whether an entry says all that ours does. What else it says is the person's own.
fn holds(entry: &Value, ours: &Value) -> bool {
    ours.as_object().is_some_and(|ours| ours.iter().all(|(key, value)| entry.get(key) == Some(value)))
}

/// Whether an entry starts a program of our name, from wherever.
fn starts_us(entry: &Value) -> bool {
    let command = &entry["command"];
    let program = command.as_str().or(command[0].as_str()).map(Path::new);
    program.and_then(Path::file_name).is_some_and(|name| name == super::PROGRAM)
}

impl FilePlan {
    /// Does it. A folder that a removed file leaves empty goes too, unless it is `dir`.
    ///
    /// # Errors
    /// What keeps the file from being written, or that it has changed since it was looked at.
    pub(super) fn carry_out(&self, dir: &Path) -> Result<(), PlanError> {
        if read(&self.path, &self.name)? != self.before {
            return Err(PlanError::Changed { name: self.name.clone() });
        }
        match &self.after {
            Some(text) => Ok(file::write(&self.path, text.as_bytes())?),
            None => {
                file::remove(&self.path)?;
                // A folder that held nothing else goes, too; one that does stays by itself.
                let folder = self.path.parent().filter(|folder| *folder != dir);
                let _ = folder.map(std::fs::remove_dir);
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
