//! Codex's trust in our hooks: it runs a hook only where its settings hold the hook's hash, which Codex itself tells.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::command::is_ours;
use super::forms::{GuardedAgent, HookFile};
use super::plan::places;
use crate::cli::init::edit::FileFormat;
use crate::cli::init::error::{EditError, PlanError};
use crate::cli::init::plan::{Act, FilePlan, read};

/// How long Codex may take to tell its hooks.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a person is told before the hashes are written.
pub(super) const EXPLAINED: &str = "Codex runs a hook only once you trust it. It keeps that as the hook's hash in its \
    settings, as when you trust it on its screen /hooks. These are the hashes of the hooks that you just saw:";

/// A hook as Codex tells it.
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
    /// Whether Codex runs it.
    pub(in crate::cli) fn is_trusted(&self) -> bool {
        matches!(self.trust_status.as_str(), "trusted" | "managed")
    }
}

/// Why Codex does not tell its hooks.
#[derive(Debug, Error)]
pub(in crate::cli) enum TrustError {
    /// It did not start, or its streams broke.
    #[error("Codex does not tell its hooks: {0}")]
    Io(#[from] std::io::Error),
    /// It did not answer in time, or not in a form that we know.
    #[error("this version of Codex does not tell its hooks (`codex app-server`, hooks/list)")]
    Unknown,
}

/// Our hooks of a file, as Codex tells them for a folder.
///
/// # Errors
/// Why it does not tell.
pub(in crate::cli) fn listed(
    program: &Path,
    dir: &Path,
    file: &HookFile,
) -> Result<Vec<ListedHook>, TrustError> {
    let dir = std::fs::canonicalize(dir)?;
    let mut server = AppServer::start(program, &dir)?;
    server.ask(
        "initialize",
        &json!({ "clientInfo": { "name": "wherefore", "version": env!("CARGO_PKG_VERSION") } }),
    )?;
    server.say(&json!({ "method": "initialized" }))?;
    let answer = server.ask("hooks/list", &json!({ "cwds": [dir] }))?;
    let hooks =
        answer["data"].as_array().into_iter().flatten().flat_map(|each| each["hooks"].as_array()).flatten();
    let hooks = hooks.map(|hook| ListedHook::deserialize(hook).map_err(|_| TrustError::Unknown));
    let hooks: Vec<ListedHook> = hooks.collect::<Result<_, _>>()?;
    let is_meant = |hook: &ListedHook| {
        hook.command.as_deref().is_some_and(|line| is_ours(line, "codex"))
            && is_same(&hook.source_path, &file.path)
    };
    Ok(hooks.into_iter().filter(is_meant).collect())
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// `codex app-server`, a message a line.
struct AppServer {
    child: Child,
    answers: Receiver<Value>,
    asked: u64,
}

impl AppServer {
    fn start(program: &Path, dir: &Path) -> Result<Self, TrustError> {
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

    fn say(&mut self, message: &Value) -> Result<(), TrustError> {
        let stdin = self.child.stdin.as_mut().ok_or(TrustError::Unknown)?;
        Ok(stdin.write_all(format!("{message}\n").as_bytes())?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, TrustError> {
        self.asked += 1;
        self.say(&json!({ "id": self.asked, "method": method, "params": params }))?;
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut message = self.answers.recv_timeout(left).map_err(|_| TrustError::Unknown)?;
            if message["id"] == self.asked && message.get("method").is_none() {
                return message.get_mut("result").map(Value::take).ok_or(TrustError::Unknown);
            }
        }
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the hashes of hooks into Codex's settings.
///
/// # Errors
/// What keeps the file from being read or changed, with its name.
pub(super) fn put(settings: &HookFile, hooks: &[ListedHook]) -> Result<FilePlan, PlanError> {
    let before = read(&settings.path, &settings.name)?;
    let mut after = before.clone().unwrap_or_default();
    for hook in hooks {
        let entry = json!({ "trusted_hash": hook.current_hash });
        let put = FileFormat::Toml.put(&after, &["hooks", "state", &hook.key], &entry, &[]);
        after = put.map_err(PlanError::left(&settings.name))?;
    }
    Ok(plan(settings, Act::Add, before, Some(after)))
}

/// Takes the hashes of our hooks in `file` out of Codex's settings; nothing where they hold none.
///
/// # Errors
/// What keeps a file from being read or changed, with its name.
pub(super) fn take(
    agent: &GuardedAgent,
    settings: &HookFile,
    file: &HookFile,
) -> Result<Option<FilePlan>, PlanError> {
    let (before, hooks) = (read(&settings.path, &settings.name)?, read(&file.path, &file.name)?);
    let (Some(text), Some(hooks)) = (&before, hooks) else { return Ok(None) };
    let mut after = text.clone();
    for key in keys(agent, text, &hooks, file).map_err(PlanError::left(&settings.name))? {
        let taken = FileFormat::Toml.take(&after, &["hooks", "state", &key]);
        after = taken.map_err(PlanError::left(&settings.name))?;
    }
    if after == *text {
        return Ok(None);
    }
    let stays = settings.path.is_symlink() || !FileFormat::Toml.is_bare(&after, &[]);
    Ok(Some(plan(settings, Act::Remove, before, stays.then_some(after))))
}

/// The names under which Codex's settings keep our hooks of a file: the file, the event and two places.
fn keys(
    agent: &GuardedAgent,
    settings: &str,
    hooks: &str,
    file: &HookFile,
) -> Result<Vec<String>, EditError> {
    let known = FileFormat::Toml.entry(settings, &["hooks", "state"])?;
    let known =
        known.as_ref().and_then(Value::as_object).map(|known| known.keys().cloned().collect::<Vec<_>>());
    let mut ends = Vec::new();
    for event in agent.events() {
        let places = places(agent, hooks, event)?;
        ends.extend(places.iter().map(|at| format!(":{}:{at}:0", snake(event))));
    }
    let is_meant = |key: &String| {
        ends.iter().any(|end| key.strip_suffix(end).is_some_and(|path| is_same(Path::new(path), &file.path)))
    };
    Ok(known.into_iter().flatten().filter(is_meant).collect())
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn plan(settings: &HookFile, act: Act, before: Option<String>, after: Option<String>) -> FilePlan {
    let purpose = match act {
        Act::Remove => "Codex trusts the hooks no more",
        _ => "Codex trusts the hooks",
    };
    let plan = FilePlan::unchanged("Codex", settings.name.clone(), settings.path.clone(), before);
    FilePlan { next: "runs the hook", purpose: purpose.to_owned(), act, after, ..plan }
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn an_event_is_named_as_codex_does() {
        assert_eq!(snake("PreToolUse"), "pre_tool_use");
    }
}
