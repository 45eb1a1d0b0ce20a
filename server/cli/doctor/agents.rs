//! Checks by a dry run that each agent's own edits, commands and reads come through wherefore.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::trust::untrusted_folder;
use super::{DoctorCheck, trial};
use crate::agents::{HookAgent, HookTrust};
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::forms::HookFile;
use crate::cli::init::guard::{plan, trust};
use crate::cli::init::plugins;

/// The time limit for a hook, and for an agent that is asked for its version.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// The longest answer that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Runs one check for each agent that is found and has hooks. The checks run in parallel: some agents take seconds to
/// print their version.
pub(super) fn check_agents() -> Vec<DoctorCheck> {
    let machine = PersonMachine::current();
    let dir = Path::new(".");
    let is_found = |agent: &HookAgent| agent.profile.is_found(&machine, dir);
    let found: Vec<HookAgent> = HookAgent::all().filter(is_found).collect();
    thread::scope(|scope| {
        let running: Vec<_> =
            found.iter().map(|agent| (*agent, scope.spawn(|| check_agent(*agent, &machine, dir)))).collect();
        let failed = |agent: HookAgent| {
            DoctorCheck::lacking(agent.title(), "it could not be checked", "Run it again.")
        };
        running.into_iter().map(|(agent, check)| check.join().unwrap_or_else(|_| failed(agent))).collect()
    })
}

fn check_agent(agent: HookAgent, machine: &PersonMachine, dir: &Path) -> DoctorCheck {
    let name = agent.title();
    let program = agent.profile.find_program(machine);
    let said = program.as_deref().and_then(agent_version);
    let version = said.as_ref().map(|version| format!("{version}: ")).unwrap_or_default();
    let lacking = |found: &str, mend: &str| DoctorCheck::lacking(name, format!("{version}{found}"), mend);
    let hooks = match find_hooks(agent, machine, dir) {
        Ok(hooks) => hooks,
        Err(problem) => {
            return DoctorCheck::broken(name, problem, "Mend the file, then run `wherefore init --guard`.");
        }
    };
    if let (true, Some(plugin)) = (hooks.is_empty(), agent.profile.installed_plugin(machine, dir)) {
        return check_plugin(agent, &version, &plugin.file);
    }
    let Some((file, commands)) = hooks.first() else {
        let mend = "`wherefore init --guard` sends them through wherefore; `--user` does for every project.";
        return lacking("its own edits, commands and reads go past wherefore", mend);
    };
    let linked = agent.for_linked_trees(dir);
    let is_twice = |(other, more): &&(HookFile, Vec<String>)| {
        more != commands || linked.as_ref().is_none_or(|linked| linked.path != other.path)
    };
    if let Some((other, _)) = hooks.iter().skip(1).find(is_twice) {
        let found = format!("each call is sent twice, by {} and by {}", file.name, other.name);
        return lacking(&found, "Take one out: `wherefore init --guard --remove`, with `--user` or without.");
    }
    if let Some(setting) = disabling_setting(agent, machine, dir) {
        return lacking(&format!("{setting} turns hooks off"), "Take that setting out.");
    }
    let sandbox = configured_sandbox(agent, program.as_deref(), dir);
    let tried = commands.iter().try_for_each(|command| trial::try_hook(agent, command, sandbox.as_deref()));
    if let Err(problem) = tried {
        let found = format!("{version}the hook of {} {problem}", file.name);
        return DoctorCheck::broken(
            name,
            found,
            "Run `wherefore init --guard` again, with `--user` where the file is yours.",
        );
    }
    if let Some((found, mend)) = untrusted_folder(agent, machine, dir, file) {
        return lacking(&found, &mend);
    }
    if let Some((found, mend)) = trust_problem(agent, program.as_deref(), dir, file) {
        return lacking(&found, mend);
    }
    let past = agent.setup.past.map(|past| format!("Past the hook goes: {past}."));
    let gaps: Vec<String> = untried_version_note(agent, said.as_deref()).into_iter().chain(past).collect();
    let found = format!(
        "{version}its own {} come through ({}): the hook was tried with each{}",
        agent.setup.covered,
        file.name,
        (agent.setup.untested_part)(said.as_deref(), sandbox.as_deref())
    );
    DoctorCheck { gap: Some(gaps.join(" ")).filter(|gap| !gap.is_empty()), ..DoctorCheck::well(name, found) }
}

/// Tries the hooks of an agent's plugin.
fn check_plugin(agent: HookAgent, version: &str, file: &str) -> DoctorCheck {
    let commands = plugins::plugin_commands(agent);
    let tried = commands.iter().try_for_each(|command| trial::try_hook(agent, command, None));
    let name = agent.title();
    match tried {
        Err(problem) => DoctorCheck::broken(
            name,
            format!("{version}the hook of its plugin ({file}) {problem}"),
            "Put `wherefore` on the PATH of the agent, and install the plugin of this version.",
        ),
        Ok(()) => DoctorCheck::well(
            name,
            format!(
                "{version}its own {} come through by its plugin ({file}): the hook was tried with each",
                agent.setup.covered
            ),
        ),
    }
}

/// The sandbox that the agent's settings name, for an agent (Codex) whose server tells.
fn configured_sandbox(agent: HookAgent, program: Option<&Path>, dir: &Path) -> Option<String> {
    let program = program.filter(|_| agent.setup.trust == HookTrust::Hashes)?;
    trust::configured_sandbox(program, dir).ok().flatten()
}

/// The note for a version that the tests never ran.
fn untried_version_note(agent: HookAgent, version: Option<&str>) -> Option<String> {
    let version = version.filter(|version| *version != agent.tried_version)?;
    Some(format!(
        "wherefore was tried with {} {}; yours is {version}, which was not tried.",
        agent.title(),
        agent.tried_version
    ))
}

/// The files that hold hooks of wherefore, with the commands of these hooks.
fn find_hooks(
    agent: HookAgent,
    machine: &PersonMachine,
    dir: &Path,
) -> Result<Vec<(HookFile, Vec<String>)>, String> {
    let mut found = Vec::new();
    for file in agent.of_person(machine).into_iter().chain(agent.of_project(dir)) {
        let commands = plan::hook_commands(agent, &file).map_err(|problem| problem.to_string())?;
        if !commands.is_empty() {
            found.push((file, commands));
        }
    }
    Ok(found)
}

/// The setting of the agent's that turns all hooks off.
fn disabling_setting(agent: HookAgent, machine: &PersonMachine, dir: &Path) -> Option<String> {
    let files = agent.settings_files(machine, dir);
    files.into_iter().find_map(|file| {
        let whole = plan::read_settings(&file)?;
        let off = [
            ("disableAllHooks", whole["disableAllHooks"] == true),
            ("hooksConfig.enabled", whole["hooksConfig"]["enabled"] == false),
        ];
        off.into_iter()
            .find(|(_, is_off)| *is_off)
            .map(|(setting, _)| format!("`{setting}` in {}", file.name))
    })
}

/// The problem if Codex does not trust the hook, and its remedy.
fn trust_problem(
    agent: HookAgent,
    program: Option<&Path>,
    dir: &Path,
    file: &HookFile,
) -> Option<(String, &'static str)> {
    let program = program.filter(|_| agent.setup.trust == HookTrust::Hashes)?;
    let mend =
        "Run `wherefore init --guard` again, or start `codex` here and trust the hook on its screen /hooks.";
    match trust::list_hooks(agent, program, dir, file) {
        Ok(hooks) if hooks.is_empty() => Some((
            "Codex does not trust this folder, so it does not run the hook".to_owned(),
            "Start `codex` here and trust the folder.",
        )),
        Ok(hooks) if hooks.iter().all(trust::ListedHook::is_trusted) => None,
        Ok(_) => Some(("Codex does not trust the hook, and does not run it".to_owned(), mend)),
        Err(problem) => Some((problem.to_string(), mend)),
    }
}

/// The version that an agent prints.
fn agent_version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let (_, text) = output_of(command, "")?;
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.split(|c: char| c.is_whitespace() || c == 'v')
        .find(is_version)
        .map(|word| word.trim_end_matches('.').to_owned())
}

/// The exit code and the output of a program that gets `input`; none if it takes too long.
pub(super) fn output_of(mut command: Command, input: &str) -> Option<(Option<i32>, String)> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.ok()?;
    let mut stdin = child.stdin.take()?;
    let stdout = child.stdout.take()?;
    // A program that does not read its input breaks the pipe, which is no error.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let reader = thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.take(LONGEST).read_to_string(&mut text);
        read.map(|_| text).unwrap_or_default()
    });
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().ok()? {
            return Some((status.code(), reader.join().ok()?));
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
