//! Whether the own edits, commands and reads of each agent found come through wherefore, tried by a dry run.

use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Check;
use crate::cli::init::agents::{Id, Machine};
use crate::cli::init::guard::forms::{GUARDED, GuardedAgent, HookFile};
use crate::cli::init::guard::{plan, trust};

/// How long a hook, or an agent that is asked for its version, may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// The longest answer that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// One check for each agent that is found and runs hooks. They run at once: some agents take seconds to say a version.
pub(super) fn checks() -> Vec<Check> {
    let machine = Machine::here();
    let dir = Path::new(".");
    let is_found =
        |agent: &&GuardedAgent| agent.program().is_some_and(|program| program.is_found(&machine, dir));
    let found: Vec<&'static GuardedAgent> = GUARDED.iter().filter(is_found).collect();
    thread::scope(|scope| {
        let running: Vec<_> =
            found.iter().map(|agent| (*agent, scope.spawn(|| check(agent, &machine, dir)))).collect();
        let failed =
            |agent: &GuardedAgent| Check::lacking(agent.name(), "it could not be checked", "Run it again.");
        running.into_iter().map(|(agent, check)| check.join().unwrap_or_else(|_| failed(agent))).collect()
    })
}

fn check(agent: &'static GuardedAgent, machine: &Machine, dir: &Path) -> Check {
    let name = agent.name();
    let program = agent.program().and_then(|known| known.program(machine));
    let version =
        program.as_deref().and_then(version).map(|version| format!("{version}: ")).unwrap_or_default();
    let lacking = |found: &str, mend: &str| Check::lacking(name, format!("{version}{found}"), mend);
    let hooks = match hooks(agent, machine, dir) {
        Ok(hooks) => hooks,
        Err(problem) => {
            return Check::broken(name, problem, "Mend the file, then run `wherefore init --guard`.");
        }
    };
    let Some((file, commands)) = hooks.first() else {
        let mend = "`wherefore init --guard` sends them through wherefore; `--user` does for every project.";
        return lacking("its own edits, commands and reads go past wherefore", mend);
    };
    if let [_, (other, _), ..] = hooks.as_slice() {
        let found = format!("each call is sent twice, by {} and by {}", file.name, other.name);
        return lacking(&found, "Take one out: `wherefore init --guard --remove`, with `--user` or without.");
    }
    if let Some(setting) = switched_off(agent, machine, dir) {
        return lacking(&format!("{setting} turns hooks off"), "Take that setting out.");
    }
    if let Err(problem) = commands.iter().try_for_each(|command| dry_run(agent, command)) {
        let found = format!("{version}the hook of {} {problem}", file.name);
        return Check::broken(
            name,
            found,
            "Run `wherefore init --guard` again, with `--user` where the file is yours.",
        );
    }
    if let Some((found, mend)) = untrusted(agent, program.as_deref(), dir, file) {
        return lacking(&found, mend);
    }
    let gap = agent.past.map(|past| format!("Past the hook goes: {past}."));
    Check {
        gap,
        ..Check::well(name, format!("{version}its own {} come through ({})", agent.covered, file.name))
    }
}

/// The files that have hooks of ours, with the commands that these run.
fn hooks(
    agent: &GuardedAgent,
    machine: &Machine,
    dir: &Path,
) -> Result<Vec<(HookFile, Vec<String>)>, String> {
    let mut found = Vec::new();
    for file in agent.of_person(machine).into_iter().chain(agent.of_project(dir)) {
        let commands = plan::commands(agent, &file).map_err(|problem| problem.to_string())?;
        if !commands.is_empty() {
            found.push((file, commands));
        }
    }
    Ok(found)
}

/// The setting of the agent's that turns all hooks off.
fn switched_off(agent: &GuardedAgent, machine: &Machine, dir: &Path) -> Option<String> {
    let files = agent.settings(machine, dir);
    files.into_iter().find_map(|file| {
        let whole = plan::settings(&file)?;
        let off = [
            ("disableAllHooks", whole["disableAllHooks"] == true),
            ("hooksConfig.enabled", whole["hooksConfig"]["enabled"] == false),
        ];
        off.into_iter()
            .find(|(_, is_off)| *is_off)
            .map(|(setting, _)| format!("`{setting}` in {}", file.name))
    })
}

/// What is wrong where Codex does not trust the hook, and how to mend it.
fn untrusted(
    agent: &GuardedAgent,
    program: Option<&Path>,
    dir: &Path,
    file: &HookFile,
) -> Option<(String, &'static str)> {
    let program = program.filter(|_| agent.id == Id::Codex)?;
    let mend =
        "Run `wherefore init --guard` again, or start `codex` here and trust the hook on its screen /hooks.";
    match trust::listed(program, dir, file) {
        Ok(hooks) if hooks.is_empty() => Some((
            "Codex does not trust this folder, so it does not run the hook".to_owned(),
            "Start `codex` here and trust the folder.",
        )),
        Ok(hooks) if hooks.iter().all(trust::ListedHook::is_trusted) => None,
        Ok(_) => Some(("Codex does not trust the hook, and does not run it".to_owned(), mend)),
        Err(problem) => Some((problem.to_string(), mend)),
    }
}

/// Runs the hook as the agent would, for a read of a file in a folder of its own, and looks at the answer.
fn dry_run(agent: &GuardedAgent, command: &str) -> Result<(), String> {
    let trial = Trial::new().map_err(|error| format!("could not be tried: {error}"))?;
    let mut run = Command::new("sh");
    run.args(["-c", command]).current_dir(trial.folder.path());
    for variable in ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
        run.env(variable, trial.own());
    }
    let message = agent.sample(trial.folder.path(), &trial.file()).to_string();
    let said = said(run, &message).ok_or_else(|| format!("did not answer in {} s", PATIENCE.as_secs()))?;
    match said {
        (Some(127), _) => Err(format!("runs a program that is not there: {command}")),
        (Some(0), text) if text.trim().is_empty() => Ok(()),
        (Some(0), text) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(_)) => Ok(()),
            _ => Err("answers what the agent cannot read".to_owned()),
        },
        (code, _) => {
            Err(format!("ended with {}", code.map_or("a signal".to_owned(), |code| code.to_string())))
        }
    }
}

/// A folder with a file to read, with state and sockets of its own: a dry run leaves nothing behind, and no server of
/// the person's hears of it.
struct Trial {
    folder: tempfile::TempDir,
}

impl Trial {
    fn new() -> std::io::Result<Self> {
        let trial = Self { folder: tempfile::Builder::new().prefix("wherefore-doctor-").tempdir()? };
        std::fs::write(trial.file(), "a line\n")?;
        // A runtime folder that is not there, or that others may write, would not be used.
        std::fs::DirBuilder::new().mode(0o700).create(trial.own())?;
        Ok(trial)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("read.txt")
    }

    fn own(&self) -> PathBuf {
        self.folder.path().join("own")
    }
}

impl Drop for Trial {
    /// Ends the server that the hook started here; it would wait a minute for another client.
    fn drop(&mut self) {
        let entries = std::fs::read_dir(self.own().join("wherefore")).into_iter().flatten().flatten();
        let said = entries.filter_map(|entry| std::fs::read(entry.path()).ok());
        let servers = said.filter_map(|said| serde_json::from_slice::<Value>(&said).ok());
        for server in servers {
            let pid = server["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        }
    }
}

/// The version that an agent says.
fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let (_, text) = said(command, "")?;
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.split(|c: char| c.is_whitespace() || c == 'v')
        .find(is_version)
        .map(|word| word.trim_end_matches('.').to_owned())
}

/// The exit code and the output of a program that is given `input`; nothing where it takes too long.
fn said(mut command: Command, input: &str) -> Option<(Option<i32>, String)> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.ok()?;
    let mut stdin = child.stdin.take()?;
    let stdout = child.stdout.take()?;
    // A program that reads nothing breaks the pipe, which is its own affair.
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
