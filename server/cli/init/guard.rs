//! `wherefore init --guard`: hooks that send an agent's own edits, commands and reads through wherefore.

pub(in crate::cli) mod command;
pub(in crate::cli) mod forms;
pub(in crate::cli) mod plan;
mod policy;
mod samples;
pub(in crate::cli) mod trust;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use self::command::HookCommand;
use self::forms::HookFile;
use super::agents::{AgentChoice, PersonMachine};
use super::ask::{self, PlanGroup};
use super::plan::{FilePlan, PlannedAct};
use super::{
    InitArgs, PROGRAM, TerminalPage, collect_plans, exit_code, includes_agent, list_names, report_problem,
    try_carry_out,
};
use crate::agents::{HookAgent, HookTrust};
use crate::protocol::WhenAway;
use crate::workspace::config;

/// The purpose of `--guard`, as the last message of `init`.
pub(super) const PURPOSE: &str = "These agents may still use their own tools past wherefore. `wherefore init --guard` sends \
                                  those through it, too: you review each edit before it is written, and commands run in a sandbox.";

/// Shows the hooks that would be written or removed, asks, and does it.
pub(super) fn run_guard_setup(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
) -> io::Result<ExitCode> {
    if args.remove { remove_guard(page, args, machine) } else { put_guard(page, args, machine) }
}

/// Returns whether a file of the chosen agents has hooks of wherefore, in the chosen settings.
pub(super) fn has_guard(args: &InitArgs, machine: &PersonMachine) -> bool {
    agents_to_remove(args)
        .any(|agent| hook_files(args, machine, agent).iter().any(|file| has_hooks(agent, file)))
}

/// Returns whether an agent has hooks of wherefore in the project or in the person's settings.
pub(super) fn has_guard_anywhere(args: &InitArgs, machine: &PersonMachine) -> bool {
    [false, true].into_iter().any(|user| has_guard(&InitArgs { user, ..args.clone() }, machine))
}

fn put_guard(page: TerminalPage, args: &InitArgs, machine: &PersonMachine) -> io::Result<ExitCode> {
    let command = hook_command(args, machine)?;
    let mut files = Vec::new();
    for agent in choose_guarded(page, args, machine)? {
        if let Some(plugin) = agent.profile.installed_plugin(machine, &args.dir) {
            page.write_line(format!(
                "{} is guarded already by its plugin ({}). For hooks of your settings instead, {}.",
                agent.title(),
                plugin.file,
                plugin.removal()
            ))?;
            continue;
        }
        match other_guard(args, machine, agent) {
            Some(other) => {
                let user = if args.user { "" } else { " --user" };
                page.write_line(format!(
                    "{} is guarded already by {}. A second hook would ask about each edit twice: first take that one \
                     out, with `wherefore init --guard --remove{user}`.",
                    agent.title(),
                    other.name
                ))?;
            }
            None => files.extend(files_to_write(args, machine, agent).map(|file| (agent, file))),
        }
    }
    let program = super::own_path()?;
    let hooks: Vec<_> = files.iter().map(|(agent, file)| plan::put_hooks(*agent, file, &command)).collect();
    // Without its hook an agent needs no policy.
    let hooked = files.iter().zip(&hooks).filter(|(_, hook)| hook.is_ok()).map(|((agent, _), _)| *agent);
    let policies = hooked.filter_map(|agent| Some((agent, policy::policy_file(agent, machine)?)));
    let policies = policies.map(|(agent, file)| policy::put_policy(agent, &file, &program));
    // Files that need no change are listed for the hooks only.
    let policies = policies.filter(|plan| plan.as_ref().map_or(true, |plan| plan.act != PlannedAct::Nothing));
    let policies: Vec<_> = policies.collect();
    let (plans, mut failed) = collect_plans(hooks.into_iter().chain(policies));
    let of = |act: PlannedAct| plans.iter().filter(move |plan| plan.act == act);
    of(PlannedAct::Nothing).try_for_each(|plan| {
        page.write_line(format!(
            "{} sends its own tools through wherefore already ({}).",
            plan.agent, plan.name
        ))
    })?;
    let (new, plans): (Vec<_>, Vec<_>) = plans.into_iter().partition(|plan| plan.act == PlannedAct::Add);
    let mut agreed = Vec::new();
    if !new.is_empty() {
        page.write_line(
            "This sends the agents' own edits, commands and reads through wherefore: you review each edit before it is \
             written, commands run in a sandbox, and what your rules close is not read.",
        )?;
        agreed = ask::ask_about_groups(page, args, group_by_agent(new), "write")?;
        if agreed.is_empty() {
            page.write_line(
                "Nothing is written. `wherefore init --guard --yes` writes it; `--diff` shows each line.",
            )?;
            return Ok(exit_code(failed));
        }
    }
    let agreed = agreed.into_iter().flat_map(|group| group.plans).collect::<Vec<_>>();
    let done: Vec<&FilePlan> =
        agreed.iter().filter(|plan| try_carry_out(plan, &args.dir, &mut failed)).collect();
    if !done.is_empty() {
        page.write_line(format!("Written: {}.", list_names(&done)))?;
    }
    // A hook of the person's own needs no trust in a folder.
    let next = |plan: &FilePlan| if args.user { "runs it from its next start" } else { plan.next };
    let mut named: Vec<&FilePlan> = done.clone();
    named.dedup_by_key(|plan| plan.agent);
    named.iter().try_for_each(|plan| page.write_line(format!("  {} {}.", plan.agent, next(plan))))?;
    let there: Vec<&Path> = plans.iter().chain(&agreed).map(|plan| plan.path.as_path()).collect();
    failed |= trust_hooks(page, args, machine, &there)?;
    if !done.is_empty() {
        explain_missing(page, &command)?;
    }
    if !there.is_empty() {
        page.write_line("`wherefore doctor` tries each hook, and says what still goes past it.")?;
    }
    Ok(exit_code(failed))
}

fn remove_guard(page: TerminalPage, args: &InitArgs, machine: &PersonMachine) -> io::Result<ExitCode> {
    let taken = agents_to_remove(args).flat_map(|agent| {
        let of = |file: HookFile| {
            let settings = trust_settings(machine, agent);
            let trust = settings.map(|settings| trust::take_hashes(agent, &settings, &file));
            [Some(plan::take_hooks(agent, &file)), trust].into_iter().flatten().filter_map(Result::transpose)
        };
        let files = hook_files(args, machine, agent);
        let is_guarded = files.iter().any(|file| has_hooks(agent, file));
        let policy = policy::policy_file(agent, machine).filter(|_| is_guarded);
        let policy = policy.and_then(|file| policy::take_policy(agent, &file).transpose());
        files.into_iter().flat_map(of).chain(policy).collect::<Vec<_>>()
    });
    let (plans, mut failed) = collect_plans(taken);
    if plans.is_empty() {
        let hint = match args.user {
            true => "`--user` looks at your own settings alone",
            false => "`--user` looks at your own settings",
        };
        page.write_line(format!("No agent's file has a hook of wherefore: nothing to remove ({hint})."))?;
        return Ok(exit_code(failed));
    }
    let agreed = ask::ask_about_groups(page, args, group_by_agent(plans), "remove")?;
    if agreed.is_empty() {
        page.write_line("Nothing is removed. `wherefore init --guard --remove --yes` removes it; `--diff` shows each line.")?;
        return Ok(exit_code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| try_carry_out(plan, &args.dir, &mut failed));
    page.write_line(format!(
        "Taken out of {}. What these agents do with their own tools goes past wherefore.",
        list_names(&done)
    ))?;
    Ok(exit_code(failed))
}

/// The agents whose hooks are to be removed: those that are named, else all.
fn agents_to_remove(args: &InitArgs) -> impl Iterator<Item = HookAgent> {
    let is_meant =
        |agent: &HookAgent| args.agents.as_ref().is_none_or(|named| includes_agent(named, agent.profile));
    HookAgent::all().filter(is_meant)
}

/// The plans by their agents.
fn group_by_agent(plans: Vec<FilePlan>) -> Vec<PlanGroup> {
    let mut groups: Vec<PlanGroup> = Vec::new();
    for plan in plans {
        match groups.iter_mut().find(|group| group.name == plan.agent) {
            Some(group) => group.plans.push(plan),
            None => groups.push(PlanGroup { name: plan.agent.to_owned(), plans: vec![plan] }),
        }
    }
    groups
}

/// The agents to guard: the named ones, or else those that are found. Reports the named ones that have no hooks.
fn choose_guarded(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
) -> io::Result<Vec<HookAgent>> {
    let is_meant = |agent: &HookAgent| match &args.agents {
        Some(named) => includes_agent(named, agent.profile),
        None => agent.profile.is_found(machine, &args.dir),
    };
    let chosen: Vec<HookAgent> = HookAgent::all().filter(is_meant).collect();
    for choice in args.agents.iter().flatten() {
        if let AgentChoice::One(agent) = choice
            && agent.hooks.is_none()
        {
            page.write_line(format!("{} runs no hooks: its own tools go past wherefore.", agent.title))?;
        }
    }
    if chosen.is_empty() && args.agents.is_none() {
        page.write_line("No agent that runs hooks is found here. `--agents` names those to set up.")?;
    }
    Ok(chosen)
}

/// The files that may hold an agent's hooks, in the chosen settings.
fn hook_files(args: &InitArgs, machine: &PersonMachine, agent: HookAgent) -> Vec<HookFile> {
    match args.user {
        true => agent.of_person(machine).into_iter().collect(),
        false => agent.of_project(&args.dir),
    }
}

/// The file that holds an agent's hooks: the one that has some of wherefore's, or else the usual one.
fn hook_file(args: &InitArgs, machine: &PersonMachine, agent: HookAgent) -> Option<HookFile> {
    let files = hook_files(args, machine, agent);
    files.iter().find(|file| has_hooks(agent, file)).or(files.first()).cloned()
}

/// The files that an agent's hooks are written to: usually one.
fn files_to_write(
    args: &InitArgs,
    machine: &PersonMachine,
    agent: HookAgent,
) -> impl Iterator<Item = HookFile> + use<> {
    let usual = hook_file(args, machine, agent);
    let linked = agent.for_linked_trees(&args.dir).filter(|_| !args.user);
    let linked = linked.filter(|linked| usual.as_ref().is_none_or(|usual| usual.path != linked.path));
    usual.into_iter().chain(linked)
}

/// The file that already guards the agent: in the person's settings instead of the project's, or the reverse. A second
/// hook would ask the person twice about each edit.
fn other_guard(args: &InitArgs, machine: &PersonMachine, agent: HookAgent) -> Option<HookFile> {
    let others = match args.user {
        true => agent.of_project(&args.dir),
        false => agent.of_person(machine).into_iter().collect(),
    };
    others.into_iter().find(|file| has_hooks(agent, file))
}

fn has_hooks(agent: HookAgent, file: &HookFile) -> bool {
    plan::hook_commands(agent, file).is_ok_and(|commands| !commands.is_empty())
}

/// The command of the hooks. A name on the PATH suits every machine; if it does not lead to this program, the program's
/// path is used.
fn hook_command(args: &InitArgs, machine: &PersonMachine) -> io::Result<HookCommand> {
    let program = match args.absolute || !super::is_on_path(machine)? {
        true => super::own_path()?,
        false => PROGRAM.to_owned(),
    };
    Ok(HookCommand { program, refuse: when_away(args) == WhenAway::Deny, is_of_plugin: false })
}

/// The setting for calls while no server can be reached. A project's settings apply if its hooks do.
fn when_away(args: &InitArgs) -> WhenAway {
    let root = (!args.user).then_some(args.dir.as_path());
    config::settings_at(root).native.when_away
}

/// Prints what an agent does if the program is missing: its hook cannot read the settings then.
fn explain_missing(page: TerminalPage, command: &HookCommand) -> io::Result<()> {
    page.write_line(match command.refuse {
        true => "Where `wherefore` is missing, the agents' own tools are refused: `[native] when_away` is \"deny\".",
        false => "Where `wherefore` is missing, the agents' own rules decide (`[native] when_away = \"deny\"` refuses).",
    })
}

/// The settings file in which an agent (Codex) keeps the hooks that are trusted.
fn trust_settings(machine: &PersonMachine, agent: HookAgent) -> Option<HookFile> {
    (agent.setup.trust == HookTrust::Hashes).then(|| agent.person_file(machine, "config.toml")).flatten()
}

/// Makes Codex trust the written hooks. Returns whether that failed.
fn trust_hooks(
    page: TerminalPage,
    args: &InitArgs,
    machine: &PersonMachine,
    there: &[&Path],
) -> io::Result<bool> {
    let with_settings = |agent| Some((agent, trust_settings(machine, agent)?));
    let Some((codex, settings)) = HookAgent::all().find_map(with_settings) else { return Ok(false) };
    let Some(file) = hook_file(args, machine, codex) else { return Ok(false) };
    if there.iter().all(|path| *path != file.path) {
        return Ok(false);
    }
    let by_hand = "Codex runs the hook once you trust it: start `codex` in this folder. It asks whether you trust the folder, then \
         the hook; later its screen /hooks does.";
    let program = codex.profile.find_program(machine);
    let hooks = program.map(|program| trust::list_hooks(codex, &program, &args.dir, &file));
    let hooks = match hooks {
        Some(Ok(hooks)) if !hooks.is_empty() => hooks,
        Some(Err(problem)) => {
            report_problem(&problem.to_string());
            return page.write_line(by_hand).map(|()| false);
        }
        _ => return page.write_line(by_hand).map(|()| false),
    };
    let new: Vec<_> = hooks.into_iter().filter(|hook| !hook.is_trusted()).collect();
    if new.is_empty() {
        return Ok(false);
    }
    let (plans, mut failed) = collect_plans(std::iter::once(trust::put_hashes(&settings, &new)));
    if failed {
        page.write_line(by_hand)?;
    }
    if plans.is_empty() {
        return Ok(failed);
    }
    page.write_line(format!("\n{}\n", trust::EXPLAINED))?;
    if !args.diff {
        plans.iter().try_for_each(|plan| ask::show_diff(page, plan))?;
    }
    let agreed = ask::ask_about_groups(page, args, group_by_agent(plans), "trust these hooks")?;
    if agreed.is_empty() {
        page.write_line(by_hand)?;
    }
    for plan in agreed.iter().flat_map(|group| &group.plans) {
        if try_carry_out(plan, Path::new(""), &mut failed) {
            page.write_line(format!("Written: {}.", plan.name))?;
        }
    }
    Ok(failed)
}

#[cfg(test)]
mod tests;
