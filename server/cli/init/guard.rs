//! `wherefore init --guard`: hooks that send an agent's own edits, commands and reads through wherefore.

pub(in crate::cli) mod command;
pub(in crate::cli) mod forms;
pub(in crate::cli) mod plan;
pub(in crate::cli) mod trust;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use self::command::HookCommand;
use self::forms::{GUARDED, GuardedAgent, HookFile};
use super::agents::{AGENTS, Id, Machine};
use super::ask::{self, PlanGroup};
use super::plan::{Act, FilePlan};
use super::{InitArgs, PROGRAM, TerminalPage, carried_out, code, listed, names, sorted, told};
use crate::protocol::WhenAway;
use crate::workspace::config;

/// Shows the hooks that would be written or removed, asks, and does it.
pub(super) fn run(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    if args.remove { remove(page, args, machine) } else { put(page, args, machine) }
}

/// Whether a file of the agents that are meant has hooks of ours, where the person chose.
pub(super) fn is_there(args: &InitArgs, machine: &Machine) -> bool {
    meant(args).any(|agent| files(args, machine, agent).iter().any(|file| has_hooks(agent, file)))
}

fn put(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let command = command(args, machine)?;
    let mut files = Vec::new();
    for agent in chosen(page, args, machine)? {
        match elsewhere(args, machine, agent) {
            Some(other) => {
                let user = if args.user { "" } else { " --user" };
                page.line(format!(
                    "{} is guarded already by {}. A second hook would ask about each edit twice: first take that one \
                     out, with `wherefore init --guard --remove{user}`.",
                    agent.name(),
                    other.name
                ))?;
            }
            None => files.extend(file(args, machine, agent).map(|file| (agent, file))),
        }
    }
    let (plans, mut failed) = sorted(files.iter().map(|(agent, file)| plan::put(agent, file, &command)));
    let of = |act: Act| plans.iter().filter(move |plan| plan.act == act);
    of(Act::Nothing).try_for_each(|plan| {
        page.line(format!("{} sends its own tools through wherefore already ({}).", plan.agent, plan.name))
    })?;
    let (new, plans): (Vec<_>, Vec<_>) = plans.into_iter().partition(|plan| plan.act == Act::Add);
    let mut agreed = Vec::new();
    if !new.is_empty() {
        missing(page, &command)?;
        agreed = ask::agreed(page, args, grouped(new), "write")?;
        if agreed.is_empty() {
            page.line(
                "Nothing is written. `wherefore init --guard --yes` writes it; `--diff` shows each line.",
            )?;
            return Ok(code(failed));
        }
    }
    let agreed = agreed.into_iter().flat_map(|group| group.plans).collect::<Vec<_>>();
    let done: Vec<&FilePlan> =
        agreed.iter().filter(|plan| carried_out(plan, &args.dir, &mut failed)).collect();
    if !done.is_empty() {
        page.line(format!("Written: {}.", listed(&done)))?;
    }
    // A hook of the person's own needs no trust in a folder.
    let next = |plan: &FilePlan| if args.user { "runs it from its next start" } else { plan.next };
    done.iter().try_for_each(|plan| page.line(format!("  {} {}.", plan.agent, next(plan))))?;
    let there: Vec<&Path> = plans.iter().chain(&agreed).map(|plan| plan.path.as_path()).collect();
    failed |= trusted(page, args, machine, &there)?;
    if !there.is_empty() {
        page.line("`wherefore doctor` tries each hook, and says what still goes past it.")?;
    }
    Ok(code(failed))
}

fn remove(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<ExitCode> {
    let taken = meant(args).flat_map(|agent| {
        let of = |file: HookFile| {
            let settings = codex_settings(machine).filter(|_| agent.id == Id::Codex);
            let trust = settings.map(|settings| trust::take(agent, &settings, &file));
            [Some(plan::take(agent, &file)), trust].into_iter().flatten().filter_map(Result::transpose)
        };
        files(args, machine, agent).into_iter().flat_map(of).collect::<Vec<_>>()
    });
    let (plans, mut failed) = sorted(taken);
    if plans.is_empty() {
        let hint = match args.user {
            true => "`--user` looks at your own settings alone",
            false => "`--user` looks at your own settings",
        };
        page.line(format!("No agent's file has a hook of wherefore: nothing to remove ({hint})."))?;
        return Ok(code(failed));
    }
    let agreed = ask::agreed(page, args, grouped(plans), "remove")?;
    if agreed.is_empty() {
        page.line("Nothing is removed. `wherefore init --guard --remove --yes` removes it; `--diff` shows each line.")?;
        return Ok(code(failed));
    }
    let mut done: Vec<&FilePlan> = agreed.iter().flat_map(|group| &group.plans).collect();
    done.retain(|plan| carried_out(plan, &args.dir, &mut failed));
    page.line(format!(
        "Taken out of {}. What these agents do with their own tools goes past wherefore.",
        listed(&done)
    ))?;
    Ok(code(failed))
}

/// The agents whose hooks are to be removed: those that are named, else all.
fn meant(args: &InitArgs) -> impl Iterator<Item = &'static GuardedAgent> {
    GUARDED.iter().filter(|agent| args.agents.as_ref().is_none_or(|named| names(named, agent.id)))
}

/// The plans by their agents.
fn grouped(plans: Vec<FilePlan>) -> Vec<PlanGroup> {
    let mut groups: Vec<PlanGroup> = Vec::new();
    for plan in plans {
        match groups.iter_mut().find(|group| group.name == plan.agent) {
            Some(group) => group.plans.push(plan),
            None => groups.push(PlanGroup { name: plan.agent.to_owned(), plans: vec![plan] }),
        }
    }
    groups
}

/// The agents to guard: those that are named, else those that are found. Says which of those named have no hooks.
fn chosen(page: TerminalPage, args: &InitArgs, machine: &Machine) -> io::Result<Vec<&'static GuardedAgent>> {
    let is_found =
        |agent: &GuardedAgent| agent.program().is_some_and(|program| program.is_found(machine, &args.dir));
    let is_meant = |agent: &&GuardedAgent| match &args.agents {
        Some(named) => names(named, agent.id),
        None => is_found(agent),
    };
    let chosen: Vec<&GuardedAgent> = GUARDED.iter().filter(is_meant).collect();
    for id in args.agents.iter().flatten() {
        let agent = AGENTS.iter().find(|agent| agent.id == *id);
        if let Some(agent) = agent.filter(|_| GUARDED.iter().all(|guarded| guarded.id != *id)) {
            page.line(format!("{} runs no hooks: its own tools go past wherefore.", agent.name))?;
        }
    }
    if chosen.is_empty() && args.agents.is_none() {
        page.line("No agent that runs hooks is found here. `--agents` names those to set up.")?;
    }
    Ok(chosen)
}

/// The files that may hold an agent's hooks where the person chose.
fn files(args: &InitArgs, machine: &Machine, agent: &GuardedAgent) -> Vec<HookFile> {
    match args.user {
        true => agent.of_person(machine).into_iter().collect(),
        false => agent.of_project(&args.dir),
    }
}

/// The file that holds an agent's hooks: the one that has some of ours, else the usual one.
fn file(args: &InitArgs, machine: &Machine, agent: &GuardedAgent) -> Option<HookFile> {
    let files = files(args, machine, agent);
    files.iter().find(|file| has_hooks(agent, file)).or(files.first()).cloned()
}

/// Where the agent is guarded already: in the person's settings instead of the project's, or the other way round. A
/// second hook would ask the person about each edit twice.
fn elsewhere(args: &InitArgs, machine: &Machine, agent: &GuardedAgent) -> Option<HookFile> {
    let others = match args.user {
        true => agent.of_project(&args.dir),
        false => agent.of_person(machine).into_iter().collect(),
    };
    others.into_iter().find(|file| has_hooks(agent, file))
}

fn has_hooks(agent: &GuardedAgent, file: &HookFile) -> bool {
    plan::commands(agent, file).is_ok_and(|commands| !commands.is_empty())
}

/// How hooks start us. A name on the PATH suits every machine; where it does not lead to this program, its path does.
fn command(args: &InitArgs, machine: &Machine) -> io::Result<HookCommand> {
    let program = match args.absolute || !super::is_on_path(machine)? {
        true => super::absolute()?,
        false => PROGRAM.to_owned(),
    };
    Ok(HookCommand { program, refuse: when_away(args) == WhenAway::Deny })
}

/// What the settings say of a call where no server can be had. A project's settings count where its hooks do.
fn when_away(args: &InitArgs) -> WhenAway {
    let root = (!args.user).then_some(args.dir.as_path());
    config::at(root).native.when_away
}

/// Says what an agent does where the program is missing: its hook cannot read our settings then.
fn missing(page: TerminalPage, command: &HookCommand) -> io::Result<()> {
    page.line(match command.refuse {
        true => "Where `wherefore` is missing, the agents' own tools are refused: `[native] when_away` is \"deny\".",
        false => "Where `wherefore` is missing, the agents' own rules decide (`[native] when_away = \"deny\"` refuses).",
    })
}

/// Codex's settings file, which keeps the hooks that are trusted.
fn codex_settings(machine: &Machine) -> Option<HookFile> {
    let codex = GUARDED.iter().find(|agent| agent.id == Id::Codex)?;
    let hooks = codex.of_person(machine)?;
    let path = hooks.top.join("config.toml");
    Some(HookFile { name: hooks.name.replace("hooks.json", "config.toml"), path, top: hooks.top })
}

/// Has Codex trust the hooks that were written. Answers whether that failed.
fn trusted(page: TerminalPage, args: &InitArgs, machine: &Machine, there: &[&Path]) -> io::Result<bool> {
    let Some(codex) = GUARDED.iter().find(|agent| agent.id == Id::Codex) else { return Ok(false) };
    let (Some(file), Some(settings)) = (file(args, machine, codex), codex_settings(machine)) else {
        return Ok(false);
    };
    if there.iter().all(|path| *path != file.path) {
        return Ok(false);
    }
    let by_hand = "Codex runs the hook once you trust it: start `codex` in this folder. It asks whether you trust the folder, then \
         the hook; later its screen /hooks does.";
    let program = codex.program().and_then(|agent| agent.program(machine));
    let hooks = program.map(|program| trust::listed(&program, &args.dir, &file));
    let hooks = match hooks {
        Some(Ok(hooks)) if !hooks.is_empty() => hooks,
        Some(Err(problem)) => {
            told(&problem.to_string());
            return page.line(by_hand).map(|()| false);
        }
        _ => return page.line(by_hand).map(|()| false),
    };
    let new: Vec<_> = hooks.into_iter().filter(|hook| !hook.is_trusted()).collect();
    if new.is_empty() {
        return Ok(false);
    }
    let (plans, mut failed) = sorted(std::iter::once(trust::put(&settings, &new)));
    if failed {
        page.line(by_hand)?;
    }
    if plans.is_empty() {
        return Ok(failed);
    }
    page.line(format!("\n{}\n", trust::EXPLAINED))?;
    if !args.diff {
        plans.iter().try_for_each(|plan| ask::diff(page, plan))?;
    }
    let agreed = ask::agreed(page, args, grouped(plans), "trust these hooks")?;
    if agreed.is_empty() {
        page.line(by_hand)?;
    }
    for plan in agreed.iter().flat_map(|group| &group.plans) {
        if carried_out(plan, Path::new(""), &mut failed) {
            page.line(format!("Written: {}.", plan.name))?;
        }
    }
    Ok(failed)
}

#[cfg(test)]
mod tests;
