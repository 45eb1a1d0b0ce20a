//! `wherefore init`: a project's settings and its agents' files, written only when the person agrees.

pub(super) mod agents;
mod edit;
mod error;
pub(super) mod guard;
mod items;
mod jsonc;
mod plan;
mod tables;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};

use self::agents::{AGENTS, AgentProgram, Id, Machine};
use self::error::PlanError;
use self::plan::{Act, FilePlan};
use super::print::{self, TerminalPage, TextLook};
use super::{answer, show};
use crate::patch;

/// Set a project up: write its settings and an example tool, and add wherefore to the settings of the agents found here
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
    /// The agents to set up, separated by commas [default: those found on this machine]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "AGENTS")]
    pub agents: Option<Vec<Id>>,
    /// Remove wherefore from the agents' files: from all of them, or from those that --agents names
    #[arg(long, conflicts_with = "absolute")]
    pub remove: bool,
    /// Have agents start this program by its absolute path, for a program that is not on the PATH
    #[arg(long)]
    pub absolute: bool,
    /// Send the agents' own edits, commands and reads through wherefore, by hooks in their settings
    #[arg(long)]
    pub guard: bool,
    /// Write the hooks to your own settings, for every project, instead of to this project's
    #[arg(long, requires = "guard")]
    pub user: bool,
}

/// What is written, by its path below the project.
const FILES: [(&str, &str); 3] = [
    (".wherefore/config.toml", include_str!("init/config.toml")),
    (".wherefore/tools/example.yaml", include_str!("init/example.yaml")),
    // The folder holds logs and proposals: what it keeps is the machine's, but for what a team shares.
    (".wherefore/.gitignore", "*\n!.gitignore\n!config.toml\n!tools/\n!tools/*.yaml\n"),
];

/// How Neovim starts the server.
const NEOVIM: &str = include_str!("init/neovim.lua");

/// The name that agents start the program by.
pub(super) const PROGRAM: &str = "wherefore";

/// Shows what would be written, asks, writes. Files that are there keep what else they hold.
pub(super) fn run(args: &InitArgs) -> ExitCode {
    let page = TerminalPage::stdout();
    let args = &InitArgs { dir: args.root.clone().unwrap_or_else(|| args.dir.clone()), ..args.clone() };
    let done = match args.dir.is_dir() {
        true if args.guard => guard::run(page, args, &Machine::here()),
        true if args.remove => remove(page, args),
        true => init(page, args, &Machine::here()),
        false => {
            let message = format!("{} is not a folder: make it first, or name another", args.dir.display());
            Err(io::Error::other(message))
        }
    };
    print::exit(done)
}

fn init(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let missing: Vec<_> = FILES.iter().filter(|(path, _)| !args.dir.join(path).exists()).collect();
    missing.iter().try_for_each(|(path, text)| show_file(page, &args.dir.join(path), text))?;
    let command = command(args)?;
    let chosen = chosen(page, args, machine)?;
    let (plans, mut failed) = sorted(chosen.iter().map(|agent| plan::put(agent, &args.dir, &command)));
    let of = |act: Act| plans.iter().filter(move |plan| plan.act == act);
    of(Act::Nothing).try_for_each(|plan| {
        page.line(format!("{} starts wherefore already ({}).", plan.agent, plan.name))
    })?;
    of(Act::Add).try_for_each(|plan| show_plan(page, plan))?;
    let adds = !missing.is_empty() || of(Act::Add).next().is_some();
    if adds && !args.yes && !agreed(page, "Write this?")? {
        page.line("Nothing is written. `wherefore init --yes` writes it.")?;
        return Ok(code(failed));
    }
    if !adds && of(Act::Replace).next().is_none() {
        page.line(format!("{} is set up already: nothing to write.", args.dir.display()))?;
    }
    missing.iter().try_for_each(|(path, text)| write_new(&args.dir.join(path), text))?;
    let mut done: Vec<&FilePlan> = of(Act::Add).collect();
    for plan in of(Act::Replace) {
        if replaces(page, args, plan)? {
            done.push(plan);
        }
    }
    done.retain(|plan| carried_out(plan, &args.dir, &mut failed));
    let written: Vec<&str> =
        missing.iter().map(|(path, _)| *path).chain(done.iter().map(|plan| plan.name.as_str())).collect();
    if !written.is_empty() {
        page.line(format!("Written: {}.", written.join(", ")))?;
    }
    done.iter().try_for_each(|plan| page.line(format!("  {} {}.", plan.agent, plan.next)))?;
    if !args.absolute && !plans.is_empty() {
        warn(page, machine)?;
    }
    page.line("\nIn Neovim 0.10 or later, with this repository's editors/nvim on the runtime path:\n")?;
    NEOVIM.lines().try_for_each(|line| page.line(format!("    {line}")))?;
    Ok(code(failed))
}

/// Shows a file of the project's that would be made.
fn show_file(page: TerminalPage, path: &Path, text: &str) -> io::Result<()> {
    page.line(page.paint(TextLook::Bold, &path.display().to_string()))?;
    text.lines().try_for_each(|line| page.line(format!("    {}", page.paint(TextLook::Dim, line))))?;
    page.line("")
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

/// Whether our entry takes the place of another of its name: the person says.
fn replaces(page: TerminalPage, args: &InitArgs, plan: &FilePlan) -> io::Result<bool> {
    page.line(format!("{} has another `{PROGRAM}` in {}:\n", plan.agent, plan.name))?;
    show_plan(page, plan)?;
    let is_agreed = args.yes || agreed(page, "Replace it?")?;
    if !is_agreed {
        page.line("It stays.")?;
    }
    Ok(is_agreed)
}

/// Takes our entry out of the agents' files. Our own folder stays: it holds the log.
fn remove(page: TerminalPage, args: &InitArgs) -> io::Result<ExitCode> {
    let named = |agent: &&AgentProgram| args.agents.as_ref().is_none_or(|named| names(named, agent.id));
    let taken = AGENTS.iter().filter(named).flat_map(|agent| plan::take(agent, &args.dir));
    let (plans, mut failed) = sorted(taken);
    if plans.is_empty() {
        page.line("No agent's file starts wherefore: nothing to remove.")?;
        return Ok(code(failed));
    }
    plans.iter().try_for_each(|plan| show_plan(page, plan))?;
    if !args.yes && !agreed(page, "Remove this?")? {
        page.line("Nothing is removed. `wherefore init --remove --yes` removes it.")?;
        return Ok(code(failed));
    }
    let done = plans.iter().filter(|plan| carried_out(plan, &args.dir, &mut failed));
    let names: Vec<&str> = done.map(|plan| plan.name.as_str()).collect();
    page.line(format!("Taken out of {}. .wherefore stays: the session log is in it.", names.join(", ")))?;
    Ok(code(failed))
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

fn show_plan(page: TerminalPage, plan: &FilePlan) -> io::Result<()> {
    // Whole lines: what is agreed to is seen.
    let diff = patch::unified(&plan.name, plan.before.as_deref(), plan.after.as_deref());
    diff.lines().try_for_each(|line| page.line(page.paint(show::diff_look(line), line)))?;
    page.line("")
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

/// Whether the person says yes. Nobody at a terminal means no.
fn agreed(page: TerminalPage, question: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    page.prompt(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes a file that must not be there yet.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests;
