//! `wherefore init`: a project's settings, its agents' files and the Neovim plugin, written only when the person agrees.

pub(super) mod agents;
mod ask;
mod edit;
mod error;
mod git;
pub(super) mod guard;
mod items;
mod jsonc;
pub(super) mod levers;
mod machine;
pub(super) mod neovim;
mod plan;
mod tables;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};

use self::agents::{AGENTS, AgentProgram, Id, Machine, Scope};
use self::ask::PlanGroup;
use self::error::PlanError;
use self::plan::{Act, FilePlan};
use super::answer;
use super::print::{self, TerminalPage, TextLook};

/// Set a project up: write its settings, and have the agents found here start wherefore and use its tools
#[derive(Clone, Debug, Args)]
pub(super) struct InitArgs {
    /// The project's folder
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The project's folder, as for other subcommands
    #[arg(long, value_name = "DIR", conflicts_with = "dir", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// Show the diff of each file, too
    #[arg(long)]
    pub diff: bool,
    /// The agents to set up, separated by commas [default: those found on this machine]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "AGENTS")]
    pub agents: Option<Vec<Id>>,
    /// Remove wherefore and its hooks from the agents' files: from all of them, or from those that --agents names
    #[arg(long, conflicts_with = "absolute")]
    pub remove: bool,
    /// Have agents start this program by its absolute path, for a program that is not on the PATH
    #[arg(long)]
    pub absolute: bool,
    /// Send the agents' own edits, commands and reads through wherefore, by hooks in their settings
    #[arg(long)]
    pub guard: bool,
    /// Write to your own settings, for every project, instead of to this project's
    #[arg(long)]
    pub user: bool,
    /// Have your own Neovim load the plugin, too; without it you are asked where Neovim is found
    #[arg(long, conflicts_with = "guard")]
    pub neovim: bool,
    /// Have git write a note on each commit that says why its lines are as they are, and carry, fetch and push the notes
    #[arg(long, conflicts_with_all = ["guard", "neovim", "user", "agents"])]
    pub git: bool,
}

/// What is written, by its path below the project, and what it is for.
const FILES: [(&str, &str, &str); 2] = [
    (
        ".wherefore/config.toml",
        include_str!("init/config.toml"),
        "this project's settings, at their defaults",
    ),
    // The folder holds logs and proposals: what it keeps is the machine's, but for what a team shares.
    (
        ".wherefore/.gitignore",
        "*\n!.gitignore\n!config.toml\n!tools/\n!tools/*.yaml\n",
        "keeps the session logs out of git",
    ),
];

/// The name that agents start the program by.
pub(super) const PROGRAM: &str = "wherefore";

/// Shows what would be written, asks, writes. Files that are there keep what else they hold.
pub(super) fn run(args: &InitArgs) -> ExitCode {
    let (page, machine) = (TerminalPage::stdout(), Machine::here());
    let args = &InitArgs { dir: args.root.clone().unwrap_or_else(|| args.dir.clone()), ..args.clone() };
    let done = match args.dir.is_dir() {
        true if args.guard => guard::run(page, args, &machine),
        true if args.git => git::run(page, args, &machine),
        true if args.remove => remove_all(page, args, &machine),
        true => init(page, args, &machine),
        false => {
            let message = format!("{} is not a folder: make it first, or name another", args.dir.display());
            Err(io::Error::other(message))
        }
    };
    print::exit(done)
}

fn init(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let (command, mut failed) = (command(args)?, false);
    let mut groups = Vec::new();
    if !args.user {
        groups.push(PlanGroup { name: "This project".to_owned(), plans: of_project(&args.dir) });
    }
    for agent in chosen(page, args, machine)? {
        let scope = scope(args, machine);
        let plans = [plan::put(agent, scope, &command), plan::permit(agent, scope)];
        let (plans, wrong) = sorted(plans.into_iter().filter_map(Result::transpose));
        failed |= wrong;
        // Two agents may read one file.
        let known = |plan: &FilePlan| {
            groups.iter().flat_map(|group| &group.plans).any(|other| other.path == plan.path)
        };
        let plans = plans.into_iter().filter(|plan| !known(plan)).collect();
        groups.push(PlanGroup { name: agent.name.to_owned(), plans });
    }
    if args.neovim || (!args.yes && io::stdin().is_terminal() && neovim::is_wanted(machine)) {
        let (plans, wrong) = sorted(neovim::put(machine, &command).transpose().into_iter());
        failed |= wrong;
        groups.push(PlanGroup { name: "Your Neovim".to_owned(), plans });
    }
    let agents = groups.iter().flat_map(|group| &group.plans).any(|plan| plan.plugin.is_none());
    let standing =
        groups.iter_mut().flat_map(|group| group.plans.extract_if(.., |plan| plan.act == Act::Nothing));
    for plan in standing {
        page.line(format!("{} is set up already ({}).", plan.agent, plan.name))?;
    }
    groups.retain(|group| !group.plans.is_empty());
    if groups.is_empty() {
        page.line(format!("{} is set up already: nothing to write.", args.dir.display()))?;
        return Ok(code(failed));
    }
    let agreed = ask::agreed(page, args, groups, "write")?;
    if agreed.is_empty() {
        page.line("Nothing is written. `wherefore init --yes` writes it; `--diff` shows each line.")?;
        return Ok(code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| carried_out(plan, &args.dir, &mut failed));
    page.line(format!("Written: {}.", listed(&done)))?;
    let mut told: Vec<&str> = Vec::new();
    for plan in done.iter().filter(|plan| !plan.next.is_empty()) {
        if !told.contains(&plan.agent) {
            told.push(plan.agent);
            page.line(format!("  {} {}.", plan.agent, plan.next))?;
        }
    }
    if !args.absolute && agents {
        warn(page, machine)?;
    }
    let is_loaded = done.iter().any(|plan| plan.plugin.is_some());
    if let Some(lines) = neovim::lines(machine, &command).filter(|_| !is_loaded && neovim::is_wanted(machine))
    {
        page.line(
            "\nIn Neovim `wherefore init --neovim` brings the plugin and writes, for 0.10 and later:\n",
        )?;
        lines.lines().try_for_each(|line| page.line(format!("    {line}")))?;
    }
    Ok(code(failed))
}

/// The files of our own folder that are missing.
fn of_project(dir: &Path) -> Vec<FilePlan> {
    let missing = FILES.iter().filter(|(name, ..)| !dir.join(name).exists());
    let plan = |(name, text, purpose): &(&str, &str, &str)| FilePlan {
        purpose: (*purpose).to_owned(),
        act: Act::Add,
        after: Some((*text).to_owned()),
        ..FilePlan::unchanged("The project", (*name).to_owned(), dir.join(name), None)
    };
    missing.map(plan).collect()
}

/// Whose settings the person means.
fn scope<'a>(args: &'a InitArgs, machine: &'a Machine) -> Scope<'a> {
    if args.user { Scope::Person(machine) } else { Scope::Project(&args.dir) }
}

/// The agents to set up: those that are named, else those that are found. Says where none is found.
fn chosen(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<Vec<&'static AgentProgram>> {
    let is_meant = |agent: &&AgentProgram| match &args.agents {
        Some(named) => names(named, agent.id),
        None => agent.is_found(machine, &args.dir),
    };
    let chosen: Vec<&AgentProgram> = AGENTS.iter().filter(is_meant).collect();
    if chosen.is_empty() && args.agents.is_none() {
        page.line(
            "No agent is found here. `--agents` names those to set up: see `wherefore init --help`.\n",
        )?;
    }
    Ok(chosen)
}

/// Takes the hooks out first, which would not find the program any more, and then the rest.
fn remove_all(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let hooks = match guard::is_there(args, machine) {
        true => guard::run(page, args, machine)?,
        false => ExitCode::SUCCESS,
    };
    let notes = match args.agents.is_none() && !args.user && git::is_there(args) {
        true => git::run(page, args, machine)?,
        false => ExitCode::SUCCESS,
    };
    let rest = remove(page, args, machine)?;
    let of_all = [hooks, notes, rest];
    Ok(of_all.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS))
}

/// Takes what is ours out of the agents' files and the person's Neovim. Our own folder stays: it holds the log.
fn remove(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let mut groups = Vec::new();
    let mut failed = false;
    let named = |agent: &&AgentProgram| args.agents.as_ref().is_none_or(|named| names(named, agent.id));
    for agent in AGENTS.iter().filter(named) {
        let (mut plans, wrong) = sorted(plan::take(agent, scope(args, machine)).into_iter());
        failed |= wrong;
        let known = |plan: &FilePlan| {
            groups.iter().flat_map(|group: &PlanGroup| &group.plans).any(|other| other.path == plan.path)
        };
        plans.retain(|plan| !known(plan));
        groups.push(PlanGroup { name: agent.name.to_owned(), plans });
    }
    if args.neovim || args.agents.is_none() {
        let (plans, wrong) = sorted(neovim::take(machine).transpose().into_iter());
        failed |= wrong;
        groups.push(PlanGroup { name: "Your Neovim".to_owned(), plans });
    }
    groups.retain(|group| !group.plans.is_empty());
    if groups.is_empty() {
        let hint = if args.user {
            "your own settings were looked at alone"
        } else {
            "`--user` looks at your own settings"
        };
        page.line(format!("No agent's file starts wherefore: nothing to remove ({hint})."))?;
        return Ok(code(failed));
    }
    let agreed = ask::agreed(page, args, groups, "remove")?;
    if agreed.is_empty() {
        page.line(
            "Nothing is removed. `wherefore init --remove --yes` removes it; `--diff` shows each line.",
        )?;
        return Ok(code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| carried_out(plan, &args.dir, &mut failed));
    page.line(format!("Taken out of {}. .wherefore stays: the session log is in it.", listed(&done)))?;
    Ok(code(failed))
}

fn listed(plans: &[&FilePlan]) -> String {
    plans.iter().map(|plan| plan.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn code(failed: bool) -> ExitCode {
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn names(named: &[Id], agent: Id) -> bool {
    named.contains(&agent) || named.contains(&Id::All)
}

/// The plans that can be made, one a file; what is wrong with others is told.
fn sorted(all: impl Iterator<Item = Result<FilePlan, PlanError>>) -> (Vec<FilePlan>, bool) {
    let mut plans: Vec<FilePlan> = Vec::new();
    let mut failed = false;
    for plan in all {
        match plan {
            // Two agents may read one file.
            Ok(plan) if plans.iter().any(|other| other.path == plan.path) => {}
            Ok(plan) => plans.push(plan),
            Err(problem) => {
                failed = true;
                told(&problem.to_string());
            }
        }
    }
    (plans, failed)
}

/// Tells what could not be done.
fn told(problem: &str) {
    answer::note(&format!("wherefore: {}", print::visible(problem)));
}

/// Whether it could be done; why not is told.
fn carried_out(plan: &FilePlan, dir: &Path, failed: &mut bool) -> bool {
    let done = plan.carry_out(dir);
    if let Err(error) = &done {
        *failed = true;
        told(&error.to_string());
    }
    done.is_ok()
}

/// What agents start. A file of the project is shared, so it names no path of this machine unless asked to.
fn command(args: &InitArgs) -> io::Result<String> {
    if !args.absolute {
        return Ok(PROGRAM.to_owned());
    }
    absolute()
}

/// This program's path.
fn absolute() -> io::Result<String> {
    let path = std::env::current_exe()?;
    let path = path.to_str().ok_or_else(|| io::Error::other("this program's path is not UTF-8"))?;
    Ok(path.to_owned())
}

/// Whether our name on the PATH leads to this program.
fn is_on_path(machine: &Machine) -> io::Result<bool> {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let this = std::env::current_exe().map(real)?;
    Ok(machine.program(PROGRAM).map(real) == Some(this))
}

/// Says where agents would not find this program.
fn warn(page: TerminalPage, machine: &Machine) -> io::Result<()> {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let this = std::env::current_exe().map(real)?;
    let problem = match machine.program(PROGRAM) {
        None => "`wherefore` is not on the PATH: agents cannot start it yet.".to_owned(),
        Some(found) if real(found.clone()) != this => {
            format!("`wherefore` on the PATH is {}, not this program.", found.display())
        }
        Some(_) => return Ok(()),
    };
    page.line(page.paint(TextLook::Yellow, &problem))?;
    let mend = format!("Install it there, or say `--absolute` and they start {}.", this.display());
    page.line(page.paint(TextLook::Yellow, &mend))
}

#[cfg(test)]
mod tests;
