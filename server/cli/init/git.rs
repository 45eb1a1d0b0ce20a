//! `wherefore init --git`: hooks that write notes on commits, and the settings that carry, fetch and push the notes.

mod config;
mod hooks;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::hooks::HookFolder;
use super::agents::Machine;
use super::ask::{self, PlanGroup};
use super::error::PlanError;
use super::plan::{Act, FilePlan};
use super::{InitArgs, PROGRAM, TerminalPage, absolute, carried_out, code, is_on_path, listed, sorted, told};
use crate::cli::git::repository::Repository;

/// A project that has a repository.
#[derive(Debug)]
struct GitProject {
    /// The project's folder: the top of a working tree.
    dir: PathBuf,
    /// The repository's own folder, which all working trees share.
    shared: PathBuf,
    /// Where git looks for hooks.
    hooks: PathBuf,
    /// The remote that notes are fetched from and pushed to: `origin`, else the only one.
    remote: Option<String>,
}

impl GitProject {
    /// The project in a folder.
    ///
    /// # Errors
    /// Why notes cannot be set up there, as a sentence.
    fn at(dir: &Path) -> Result<Self, String> {
        let dir = fs::canonicalize(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let repository = Repository(&dir);
        let said = repository.ask(&["rev-parse", "--show-toplevel"]);
        let top = said.map_err(|fault| {
            format!("{} has no git repository with files: {}", dir.display(), fault.message)
        })?;
        let top = PathBuf::from(top.trim_end_matches('\n'));
        if fs::canonicalize(&top).unwrap_or_else(|_| top.clone()) != dir {
            let message = "is not the top folder of its git repository: run it in";
            return Err(format!("{} {message} {}", dir.display(), top.display()));
        }
        // A folder that is not there yet is named by one that is.
        let real = |path: PathBuf| match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(_) => {
                match (path.parent().and_then(|parent| fs::canonicalize(parent).ok()), path.file_name()) {
                    (Some(parent), Some(name)) => parent.join(name),
                    _ => path,
                }
            }
        };
        let shared = real(repository.shared().map_err(|fault| fault.message)?);
        let hooks = real(repository.own("hooks").map_err(|fault| fault.message)?);
        let remotes = repository.ask(&["remote"]).unwrap_or_default();
        let remotes: Vec<&str> = remotes.lines().collect();
        let remote = match remotes.as_slice() {
            [only] => Some(*only),
            all => all.iter().find(|remote| **remote == "origin").copied(),
        };
        Ok(Self { remote: remote.map(str::to_owned), dir, shared, hooks })
    }
}

/// Shows the hooks and settings that would be written or removed, asks, and does it.
pub(super) fn run(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    match GitProject::at(&args.dir) {
        Ok(project) if args.remove => remove(page, args, &project),
        Ok(project) => put(page, args, machine, &project),
        Err(problem) => {
            told(&problem);
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Whether something of ours is there.
pub(super) fn is_there(args: &InitArgs) -> bool {
    GitProject::at(&args.dir).is_ok_and(|project| taken(&project).iter().any(Result::is_ok))
}

fn put(page: TerminalPage, args: &InitArgs, machine: &Machine, project: &GitProject) -> io::Result<ExitCode> {
    let (hooks, mut failed) = match HookFolder::of(project) {
        Ok(folder) => {
            let is_own = !folder.is_shared && !is_on_path(machine)?;
            let program = if args.absolute || is_own { quoted(&absolute()?) } else { PROGRAM.to_owned() };
            sorted(hooks::put(&folder, &project.dir, &program).into_iter())
        }
        Err(problem) => sorted(std::iter::once(Err(problem))),
    };
    let (settings, wrong) = sorted(std::iter::once(config::put(project)));
    failed |= wrong;
    let mut groups = vec![
        PlanGroup { name: "Hooks".to_owned(), plans: hooks },
        PlanGroup { name: "Settings of the repository".to_owned(), plans: settings },
    ];
    for group in &mut groups {
        group.plans.retain(|plan| plan.act != Act::Nothing);
    }
    groups.retain(|group| !group.plans.is_empty());
    if groups.is_empty() {
        if !failed {
            page.line("Git writes notes on commits already: nothing to write.")?;
        }
        return Ok(code(failed));
    }
    if groups.iter().any(|group| group.plans.iter().any(|plan| plan.path.ends_with("config"))) {
        let refspecs = config::refspecs(project);
        if !refspecs.is_empty() {
            page.line("The settings fetch and push notes by these refspecs:")?;
            refspecs.iter().try_for_each(|line| page.line(format!("    {line}")))?;
            page.line("")?;
        }
    }
    let agreed = ask::agreed(page, args, groups, "write")?;
    if agreed.is_empty() {
        page.line("Nothing is written. `wherefore init --git --yes` writes it; `--diff` shows each line.")?;
        return Ok(code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| carried_out(plan, &project.dir, &mut failed));
    page.line(format!("Written: {}.", listed(&done)))?;
    page.line("  Who fetches the notes sees by `wherefore why` who wrote each line and why; `init --git --remove` takes it back.")?;
    Ok(code(failed))
}

/// What takes all that is ours out.
fn taken(project: &GitProject) -> Vec<Result<FilePlan, PlanError>> {
    let mut plans = match HookFolder::of(project) {
        Ok(folder) => hooks::take(&folder, &project.dir),
        Err(_) => Vec::new(),
    };
    plans.extend(config::take(project).transpose());
    plans
}

fn remove(page: TerminalPage, args: &InitArgs, project: &GitProject) -> io::Result<ExitCode> {
    let (plans, mut failed) = sorted(taken(project).into_iter());
    if plans.is_empty() {
        page.line("No hook and no setting of the repository is of wherefore: nothing to remove.")?;
        return Ok(code(failed));
    }
    let agreed = ask::agreed(page, args, vec![PlanGroup { name: "Git".to_owned(), plans }], "remove")?;
    if agreed.is_empty() {
        page.line(
            "Nothing is removed. `wherefore init --git --remove --yes` removes it; `--diff` shows each line.",
        )?;
        return Ok(code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| carried_out(plan, &project.dir, &mut failed));
    page.line(format!(
        "Taken out of {}. The notes stay: `git update-ref -d refs/notes/wherefore` deletes them here.",
        listed(&done)
    ))?;
    Ok(code(failed))
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}
