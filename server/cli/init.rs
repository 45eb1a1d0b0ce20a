//! `wherefore init`: a project's settings, its agents' files and the Neovim plugin, written only when the person agrees.
//!
//! # Invariants
//!
//! - No byte of an agent's settings file changes outside of wherefore's entry.
//!   Test: `an_odd_file_keeps_each_byte`, `what_comes_in_goes_out_again_byte_for_byte`

pub(super) mod agent_settings;
pub(super) mod agents;
mod ask;
mod edit;
mod error;
mod git;
pub(super) mod guard;
mod items;
mod jsonc;
mod machine;
pub(super) mod neovim;
mod original;
mod plan;
pub(super) mod plugins;
mod tables;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};

use self::agents::{AgentChoice, PersonMachine, SetupScope};
use self::ask::PlanGroup;
use self::error::PlanError;
use self::plan::{FilePlan, PlannedAct};
use super::answer;
use super::apparmor::AppArmorProfile;
use super::print::{self, TerminalPage, TextLook};
pub(super) use crate::agents::PROGRAM;
use crate::agents::{ALL, AgentProfile};
use crate::workspace::OWN_IGNORE;

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
    pub agents: Option<Vec<AgentChoice>>,
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
    /// Write the plugins and packages by which agents take wherefore into a folder, and set nothing up
    #[arg(
        long,
        value_name = "FOLDER",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = ["guard", "neovim", "user", "agents", "git", "remove", "absolute"],
    )]
    pub plugins: Option<PathBuf>,
}

/// The files to write: their paths below the project, their texts, and their purposes.
const FILES: [(&str, &str, &str); 2] = [
    (
        ".wherefore/config.toml",
        include_str!("init/config.toml"),
        "this project's settings, at their defaults",
    ),
    (".wherefore/.gitignore", OWN_IGNORE, "keeps the session logs out of git"),
];

/// The files that earlier versions wrote in their place, without asking: they kept the shared files out of git too.
const FORMER: [(&str, &str); 1] = [(".wherefore/.gitignore", "*\n")];

/// Shows the changes, asks, and writes. The other contents of existing files stay.
pub(super) fn run_init(args: &InitArgs) -> ExitCode {
    let (page, machine) = (TerminalPage::stdout(), PersonMachine::current());
    let args = &InitArgs { dir: args.root.clone().unwrap_or_else(|| args.dir.clone()), ..args.clone() };
    if let Some(folder) = &args.plugins {
        return print::exit_with(plugins::write_packages(page, folder));
    }
    let done = match args.dir.is_dir() {
        true if args.guard => guard::run_guard_setup(page, args, &machine),
        true if args.git => git::run_git_setup(page, args, &machine),
        true if args.remove => remove_all(page, args, &machine),
        true => offer_setup(page, args, &machine).and_then(|code| offer_profile(page).map(|()| code)),
        false => {
            let message = format!("{} is not a folder: make it first, or name another", args.dir.display());
            Err(io::Error::other(message))
        }
    };
    print::exit_with(done)
}

/// Shows the profile that this program lacks, for the person to write.
fn offer_profile(page: TerminalPage) -> io::Result<()> {
    let Some(profile) = AppArmorProfile::find_lacking() else { return Ok(()) };
    let (purpose, lines) = profile.describe();
    page.write_line(format!("\n{purpose}\n"))?;
    lines.iter().try_for_each(|line| page.write_line(format!("    {line}")))
}

/// Plans the files to write for the project, the chosen agents and Neovim, asks the person (not with `--yes`), and writes
/// those that they agree to. The exit code says if one failed.
fn offer_setup(page: TerminalPage, args: &InitArgs, machine: &PersonMachine) -> io::Result<ExitCode> {
    let (command, mut failed) = (start_command(args)?, false);
    let mut groups = Vec::new();
    if !args.user {
        groups.push(PlanGroup { name: "This project".to_owned(), plans: project_plans(&args.dir) });
    }
    for agent in choose_agents(page, args, machine)? {
        let scope = setup_scope(args, machine);
        if let Some(plugin) = agent.installed_plugin(machine, &args.dir) {
            page.write_line(format!(
                "{} has wherefore by its plugin already ({}).",
                agent.title, plugin.file
            ))?;
            continue;
        }
        let plans = [plan::put_entry(agent, scope, &command), plan::permit_tools(agent, scope)];
        let (plans, wrong) = collect_plans(plans.into_iter().filter_map(Result::transpose));
        failed |= wrong;
        // Two agents may read one file.
        let known = |plan: &FilePlan| {
            groups.iter().flat_map(|group| &group.plans).any(|other| other.path == plan.path)
        };
        let plans = plans.into_iter().filter(|plan| !known(plan)).collect();
        groups.push(PlanGroup { name: agent.title.to_owned(), plans });
    }
    if args.neovim || (!args.yes && io::stdin().is_terminal() && neovim::is_wanted(machine)) {
        let (plans, wrong) = collect_plans(neovim::put_plugin(machine, &command).transpose().into_iter());
        failed |= wrong;
        groups.push(PlanGroup { name: "Your Neovim".to_owned(), plans });
    }
    let agents = groups.iter().flat_map(|group| &group.plans).any(|plan| plan.plugin.is_none());
    let standing = groups
        .iter_mut()
        .flat_map(|group| group.plans.extract_if(.., |plan| plan.act == PlannedAct::Nothing));
    for plan in standing {
        page.write_line(format!("{} is set up already ({}).", plan.agent, plan.name))?;
    }
    groups.retain(|group| !group.plans.is_empty());
    if groups.is_empty() {
        page.write_line(format!("{} is set up already: nothing to write.", args.dir.display()))?;
        return Ok(exit_code(failed));
    }
    let agreed = ask::ask_about_groups(page, args, groups, "write")?;
    if agreed.is_empty() {
        page.write_line("Nothing is written. `wherefore init --yes` writes it; `--diff` shows each line.")?;
        return Ok(exit_code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| try_carry_out(plan, &args.dir, &mut failed));
    page.write_line(format!("Written: {}.", list_names(&done)))?;
    let mut told: Vec<&str> = Vec::new();
    for plan in done.iter().filter(|plan| !plan.next.is_empty()) {
        if !told.contains(&plan.agent) {
            told.push(plan.agent);
            page.write_line(format!("  {} {}.", plan.agent, plan.next))?;
        }
    }
    if !args.absolute && agents {
        warn_about_path(page, machine)?;
    }
    if done.iter().any(|plan| ALL.iter().any(|agent| agent.title == plan.agent))
        && !guard::has_guard_anywhere(args, machine)
    {
        page.write_line(guard::PURPOSE)?;
    }
    plugins::name_plugins(page, &done)?;
    let is_loaded = done.iter().any(|plan| plan.plugin.is_some());
    if let Some(lines) =
        neovim::config_lines(machine, &command).filter(|_| !is_loaded && neovim::is_wanted(machine))
    {
        page.write_line(
            "\nIn Neovim `wherefore init --neovim` brings the plugin and writes, for 0.10 and later:\n",
        )?;
        lines.lines().try_for_each(|line| page.write_line(format!("    {line}")))?;
    }
    Ok(exit_code(failed))
}

/// The files of our own folder that are missing, and those that still stand as an earlier version wrote them.
fn project_plans(dir: &Path) -> Vec<FilePlan> {
    let plan = |(name, text, purpose): &(&str, &str, &str)| {
        let former = FORMER.iter().find(|(former, _)| former == name).map(|(_, text)| (*text).to_owned());
        let before =
            std::fs::read_to_string(dir.join(name)).ok().filter(|text| Some(text) == former.as_ref());
        (before.is_some() || !dir.join(name).exists()).then(|| FilePlan {
            purpose: (*purpose).to_owned(),
            act: if before.is_some() { PlannedAct::Replace } else { PlannedAct::Add },
            after: Some((*text).to_owned()),
            ..FilePlan::unchanged("The project", (*name).to_owned(), dir.join(name), before)
        })
    };
    FILES.iter().filter_map(plan).collect()
}

/// The settings to change: the person's or the project's.
fn setup_scope<'a>(args: &'a InitArgs, machine: &'a PersonMachine) -> SetupScope<'a> {
    if args.user { SetupScope::Person(machine) } else { SetupScope::Project(&args.dir) }
}

/// The agents to set up: the named ones, or else those that are found. Prints a message if none is found.
fn choose_agents(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
) -> io::Result<Vec<&'static AgentProfile>> {
    let is_meant = |agent: &&AgentProfile| match &args.agents {
        Some(named) => includes_agent(named, agent),
        None => agent.is_found(machine, &args.dir),
    };
    let chosen: Vec<&AgentProfile> = ALL.iter().copied().filter(is_meant).collect();
    if chosen.is_empty() && args.agents.is_none() {
        page.write_line(
            "No agent is found here. `--agents` names those to set up: see `wherefore init --help`.\n",
        )?;
    }
    Ok(chosen)
}

/// Takes the hooks out first, which would not find the program any more, and then the rest.
fn remove_all(page: TerminalPage, args: &InitArgs, machine: &PersonMachine) -> io::Result<ExitCode> {
    let hooks = match guard::has_guard(args, machine) {
        true => guard::run_guard_setup(page, args, machine)?,
        false => ExitCode::SUCCESS,
    };
    let notes = match args.agents.is_none() && !args.user && git::is_there(args) {
        true => git::run_git_setup(page, args, machine)?,
        false => ExitCode::SUCCESS,
    };
    let rest = remove_setup(page, args, machine)?;
    let of_all = [hooks, notes, rest];
    Ok(of_all.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS))
}

/// Removes wherefore's entries from the agents' files and the person's Neovim. The folder `.wherefore` stays: it holds the log.
fn remove_setup(page: TerminalPage, args: &InitArgs, machine: &PersonMachine) -> io::Result<ExitCode> {
    let mut groups = Vec::new();
    let mut failed = false;
    let named = |agent: &&AgentProfile| args.agents.as_ref().is_none_or(|named| includes_agent(named, agent));
    for agent in ALL.iter().copied().filter(named) {
        if let Some(plugin) = agent.installed_plugin(machine, &args.dir) {
            page.write_line(format!("{} has wherefore by its plugin: {}.", agent.title, plugin.removal()))?;
        }
        let (mut plans, wrong) = collect_plans(plan::take_all(agent, setup_scope(args, machine)).into_iter());
        failed |= wrong;
        let known = |plan: &FilePlan| {
            groups.iter().flat_map(|group: &PlanGroup| &group.plans).any(|other| other.path == plan.path)
        };
        plans.retain(|plan| !known(plan));
        groups.push(PlanGroup { name: agent.title.to_owned(), plans });
    }
    if args.neovim || args.agents.is_none() {
        let (plans, wrong) = collect_plans(neovim::take_plugin(machine).transpose().into_iter());
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
        page.write_line(format!("No agent's file starts wherefore: nothing to remove ({hint})."))?;
        return Ok(exit_code(failed));
    }
    let agreed = ask::ask_about_groups(page, args, groups, "remove")?;
    if agreed.is_empty() {
        page.write_line(
            "Nothing is removed. `wherefore init --remove --yes` removes it; `--diff` shows each line.",
        )?;
        return Ok(exit_code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| try_carry_out(plan, &args.dir, &mut failed));
    page.write_line(format!(
        "Taken out of {}. .wherefore stays: the session log is in it.",
        list_names(&done)
    ))?;
    Ok(exit_code(failed))
}

fn list_names(plans: &[&FilePlan]) -> String {
    plans.iter().map(|plan| plan.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn exit_code(failed: bool) -> ExitCode {
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn includes_agent(named: &[AgentChoice], agent: &AgentProfile) -> bool {
    named.iter().any(|choice| choice.includes(agent))
}

/// The plans that can be made, one per file; the errors of the others are reported.
fn collect_plans(all: impl Iterator<Item = Result<FilePlan, PlanError>>) -> (Vec<FilePlan>, bool) {
    let mut plans: Vec<FilePlan> = Vec::new();
    let mut failed = false;
    for plan in all {
        match plan {
            // Two agents may read one file.
            Ok(plan) if plans.iter().any(|other| other.path == plan.path) => {}
            Ok(plan) => plans.push(plan),
            Err(problem) => {
                failed = true;
                report_problem(&problem.to_string());
            }
        }
    }
    (plans, failed)
}

/// Reports a problem on standard error.
fn report_problem(problem: &str) {
    answer::write_note(&format!("wherefore: {}", print::visible_line(problem)));
}

/// Carries out a plan; returns whether it succeeded, and reports the error if not.
fn try_carry_out(plan: &FilePlan, dir: &Path, failed: &mut bool) -> bool {
    let done = plan.carry_out(dir);
    if let Err(error) = &done {
        *failed = true;
        report_problem(&error.to_string());
    }
    done.is_ok()
}

/// The command that agents start. A file of the project is shared, so it has no path of this machine unless
/// `--absolute` is given.
fn start_command(args: &InitArgs) -> io::Result<String> {
    if !args.absolute {
        return Ok(PROGRAM.to_owned());
    }
    own_path()
}

/// This program's path.
fn own_path() -> io::Result<String> {
    let path = std::env::current_exe()?;
    let path = path.to_str().ok_or_else(|| io::Error::other("this program's path is not UTF-8"))?;
    Ok(path.to_owned())
}

/// Returns whether `wherefore` on the PATH is this program.
fn is_on_path(machine: &PersonMachine) -> io::Result<bool> {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let this = std::env::current_exe().map(real)?;
    Ok(machine.find_program(PROGRAM).map(real) == Some(this))
}

/// Warns if agents would not find this program.
fn warn_about_path(page: TerminalPage, machine: &PersonMachine) -> io::Result<()> {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let this = std::env::current_exe().map(real)?;
    let problem = match machine.find_program(PROGRAM) {
        None => "`wherefore` is not on the PATH: agents cannot start it yet.".to_owned(),
        Some(found) if real(found.clone()) != this => {
            format!("`wherefore` on the PATH is {}, not this program.", found.display())
        }
        Some(_) => return Ok(()),
    };
    page.write_line(page.paint(TextLook::Yellow, &problem))?;
    let mend = format!("Install it there, or say `--absolute` and they start {}.", this.display());
    page.write_line(page.paint(TextLook::Yellow, &mend))
}

#[cfg(test)]
pub(super) mod tests;
