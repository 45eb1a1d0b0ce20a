//! What a repository's own settings say of notes: put in and taken out by git itself, on a copy of the file.

use std::fs;
use std::path::PathBuf;

use super::GitProject;
use crate::cli::git::repository::Repository;
use crate::cli::init::error::PlanError;
use crate::cli::init::plan::{Act, FilePlan, read};
use crate::protocol::Fault;

/// The notes, as they are carried along and pushed.
const NOTES: &str = "refs/notes/wherefore";
/// Has git carry notes along by itself, in the instant that a commit is rewritten.
const REWRITE: (&str, &str) = ("notes.rewriteRef", NOTES);
/// What `git push` sends beside the notes: the branch. Git writes HEAD so, too, which a person may have written.
const BRANCH: &str = "@";

/// What is set for one repository.
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
struct Copy<'p> {
    project: &'p GitProject,
    file: tempfile::NamedTempFile,
    name: String,
}

impl Copy<'_> {
    fn ask(&self, args: &[&str]) -> Result<String, Fault> {
        Repository(&self.project.dir).ask(&[&["config", "--file", &self.name], args].concat())
    }

    fn values(&self, name: &str) -> Vec<String> {
        self.ask(&["--get-all", name]).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(self.file.path()).ok()
    }
}

fn copy<'p>(project: &'p GitProject, text: &str) -> Option<Copy<'p>> {
    let file = tempfile::NamedTempFile::new().ok()?;
    fs::write(file.path(), text).ok()?;
    let name = file.path().to_str()?.to_owned();
    Some(Copy { project, file, name })
}

fn plan(project: &GitProject) -> Result<FilePlan, PlanError> {
    let path: PathBuf = project.shared.join("config");
    let name = path.strip_prefix(&project.dir).unwrap_or(&path).display().to_string();
    let before = read(&path, &name)?;
    Ok(FilePlan::unchanged("Git", name, path, before))
}

/// Puts in what has git carry notes along, fetch and push them.
///
/// # Errors
/// What keeps the file from being read.
pub(super) fn put(project: &GitProject) -> Result<FilePlan, PlanError> {
    let plan = plan(project)?;
    let settings = RemoteNotes::of(project);
    let Some(copy) = copy(project, plan.before.as_deref().unwrap_or_default()) else { return Ok(plan) };
    for (name, value) in &settings.values {
        let there = copy.values(name);
        // Who has set what is pushed has said what goes beside the notes.
        let is_said = value == BRANCH && !there.is_empty();
        if !there.contains(value) && !is_said {
            let _ = copy.ask(&["--add", name, value]);
        }
    }
    let purpose = match &settings.remote {
        Some(remote) => format!(
            "git carries notes along, `git fetch` brings those of {remote}, and `git push` sends yours with the branch"
        ),
        None => "git carries notes along".to_owned(),
    };
    let after = copy.text();
    let act = if after == plan.before { Act::Nothing } else { Act::Add };
    Ok(FilePlan { act, purpose, after, ..plan })
}

/// Takes it out; nothing where it is not there.
///
/// # Errors
/// What keeps the file from being read.
pub(super) fn take(project: &GitProject) -> Result<Option<FilePlan>, PlanError> {
    let plan = plan(project)?;
    let settings = RemoteNotes::of(project);
    let Some(copy) = copy(project, plan.before.as_deref().unwrap_or_default()) else { return Ok(None) };
    for (name, value) in &settings.values {
        let _ = copy.ask(&["--fixed-value", "--unset-all", name, value]);
    }
    let after = copy.text();
    if after == plan.before {
        return Ok(None);
    }
    let purpose = "git does nothing with notes of wherefore's any more".to_owned();
    Ok(Some(FilePlan { act: Act::Remove, purpose, after, ..plan }))
}

/// The refspecs that are set, a line each.
pub(super) fn refspecs(project: &GitProject) -> Vec<String> {
    let all = RemoteNotes::of(project).values.into_iter().filter(|(name, _)| name.starts_with("remote."));
    all.map(|(name, value)| format!("{name} = {value}")).collect()
}
