//! `wherefore init`: a project's settings and its agents' files, written only when the person agrees.

mod agents;
mod edit;
mod jsonc;
mod plan;
mod tables;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use self::agents::{AGENTS, Agent, Id, Machine};
use self::plan::{Act, Plan};
use super::print::{self, Look, Page};
use super::{answer, show};
use crate::patch;

/// Set a project up: settings with their defaults, an example of a tool, and the files in which the agents that are
/// found here read how to start wherefore
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    pub dir: PathBuf,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// The agents to set up, with commas between, instead of those that are found
    #[arg(long, value_enum, value_delimiter = ',', value_name = "AGENTS")]
    pub agents: Option<Vec<Id>>,
    /// Take wherefore out of the agents' files again: of all, or of those named
    #[arg(long, conflicts_with = "absolute")]
    pub remove: bool,
    /// Have agents start this very program by its path, where it is not on the PATH
    #[arg(long)]
    pub absolute: bool,
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
const PROGRAM: &str = "wherefore";

/// Shows what would be written, asks, writes. Files that are there keep what else they hold.
pub(super) fn run(args: &InitArgs) -> ExitCode {
    let page = Page::stdout();
    let done = match args.dir.is_dir() {
        true if args.remove => remove(page, args),
        true => init(page, args, &Machine::here()),
        false => {
            let message = format!("{} is not a folder: make it first, or name another", args.dir.display());
            Err(io::Error::other(message))
        }
    };
    print::exit(done)
}

fn init(page: Page, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let missing: Vec<_> = FILES.iter().filter(|(path, _)| !args.dir.join(path).exists()).collect();
    for (path, text) in &missing {
        page.line(page.paint(Look::Bold, &args.dir.join(path).display().to_string()))?;
        for line in text.lines() {
            page.line(format!("    {}", page.paint(Look::Dim, line)))?;
        }
        page.line("")?;
    }
    let command = command(args)?;
    let chosen: Vec<&Agent> = AGENTS.iter().filter(|agent| is_meant(args, agent, machine)).collect();
    if chosen.is_empty() && args.agents.is_none() {
        page.line(
            "No agent is found here. `--agents` names those to set up: see `wherefore init --help`.\n",
        )?;
    }
    let (plans, mut failed) = sorted(chosen.iter().map(|agent| plan::put(agent, &args.dir, &command)));
    for plan in plans.iter().filter(|plan| plan.act == Act::Nothing) {
        page.line(format!("{} starts it already ({}).", plan.agent.name, plan.name))?;
    }
    let of = |act: Act| plans.iter().filter(move |plan| plan.act == act);
    of(Act::Add).try_for_each(|plan| show_plan(page, plan))?;
    let (mut written, mut done): (Vec<&str>, Vec<&Plan>) = (Vec::new(), Vec::new());
    if missing.is_empty() && of(Act::Add).next().is_none() {
        if of(Act::Replace).next().is_none() {
            page.line(format!("{} is set up already: nothing to write.", args.dir.display()))?;
        }
    } else if args.yes || agreed(page, "Write this?")? {
        for (path, text) in &missing {
            write_new(&args.dir.join(path), text)?;
            written.push(path);
        }
        done.extend(of(Act::Add));
    } else {
        page.line("Nothing is written. `wherefore init --yes` writes it.")?;
        return Ok(code(failed));
    }
    for plan in of(Act::Replace) {
        page.line(format!("{} has another `{PROGRAM}` in {}:\n", plan.agent.name, plan.name))?;
        show_plan(page, plan)?;
        match args.yes || agreed(page, "Replace it?")? {
            true => done.push(plan),
            false => page.line("It stays.")?,
        }
    }
    done.retain(|plan| carried_out(plan, &args.dir, &mut failed));
    written.extend(done.iter().map(|plan| plan.name));
    if !written.is_empty() {
        page.line(format!("Written: {}.", written.join(", ")))?;
    }
    for plan in &done {
        page.line(format!("  {} {}.", plan.agent.name, plan.agent.next))?;
    }
    if !args.absolute && !plans.is_empty() {
        warn(page, machine)?;
    }
    page.line("\nIn Neovim 0.10 or later, with this repository's editors/nvim on the runtime path:\n")?;
    NEOVIM.lines().try_for_each(|line| page.line(format!("    {line}")))?;
    Ok(code(failed))
}

/// Takes our entry out of the agents' files. Our own folder stays: it holds the log.
fn remove(page: Page, args: &InitArgs) -> io::Result<ExitCode> {
    let named = |agent: &&Agent| args.agents.as_ref().is_none_or(|named| names(named, agent));
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
    let names: Vec<&str> = done.map(|plan| plan.name).collect();
    page.line(format!("Taken out of {}. .wherefore stays: the session log is in it.", names.join(", ")))?;
    Ok(code(failed))
}

fn code(failed: bool) -> ExitCode {
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether an agent is to be set up: it is named, or none is and it is found.
fn is_meant(args: &InitArgs, agent: &Agent, machine: &Machine) -> bool {
    match &args.agents {
        Some(named) => names(named, agent),
        None => agent.is_found(machine, &args.dir),
    }
}

fn names(named: &[Id], agent: &Agent) -> bool {
    named.contains(&agent.id) || named.contains(&Id::All)
}

/// The plans that can be made; what is wrong with others is told.
fn sorted(all: impl Iterator<Item = Result<Plan, String>>) -> (Vec<Plan>, bool) {
    let mut plans = Vec::new();
    let mut failed = false;
    for plan in all {
        match plan {
            Ok(plan) => plans.push(plan),
            Err(problem) => {
                failed = true;
                told(&problem);
            }
        }
    }
    (plans, failed)
}

/// Tells what could not be done.
fn told(problem: &str) {
    answer::note(&format!("wherefore: {}", print::visible(problem)));
}

fn show_plan(page: Page, plan: &Plan) -> io::Result<()> {
    // Whole lines: what is agreed to is seen.
    let diff = patch::unified(plan.name, plan.before.as_deref(), plan.after.as_deref());
    diff.lines().try_for_each(|line| page.line(page.paint(show::diff_look(line), line)))?;
    page.line("")
}

/// Whether it could be done; why not is told.
fn carried_out(plan: &Plan, dir: &Path, failed: &mut bool) -> bool {
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
    let path = std::env::current_exe()?;
    let path = path.to_str().ok_or_else(|| io::Error::other("this program's path is not UTF-8"))?;
    Ok(path.to_owned())
}

/// Says where agents would not find this program.
fn warn(page: Page, machine: &Machine) -> io::Result<()> {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let this = std::env::current_exe().map(real)?;
    let problem = match machine.program(PROGRAM) {
        None => "`wherefore` is not on the PATH: agents cannot start it yet.".to_owned(),
        Some(found) if real(found.clone()) != this => {
            format!("`wherefore` on the PATH is {}, not this program.", found.display())
        }
        Some(_) => return Ok(()),
    };
    page.line(page.paint(Look::Yellow, &problem))?;
    let mend = format!("Install it there, or say `--absolute` and they start {}.", this.display());
    page.line(page.paint(Look::Yellow, &mend))
}

/// Whether the person says yes. Nobody at a terminal means no.
fn agreed(page: Page, question: &str) -> io::Result<bool> {
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
