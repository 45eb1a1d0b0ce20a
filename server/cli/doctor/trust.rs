//! Trust in this folder, by an agent's own list: an agent runs no hook of a folder that it does not trust, and without
//! a person at its terminal it does not report that.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agents::{HookAgent, HookTrust};
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::forms::HookFile;
use crate::cli::init::guard::plan;

/// The problem if the hook is the folder's and the agent does not trust the folder, and its remedy. Hooks in the
/// person's own settings run everywhere.
pub(super) fn untrusted_folder(
    agent: HookAgent,
    machine: &PersonMachine,
    dir: &Path,
    file: &HookFile,
) -> Option<(String, String)> {
    let person = agent.of_person(machine)?;
    if file.path == person.path {
        return None;
    }
    let folder = fs::canonicalize(dir).ok()?;
    let is_trusted = match agent.setup.trust {
        HookTrust::FolderLists { files, variable } => {
            let allows_all = std::env::var(variable).is_ok_and(|value| value == "true");
            allows_all || listed_folders(&person, files).iter().any(|trusted| folder.starts_with(trusted))
        }
        HookTrust::Hashes => trusted_projects(&person).iter().any(|trusted| is_project(trusted, &folder)),
        HookTrust::Unlisted => return None,
    };
    let (name, program) = (agent.title(), agent.profile.program_name());
    (!is_trusted).then(|| {
        (
            format!("{name} does not trust the folder {}, so it runs no hook of {}", folder.display(), file.name),
            format!("Start `{program}` here once and trust the folder; `wherefore init --guard --user` needs no trust."),
        )
    })
}

/// The folders that an agent trusts, by lists in its settings.
fn listed_folders(person: &HookFile, files: &[&str]) -> Vec<PathBuf> {
    let settings = files.iter().map(|name| person.top.join(name)).filter_map(|path| {
        let name = path.display().to_string();
        plan::read_settings(&HookFile { path, name, top: person.top.clone() })
    });
    let lists = settings.flat_map(|all| ["trustedFolders", "trusted_folders"].map(|key| all[key].clone()));
    let folders = lists.filter_map(|list| list.as_array().cloned()).flatten();
    folders.filter_map(|folder| resolve_folder(folder.as_str()?)).collect()
}

/// The folders that Codex trusts, by its table of projects.
fn trusted_projects(person: &HookFile) -> Vec<PathBuf> {
    let text = fs::read_to_string(person.top.join("config.toml")).unwrap_or_default();
    let settings: Value = toml::from_str(&text).unwrap_or_default();
    let projects = settings["projects"].as_object().cloned().unwrap_or_default();
    let trusted = projects.into_iter().filter(|(_, project)| project["trust_level"] == "trusted");
    trusted.filter_map(|(folder, _)| resolve_folder(&folder)).collect()
}

/// Returns whether a folder is the one that is trusted, or lies in that repository.
fn is_project(trusted: &Path, folder: &Path) -> bool {
    let mut below = folder.ancestors().take_while(|folder| *folder != trusted);
    folder.starts_with(trusted) && !below.any(|folder| folder.join(".git").is_dir())
}

fn resolve_folder(folder: &str) -> Option<PathBuf> {
    fs::canonicalize(folder).ok()
}
