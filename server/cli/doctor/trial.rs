//! A hook run as its agent would run it: for an edit, a command and a read, in a folder of its own.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::agents::{PATIENCE, output_of};
use crate::agents::{HookAgent, SampleCall, ShellPlace};
use crate::workspace::config;

/// The output of the test command.
const MARK: &str = "wherefore-doctor-was-here";
/// The sandboxes of an agent (Codex) that are tried where its settings name none: it runs in the first one with nobody there,
/// and its screen in the second one where the folder is trusted.
const SANDBOXES: [&str; 2] = ["read-only", "workspace-write"];
/// The event name in a command of Copilot's that runs after a call.
const AFTER: &str = "postToolUse";
/// The settings of the folder: no edit in it waits for the person.
const SETTINGS: &str = "[review]\npolicy = \"deny\"\n";

/// Tries a hook's command: an edit and a read of a closed file have to be refused, and a command has to run. An agent
/// with a sandbox is tried in the one that its settings name.
///
/// # Errors
/// The unexpected behaviour of the hook, as the end of a sentence that begins with the hook.
pub(super) fn try_hook(agent: HookAgent, command: &str, sandbox: Option<&str>) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("could not be tried: {error}");
    let trial = HookTrial::new().map_err(cannot)?;
    if command.contains(AFTER) {
        // A hook that runs after a call refuses nothing: only its answer can be checked.
        return trial.run_hook(agent, command, SampleCall::Read(&trial.file_path("read.txt"))).map(drop);
    }
    let sandboxes = match sandbox {
        Some(sandbox) => vec![sandbox],
        None if agent.shell.place == ShellPlace::BySandbox => SANDBOXES.to_vec(),
        None => vec![SANDBOXES[1]],
    };
    for sandbox in sandboxes {
        trial.write_turn(sandbox).map_err(cannot)?;
        trial.try_command(agent, command, sandbox)?;
    }
    for (what, call) in [
        ("an edit", SampleCall::Edit(&trial.file_path("read.txt"))),
        ("a read of a closed file", SampleCall::Read(&trial.file_path(".env"))),
    ] {
        let Some(answer) = trial.run_hook(agent, command, call)? else { continue };
        if !is_refusal(&answer) {
            return Err(format!("lets {what} go on that has to be refused"));
        }
    }
    Ok(())
}

/// Returns whether an answer refuses a call, in the form of any agent.
fn is_refusal(answer: &Value) -> bool {
    let inner = &answer["hookSpecificOutput"];
    let decisions = [
        &inner["permissionDecision"],
        &answer["permissionDecision"],
        &answer["decision"],
        &answer["verdict"],
    ];
    decisions.iter().any(|decision| **decision == "deny")
}

/// The command line by which an answer replaces the original one.
fn rewritten_command(answer: &Value) -> Option<&str> {
    let inner = &answer["hookSpecificOutput"];
    let arguments = [&inner["updatedInput"], &inner["tool_input"], &answer["modifiedArgs"], &answer["args"]];
    arguments.into_iter().find_map(|arguments| arguments["command"].as_str())
}

/// A folder with a file to edit and a closed one. It has state and sockets of its own, so that a trial leaves nothing
/// behind and does not reach a server of the person's.
struct HookTrial {
    folder: tempfile::TempDir,
}

impl HookTrial {
    fn new() -> std::io::Result<Self> {
        let trial = Self { folder: tempfile::Builder::new().prefix("wherefore-doctor-").tempdir()? };
        fs::write(trial.file_path("read.txt"), "a line\n")?;
        fs::write(trial.file_path(".env"), "TOKEN=none\n")?;
        fs::create_dir(trial.file_path(".wherefore"))?;
        fs::write(trial.file_path(".wherefore/config.toml"), SETTINGS)?;
        // A runtime folder that is not there, or that others may write, would not be used.
        fs::DirBuilder::new().mode(0o700).create(trial.private_dir())?;
        Ok(trial)
    }

    fn file_path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn private_dir(&self) -> PathBuf {
        self.file_path("own")
    }

    /// The file in which an agent would record the sandbox of a turn.
    fn turn_file(&self) -> PathBuf {
        self.private_dir().join("turn.jsonl")
    }

    fn write_turn(&self, sandbox: &str) -> std::io::Result<()> {
        let payload = json!({ "turn_id": "doctor", "sandbox_policy": { "type": sandbox } });
        fs::write(self.turn_file(), format!("{}\n", json!({ "type": "turn_context", "payload": payload })))
    }

    /// A program that finds this folder's state and sockets alone.
    fn shell_command(&self, script: &str) -> Command {
        let mut run = Command::new("sh");
        run.args(["-c", script]).current_dir(self.folder.path());
        for variable in ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
            run.env(variable, self.private_dir());
        }
        run
    }

    fn try_command(&self, agent: HookAgent, command: &str, sandbox: &str) -> Result<(), String> {
        let script = format!("echo {MARK}");
        let Some(answer) = self.run_hook(agent, command, SampleCall::Command(&script))? else {
            return Ok(());
        };
        let whose = if agent.shell.place == ShellPlace::BySandbox {
            format!(" in its sandbox {sandbox}")
        } else {
            String::new()
        };
        let text = match rewritten_command(&answer) {
            Some(script) => {
                output_of(self.shell_command(script), "").map(|(_, text)| text).unwrap_or_default()
            }
            // The command was left to the agent, as the person's settings require.
            None if answer.is_null() && !config::settings_at(Some(self.folder.path())).native.confine => {
                return Ok(());
            }
            None => answer.to_string(),
        };
        let ran =
            text.contains(MARK) && (rewritten_command(&answer).is_some() || text.contains("exit code 0"));
        if ran { Ok(()) } else { Err(format!("runs no command{whose}: {}", shorten_text(&text))) }
    }

    /// The hook's answer to a call; none if the agent has no such tool.
    fn run_hook(
        &self,
        agent: HookAgent,
        command: &str,
        call: SampleCall<'_>,
    ) -> Result<Option<Value>, String> {
        let Some(message) = agent.sample_message(self.folder.path(), &self.turn_file(), call) else {
            return Ok(None);
        };
        let said = output_of(self.shell_command(command), &message.to_string());
        let said = said.ok_or_else(|| format!("did not answer in {} s", PATIENCE.as_secs()))?;
        match said {
            (Some(127), _) => Err(format!("runs a program that is not there: {command}")),
            (Some(0), text) if text.trim().is_empty() => Ok(Some(Value::Null)),
            (Some(0), text) => match serde_json::from_str::<Value>(&text) {
                Ok(answer @ Value::Object(_)) => Ok(Some(answer)),
                _ => Err("answers what the agent cannot read".to_owned()),
            },
            (code, _) => {
                Err(format!("ended with {}", code.map_or("a signal".to_owned(), |code| code.to_string())))
            }
        }
    }
}

/// The beginning of a text, on one line.
fn shorten_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

impl Drop for HookTrial {
    /// Ends the server that the hook started here; it would wait a minute for another client.
    fn drop(&mut self) {
        let entries = fs::read_dir(self.private_dir().join("wherefore")).into_iter().flatten().flatten();
        let said = entries.filter_map(|entry| fs::read(entry.path()).ok());
        let servers = said.filter_map(|said| serde_json::from_slice::<Value>(&said).ok());
        for server in servers {
            let pid = server["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agents_refusal_and_rewritten_command_are_seen() {
        for (answer, refuses, command) in [
            (json!({ "hookSpecificOutput": { "permissionDecision": "deny" } }), true, None),
            (json!({ "permissionDecision": "deny" }), true, None),
            (json!({ "decision": "deny", "reason": "no" }), true, None),
            (json!({ "verdict": "deny", "told": "no" }), true, None),
            (
                json!({ "hookSpecificOutput": { "permissionDecision": "allow", "updatedInput": { "command": "c" } } }),
                false,
                Some("c"),
            ),
            (
                json!({ "decision": "allow", "hookSpecificOutput": { "tool_input": { "command": "c" } } }),
                false,
                Some("c"),
            ),
            (json!({ "permissionDecision": "allow", "modifiedArgs": { "command": "c" } }), false, Some("c")),
            (json!({ "verdict": "rewrite", "args": { "command": "c" } }), false, Some("c")),
            (Value::Null, false, None),
        ] {
            assert_eq!((is_refusal(&answer), rewritten_command(&answer)), (refuses, command), "{answer}");
        }
    }
}
