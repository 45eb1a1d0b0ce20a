//! `wherefore init --git`: hooks that write notes on commits, and the settings that carry, fetch and push the notes.

mod config;
mod hooks;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::hooks::HookFolder;
use super::agents::PersonMachine;
use super::ask::{self, PlanGroup};
use super::error::PlanError;
use super::plan::{FilePlan, PlannedAct};
use super::{
    InitArgs, PROGRAM, TerminalPage, collect_plans, exit_code, is_on_path, list_names, own_path,
    report_problem, try_carry_out,
};
use crate::cli::git::repository::GitRepository;

/// A project that has a repository.
#[derive(Debug)]
struct GitProject {
    /// The project's folder: the top of a working tree.
    dir: PathBuf,
    /// The repository's own folder, which all working trees share.
    shared: PathBuf,
    /// The folder in which git looks for hooks.
    hooks: PathBuf,
    /// The remote that notes are fetched from and pushed to: `origin`, else the only one.
    remote: Option<String>,
}

impl GitProject {
    /// The project in a folder.
    ///
    /// # Errors
    /// Why notes cannot be set up there, as a sentence.
    fn open_at(dir: &Path) -> Result<Self, String> {
        let dir = fs::canonicalize(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let repository = GitRepository(&dir);
        let said = repository.run_git(&["rev-parse", "--show-toplevel"]);
        let top = said.map_err(|fault| {
            format!("{} has no git repository with files: {}", dir.display(), fault.message)
        })?;
        let top = PathBuf::from(top.trim_end_matches('\n'));
        if fs::canonicalize(&top).unwrap_or_else(|_| top.clone()) != dir {
            let message = "is not the top folder of its git repository: run it in";
            return Err(format!("{} {message} {}", dir.display(), top.display()));
        }
        // A missing folder is named by its existing parent.
        let real = |path: PathBuf| match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(_) => {
                match (path.parent().and_then(|parent| fs::canonicalize(parent).ok()), path.file_name()) {
                    (Some(parent), Some(name)) => parent.join(name),
                    _ => path,
                }
            }
        };
        let shared = real(repository.common_dir().map_err(|fault| fault.message)?);
        let hooks = real(repository.git_path("hooks").map_err(|fault| fault.message)?);
        let remotes = repository.run_git(&["remote"]).unwrap_or_default();
        let remotes: Vec<&str> = remotes.lines().collect();
        let remote = match remotes.as_slice() {
            [only] => Some(*only),
            all => all.iter().find(|remote| **remote == "origin").copied(),
        };
        Ok(Self { remote: remote.map(str::to_owned), dir, shared, hooks })
    }
}

/// Shows the hooks and settings that would be written or removed, asks, and does it.
pub(super) fn run_git_setup(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
) -> io::Result<ExitCode> {
    match GitProject::open_at(&args.dir) {
        Ok(project) if args.remove => remove_hooks(page, args, &project),
        Ok(project) => put_hooks(page, args, machine, &project),
        Err(problem) => {
            report_problem(&problem);
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Returns whether the repository has hooks or settings of wherefore.
pub(super) fn is_there(args: &InitArgs) -> bool {
    GitProject::open_at(&args.dir).is_ok_and(|project| removal_plans(&project).iter().any(Result::is_ok))
}

fn put_hooks(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
    project: &GitProject,
) -> io::Result<ExitCode> {
    let (hooks, mut failed) = match HookFolder::of(project) {
        Ok(folder) => {
            let is_own = !folder.is_shared && !is_on_path(machine)?;
            let program = if args.absolute || is_own { quote_path(&own_path()?) } else { PROGRAM.to_owned() };
            collect_plans(hooks::put_lines(&folder, &project.dir, &program).into_iter())
        }
        Err(problem) => collect_plans(std::iter::once(Err(problem))),
    };
    let (settings, wrong) = collect_plans(std::iter::once(config::put_settings(project)));
    failed |= wrong;
    let mut groups = vec![
        PlanGroup { name: "Hooks".to_owned(), plans: hooks },
        PlanGroup { name: "Settings of the repository".to_owned(), plans: settings },
    ];
    for group in &mut groups {
        group.plans.retain(|plan| plan.act != PlannedAct::Nothing);
    }
    groups.retain(|group| !group.plans.is_empty());
    if groups.is_empty() {
        if !failed {
            page.write_line("Git writes notes on commits already: nothing to write.")?;
        }
        return Ok(exit_code(failed));
    }
    if groups.iter().any(|group| group.plans.iter().any(|plan| plan.path.ends_with("config"))) {
        let refspecs = config::list_refspecs(project);
        if !refspecs.is_empty() {
            page.write_line("The settings fetch and push notes by these refspecs:")?;
            refspecs.iter().try_for_each(|line| page.write_line(format!("    {line}")))?;
            page.write_line("")?;
        }
    }
    let agreed = ask::ask_about_groups(page, args, groups, "write")?;
    if agreed.is_empty() {
        page.write_line(
            "Nothing is written. `wherefore init --git --yes` writes it; `--diff` shows each line.",
        )?;
        return Ok(exit_code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| try_carry_out(plan, &project.dir, &mut failed));
    page.write_line(format!("Written: {}.", list_names(&done)))?;
    if project.remote.is_none() {
        page.write_line("  There is no remote yet: run `wherefore init --git` again once there is, so that notes go along with a push.")?;
    }
    page.write_line("  Who fetches the notes sees by `wherefore why` who wrote each line and why; `init --git --remove` takes it back.")?;
    Ok(exit_code(failed))
}

/// The plans that remove all of wherefore's hooks and settings.
fn removal_plans(project: &GitProject) -> Vec<Result<FilePlan, PlanError>> {
    let mut plans = match HookFolder::of(project) {
        Ok(folder) => hooks::take_lines(&folder, &project.dir),
        Err(_) => Vec::new(),
    };
    plans.extend(config::take_settings(project).transpose());
    plans
}

fn remove_hooks(page: TerminalPage, args: &InitArgs, project: &GitProject) -> io::Result<ExitCode> {
    let (plans, mut failed) = collect_plans(removal_plans(project).into_iter());
    if plans.is_empty() {
        page.write_line("No hook and no setting of the repository is of wherefore: nothing to remove.")?;
        return Ok(exit_code(failed));
    }
    let agreed =
        ask::ask_about_groups(page, args, vec![PlanGroup { name: "Git".to_owned(), plans }], "remove")?;
    if agreed.is_empty() {
        page.write_line(
            "Nothing is removed. `wherefore init --git --remove --yes` removes it; `--diff` shows each line.",
        )?;
        return Ok(exit_code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| try_carry_out(plan, &project.dir, &mut failed));
    page.write_line(format!(
        "Taken out of {}. The notes stay: `git update-ref -d refs/notes/wherefore` deletes them here.",
        list_names(&done)
    ))?;
    Ok(exit_code(failed))
}

/// A path as a shell reads it.
fn quote_path(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}
