//! A server's process: a clean environment, a group of its own that ends with it, and its last words kept.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::expand::expand;
use crate::base::hidden::shown;
use crate::protocol::{Code, Fault, McpServer};

/// What a server sees of our own environment.
const PASSED: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];
/// How long it may take from closing its output to being gone.
const LAST: Duration = Duration::from_millis(500);
/// Lines of its standard error that are kept.
const WORDS: usize = 8;
/// Bytes of one such line.
const WORD: usize = 400;

/// What is known of a process that another thread may want to end.
#[derive(Debug, Default)]
pub struct Group(Mutex<Option<Pid>>);

impl Group {
    /// Asks it and all that it started to end.
    pub fn ask(&self) {
        self.send(Signal::TERM);
    }

    /// Ends it and all that it started, at once.
    pub fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        // Locked, so that the number is not given to another process meanwhile.
        if let Some(pid) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = kill_process_group(pid, signal);
        }
    }

    /// Whether anything of it is left.
    pub fn lives(&self) -> bool {
        let pid = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        pid.is_some_and(|pid| matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }
}

/// The last lines that a server wrote to its standard error.
#[derive(Debug, Default)]
pub struct Words(Mutex<VecDeque<String>>);

impl Words {
    fn add(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == WORDS {
            lines.pop_front();
        }
        lines.push_back(shown(line.trim_end()).into_owned());
    }

    /// The last one that says something.
    pub fn last(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().rev().find(|line| !line.trim().is_empty()).cloned()
    }
}

/// A running server.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Arc<Group>,
    words: Arc<Words>,
}

impl Process {
    /// Starts the server; its standard input and output come with it.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such program, PERMISSION_DENIED where it may not be run.
    pub fn start(
        name: &str,
        settings: &McpServer,
        root: &Path,
    ) -> Result<(Self, ChildStdin, ChildStdout), Fault> {
        let program = settings.command.as_deref().unwrap_or_default();
        // One with a slash is meant from the root, wherever it then starts.
        let path = if program.contains('/') { root.join(program) } else { program.into() };
        let mut command = Command::new(path);
        command.args(&settings.args).env_clear();
        command.envs(PASSED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        for (variable, value) in &settings.env {
            command.env(variable, expand(value).map_err(|missing| unset(name, &missing))?);
        }
        command.current_dir(settings.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| unstarted(name, settings, &error))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(Fault::internal(format!("{name} started with no standard streams")));
        };
        let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let (group, words) = (Arc::new(Group(Mutex::new(pid))), Arc::new(Words::default()));
        tokio::spawn(listen(name.to_owned(), stderr, words.clone()));
        Ok((Self { child, group, words }, stdin, stdout))
    }

    /// What ends it.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// What it said.
    pub fn words(&self) -> &Arc<Words> {
        &self.words
    }

    /// Waits a moment until it has ended by itself, ends what is left of it, and says how it went.
    pub async fn ended(&mut self) -> String {
        let pid = *self.group.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alone = false;
        if pid.is_some() {
            let until = tokio::time::Instant::now() + LAST;
            loop {
                // Looked at but not taken yet: while it stands there no other process gets its number.
                alone = !self.group.lives();
                if alone || tokio::time::Instant::now() > until {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        self.group.kill();
        let status = self.child.wait().await;
        self.group.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match status {
            Ok(status) if alone => format!("it ended ({status})"),
            _ => "it closed its output".to_owned(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
        self.group.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn unset(name: &str, variable: &str) -> Fault {
    Fault::new(Code::NotFound, format!("{name} needs the environment variable {variable}, which is not set"))
        .suggest(format!(
            "ask the person to set {variable} where wherefore is started, or to mend mcp_servers.{name}"
        ))
}

fn unstarted(name: &str, settings: &McpServer, error: &std::io::Error) -> Fault {
    let program = shown(settings.command.as_deref().unwrap_or_default()).into_owned();
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::NotFound,
        std::io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        _ => Code::Internal,
    };
    Fault::new(code, format!("{name} cannot be started: {program:?}: {error}")).suggest(format!(
        "ask the person to install {program:?} or to mend `command` and `cwd` of mcp_servers.{name}"
    ))
}

/// Reads a server's standard error to its end, line by line; what is too long for a line is cut.
async fn listen(server: String, mut stream: impl AsyncRead + Unpin, words: Arc<Words>) {
    let (mut buffer, mut line) = ([0; 4096], Vec::new());
    let tell = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        tracing::info!(server, "{}", shown(&text));
        words.add(&text);
    };
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        for byte in &buffer[..count] {
            match byte {
                b'\n' => {
                    tell(&line);
                    line.clear();
                }
                byte if line.len() < WORD => line.push(*byte),
                _ => {}
            }
        }
    }
    if !line.is_empty() {
        tell(&line);
    }
}
