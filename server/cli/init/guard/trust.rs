//! Codex's trust in the hooks: it runs a hook only if its settings hold the hook's hash, which Codex itself computes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::command::runs_our_hook;
use super::forms::HookFile;
use super::plan::item_places;
use crate::agents::HookAgent;
use crate::cli::init::edit::FileFormat;
use crate::cli::init::error::{PlanError, SettingsEditError};
use crate::cli::init::original;
use crate::cli::init::plan::{FilePlan, PlannedAct, read_text};

/// The time limit for Codex to list its hooks. Its first start on a busy machine takes half a minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// The explanation that a person gets before the hashes are written.
pub(super) const EXPLAINED: &str = "Codex runs a hook only once you trust it. It keeps that as the hook's hash in its \
    settings, as when you trust it on its screen /hooks. These are the hashes of the hooks that you just saw:";

/// A hook as Codex lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct ListedHook {
    key: String,
    command: Option<String>,
    current_hash: String,
    trust_status: String,
    source_path: PathBuf,
}

impl ListedHook {
    /// Returns whether Codex runs it.
    pub(in crate::cli) fn is_trusted(&self) -> bool {
        matches!(self.trust_status.as_str(), "trusted" | "managed")
    }
}

/// The reason why Codex does not list its hooks.
#[derive(Debug, Error)]
pub(in crate::cli) enum TrustError {
    /// It did not start, or its streams broke.
    #[error("Codex does not tell its hooks: {0}")]
    Io(#[from] std::io::Error),
    /// It did not answer in time.
    #[error("Codex has not told its hooks within {} seconds (`codex app-server`, hooks/list)", PATIENCE.as_secs())]
    Late,
    /// It ended, or did not answer in a form that we know.
    #[error("this version of Codex does not tell its hooks (`codex app-server`, hooks/list)")]
    Unknown,
}

/// The wherefore hooks of a file, as Codex lists them for a folder.
///
/// # Errors
/// The reason why Codex does not list them.
pub(in crate::cli) fn list_hooks(
    agent: HookAgent,
    program: &Path,
    dir: &Path,
    file: &HookFile,
) -> Result<Vec<ListedHook>, TrustError> {
    let dir = std::fs::canonicalize(dir)?;
    let mut server = CodexAppServer::start_session(program, &dir)?;
    let answer = server.send_request("hooks/list", &json!({ "cwds": [dir] }))?;
    let hooks =
        answer["data"].as_array().into_iter().flatten().flat_map(|each| each["hooks"].as_array()).flatten();
    let hooks = hooks.map(|hook| ListedHook::deserialize(hook).map_err(|_| TrustError::Unknown));
    let hooks: Vec<ListedHook> = hooks.collect::<Result<_, _>>()?;
    let is_meant = |hook: &ListedHook| {
        hook.command.as_deref().is_some_and(|line| runs_our_hook(line, agent.id()))
            && is_same_file(&hook.source_path, &file.path)
    };
    Ok(hooks.into_iter().filter(is_meant).collect())
}

/// The sandbox that Codex's settings name for a folder; none if they name none.
///
/// # Errors
/// The reason why Codex does not report it.
pub(in crate::cli) fn configured_sandbox(program: &Path, dir: &Path) -> Result<Option<String>, TrustError> {
    let dir = std::fs::canonicalize(dir)?;
    let mut server = CodexAppServer::start_session(program, &dir)?;
    let answer = server.send_request("config/read", &json!({ "includeLayers": false, "cwd": dir }))?;
    Ok(answer["config"]["sandbox_mode"].as_str().map(str::to_owned))
}

/// Returns whether two paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// `codex app-server`, a message a line.
struct CodexAppServer {
    child: Child,
    answers: Receiver<Value>,
    asked: u64,
}

impl CodexAppServer {
    fn start_process(program: &Path, dir: &Path) -> Result<Self, TrustError> {
        let mut command = Command::new(program);
        command.arg("app-server").current_dir(dir);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (sender, answers) = channel();
        let lines = child.stdout.take().map(BufReader::new);
        thread::spawn(move || {
            let messages = lines.into_iter().flat_map(BufRead::lines).map_while(Result::ok);
            for message in messages.filter_map(|line| serde_json::from_str(&line).ok()) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, answers, asked: 0 })
    }

    /// Starts a server and introduces this client.
    fn start_session(program: &Path, dir: &Path) -> Result<Self, TrustError> {
        let mut server = Self::start_process(program, dir)?;
        let client = json!({ "name": "wherefore", "version": env!("CARGO_PKG_VERSION") });
        server.send_request("initialize", &json!({ "clientInfo": client }))?;
        server.send_message(&json!({ "method": "initialized" }))?;
        Ok(server)
    }

    fn send_message(&mut self, message: &Value) -> Result<(), TrustError> {
        let stdin = self.child.stdin.as_mut().ok_or(TrustError::Unknown)?;
        Ok(stdin.write_all(format!("{message}\n").as_bytes())?)
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Result<Value, TrustError> {
        self.asked += 1;
        self.send_message(&json!({ "id": self.asked, "method": method, "params": params }))?;
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut message = self.answers.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => TrustError::Late,
                RecvTimeoutError::Disconnected => TrustError::Unknown,
            })?;
            if message["id"] == self.asked && message.get("method").is_none() {
                return message.get_mut("result").map(Value::take).ok_or(TrustError::Unknown);
            }
        }
    }
}

impl Drop for CodexAppServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the hashes of hooks into Codex's settings.
///
/// # Errors
/// The reason why the file cannot be read or changed, with its name.
pub(super) fn put_hashes(settings: &HookFile, hooks: &[ListedHook]) -> Result<FilePlan, PlanError> {
    let before = read_text(&settings.path, &settings.name)?;
    let mut after = before.clone().unwrap_or_default();
    for hook in hooks {
        let entry = json!({ "trusted_hash": hook.current_hash });
        let put = FileFormat::Toml.put_entry(&after, &["hooks", "state", &hook.key], &entry, &[]);
        after = put.map_err(PlanError::left_unchanged(&settings.name))?;
    }
    Ok(hash_plan(settings, PlannedAct::Add, before, Some(after)))
}

/// Removes the hashes of wherefore's hooks in `file` from Codex's settings; none if they hold none.
///
/// # Errors
/// The reason why a file cannot be read or changed, with its name.
pub(super) fn take_hashes(
    agent: HookAgent,
    settings: &HookFile,
    file: &HookFile,
) -> Result<Option<FilePlan>, PlanError> {
    let (before, hooks) = (read_text(&settings.path, &settings.name)?, read_text(&file.path, &file.name)?);
    let (Some(text), Some(hooks)) = (&before, hooks) else { return Ok(None) };
    let mut after = text.clone();
    for key in hook_keys(agent, text, &hooks, file).map_err(PlanError::left_unchanged(&settings.name))? {
        let taken = FileFormat::Toml.take_entry(&after, &["hooks", "state", &key]);
        after = taken.map_err(PlanError::left_unchanged(&settings.name))?;
    }
    if after == *text {
        return Ok(None);
    }
    let is_bare = FileFormat::Toml.is_bare(&after, &[]);
    let containers: [&[&str]; 1] = [&["hooks", "state"]];
    let after =
        original::text_without_us(&settings.path, text, (after, is_bare), FileFormat::Toml, &containers);
    Ok(Some(hash_plan(settings, PlannedAct::Remove, before, after)))
}

/// The names under which Codex's settings keep our hooks of a file: the file, the event and two places.
fn hook_keys(
    agent: HookAgent,
    settings: &str,
    hooks: &str,
    file: &HookFile,
) -> Result<Vec<String>, SettingsEditError> {
    let known = FileFormat::Toml.read_entry(settings, &["hooks", "state"])?;
    let known =
        known.as_ref().and_then(Value::as_object).map(|known| known.keys().cloned().collect::<Vec<_>>());
    let mut ends = Vec::new();
    for event in agent.hook_events() {
        let places = item_places(agent, hooks, event)?;
        ends.extend(places.iter().map(|at| format!(":{}:{at}:0", snake_case(event))));
    }
    let is_meant = |key: &String| {
        ends.iter()
            .any(|end| key.strip_suffix(end).is_some_and(|path| is_same_file(Path::new(path), &file.path)))
    };
    Ok(known.into_iter().flatten().filter(is_meant).collect())
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn hash_plan(
    settings: &HookFile,
    act: PlannedAct,
    before: Option<String>,
    after: Option<String>,
) -> FilePlan {
    let purpose = match act {
        PlannedAct::Remove => "Codex trusts the hooks no more",
        _ => "Codex trusts the hooks",
    };
    let plan = FilePlan::unchanged("Codex", settings.name.clone(), settings.path.clone(), before);
    FilePlan { next: "runs the hook", purpose: purpose.to_owned(), act, after, ..plan }
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn an_event_is_named_as_codex_does() {
        assert_eq!(snake_case("PreToolUse"), "pre_tool_use");
    }
}
