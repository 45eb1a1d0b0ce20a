//! The settings of a repository for notes: added and removed by git itself, on a copy of the file.

use std::fs;
use std::path::PathBuf;

use super::GitProject;
use crate::cli::git::repository::GitRepository;
use crate::cli::init::error::PlanError;
use crate::cli::init::plan::{FilePlan, PlannedAct, read_text};
use crate::protocol::Fault;

/// The notes, as they are carried along and pushed.
const NOTES: &str = "refs/notes/wherefore";
/// Makes git copy notes by itself when a commit is rewritten.
const REWRITE: (&str, &str) = ("notes.rewriteRef", NOTES);
/// The refspec that `git push` sends in addition to the notes: the branch. Git writes HEAD as well, which a person may
/// have set.
const BRANCH: &str = "@";

/// The settings for one repository.
struct RemoteNotes {
    /// The remote that notes are fetched from and pushed to.
    remote: Option<String>,
    /// Names and values.
    values: Vec<(String, String)>,
}

impl RemoteNotes {
    fn of(project: &GitProject) -> Self {
        let mut values = vec![(REWRITE.0.to_owned(), REWRITE.1.to_owned())];
        if let Some(remote) = &project.remote {
            let fetch = format!("+{NOTES}*:refs/notes/remotes/{remote}/wherefore*");
            values.push((format!("remote.{remote}.fetch"), fetch));
            values.push((format!("remote.{remote}.push"), BRANCH.to_owned()));
            values.push((format!("remote.{remote}.push"), format!("{NOTES}*:{NOTES}*")));
        }
        Self { remote: project.remote.clone(), values }
    }
}

/// A copy of a settings file, which git changes.
struct ConfigCopy<'p> {
    project: &'p GitProject,
    file: tempfile::NamedTempFile,
    name: String,
}

impl ConfigCopy<'_> {
    fn run_git(&self, args: &[&str]) -> Result<String, Fault> {
        GitRepository(&self.project.dir).run_git(&[&["config", "--file", &self.name], args].concat())
    }

    fn setting_values(&self, name: &str) -> Vec<String> {
        self.run_git(&["--get-all", name]).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(self.file.path()).ok()
    }
}

fn copy_config<'p>(project: &'p GitProject, text: &str) -> Option<ConfigCopy<'p>> {
    let file = tempfile::NamedTempFile::new().ok()?;
    fs::write(file.path(), text).ok()?;
    let name = file.path().to_str()?.to_owned();
    Some(ConfigCopy { project, file, name })
}

fn config_plan(project: &GitProject) -> Result<FilePlan, PlanError> {
    let path: PathBuf = project.shared.join("config");
    let name = path.strip_prefix(&project.dir).unwrap_or(&path).display().to_string();
    let before = read_text(&path, &name)?;
    Ok(FilePlan::unchanged("Git", name, path, before))
}

/// Adds the settings that make git copy, fetch and push notes.
///
/// # Errors
/// The reason why the file cannot be read.
pub(super) fn put_settings(project: &GitProject) -> Result<FilePlan, PlanError> {
    let plan = config_plan(project)?;
    let settings = RemoteNotes::of(project);
    let Some(copy) = copy_config(project, plan.before.as_deref().unwrap_or_default()) else {
        return Ok(plan);
    };
    for (name, value) in &settings.values {
        let there = copy.setting_values(name);
        // If the person has set refspecs to push, these say what is pushed in addition to the notes.
        let is_said = value == BRANCH && !there.is_empty();
        if !there.contains(value) && !is_said {
            let _ = copy.run_git(&["--add", name, value]);
        }
    }
    let purpose = match &settings.remote {
        Some(remote) => format!(
            "git carries notes along, `git fetch` brings those of {remote}, and `git push` sends yours with the branch"
        ),
        None => "git carries notes along".to_owned(),
    };
    let after = copy.text();
    let act = if after == plan.before { PlannedAct::Nothing } else { PlannedAct::Add };
    Ok(FilePlan { act, purpose, after, ..plan })
}

/// Removes the settings; none if they are not there.
///
/// # Errors
/// The reason why the file cannot be read.
pub(super) fn take_settings(project: &GitProject) -> Result<Option<FilePlan>, PlanError> {
    let plan = config_plan(project)?;
    let settings = RemoteNotes::of(project);
    let Some(copy) = copy_config(project, plan.before.as_deref().unwrap_or_default()) else {
        return Ok(None);
    };
    for (name, value) in &settings.values {
        let _ = copy.run_git(&["--fixed-value", "--unset-all", name, value]);
    }
    let after = copy.text();
    if after == plan.before {
        return Ok(None);
    }
    let purpose = "git does nothing with notes of wherefore's any more".to_owned();
    Ok(Some(FilePlan { act: PlannedAct::Remove, purpose, after, ..plan }))
}

/// The refspecs that are set, a line each.
pub(super) fn list_refspecs(project: &GitProject) -> Vec<String> {
    let all = RemoteNotes::of(project).values.into_iter().filter(|(name, _)| name.starts_with("remote."));
    all.map(|(name, value)| format!("{name} = {value}")).collect()
}
