//! A server's process: a clean environment, a guard that ends all of it however we end, and its last words kept.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::confinement::{BegunServer, ConfinedServer, Confinement};
use super::error::UpstreamError;
use super::expand::{UnsetVariable, expand_variables};
use super::guard::{self, GuardedStart};
use crate::base::hidden::escape_hidden;
use crate::base::run_blocking;
use crate::protocol::McpServer;
use crate::sandbox::CommandTier;

/// The variables of our own environment that a server gets.
const PASSED_VARIABLES: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];
/// The time that it may take from closing its output to being gone.
const LAST: Duration = Duration::from_millis(500);
/// Lines of its standard error that are kept.
const WORDS: usize = 8;
/// Bytes of one such line.
const WORD: usize = 400;

/// The processes of a server, for a thread that may end them.
#[derive(Debug, Default)]
pub(super) struct ServerProcesses(Mutex<Option<HeldProcess>>);

/// A process whose end was not seen yet.
#[derive(Debug)]
enum HeldProcess {
    Free(UnreapedProcess),
    Confined(Arc<ConfinedServer>),
}

/// A process that was not waited for yet.
#[derive(Debug)]
struct UnreapedProcess {
    /// The process of the guard where there is one, else the server's own.
    pid: Pid,
    /// The line over which the guard gets its orders.
    line: Option<UnixStream>,
}

impl ServerProcesses {
    /// Asks it and all that it started to end.
    pub(super) fn ask_to_end(&self) {
        self.send_signal(Signal::TERM, guard::ASK);
    }

    /// Ends it and all that it started, at once.
    pub(super) fn kill(&self) {
        self.send_signal(Signal::KILL, guard::KILL);
    }

    fn send_signal(&self, signal: Signal, word: u8) {
        // Locked, so that the number is not given to another process meanwhile.
        match &*self.0.lock() {
            // A guard that is gone has nothing to end.
            Some(HeldProcess::Free(UnreapedProcess { line: Some(line), .. })) => {
                drop((&*line).write_all(&[word]));
            }
            Some(HeldProcess::Free(UnreapedProcess { pid, line: None })) => {
                // A group that is gone has ended.
                let _ = kill_process_group(*pid, signal);
            }
            // The end of its input asked it already: no signal passes into a sandbox.
            Some(HeldProcess::Confined(server)) if word == guard::KILL => server.kill(),
            Some(HeldProcess::Confined(_)) | None => {}
        }
    }

    fn is_held(&self) -> bool {
        self.0.lock().is_some()
    }

    /// Returns whether anything of it is left.
    pub(super) fn is_alive(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let pid = match &*self.0.lock() {
            Some(HeldProcess::Free(process)) => process.pid,
            Some(HeldProcess::Confined(server)) => return server.is_alive(),
            None => return false,
        };
        matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Returns the tier of its confinement; nothing where it is not confined, and where it has ended.
    pub(super) fn tier(&self) -> Option<CommandTier> {
        match &*self.0.lock() {
            Some(HeldProcess::Confined(server)) => Some(server.tier()),
            Some(HeldProcess::Free(_)) | None => None,
        }
    }
}

/// The last lines that a server wrote to its standard error.
#[derive(Debug, Default)]
pub(super) struct StderrTail(Mutex<VecDeque<String>>);

impl StderrTail {
    fn add_line(&self, line: &str) {
        let mut lines = self.0.lock();
        if lines.len() == WORDS {
            lines.pop_front();
        }
        lines.push_back(escape_hidden(line.trim_end()).into_owned());
    }

    /// Returns the last line that is not blank.
    pub(super) fn last_words(&self) -> Option<String> {
        let lines = self.0.lock();
        lines.iter().rev().find(|line| !line.trim().is_empty()).cloned()
    }
}

/// A running server.
#[derive(Debug)]
pub(super) struct ServerProcess {
    ending: ProcessEnding,
    group: Arc<ServerProcesses>,
    words: Arc<StderrTail>,
}

/// The handle by which the end of a server is awaited.
#[derive(Debug)]
enum ProcessEnding {
    Child(Child),
    Confined(Arc<ConfinedServer>),
}

/// The options to start a process.
#[derive(Debug)]
pub(super) struct ServerLaunch<'a> {
    /// The server, by its name in the settings.
    pub name: &'a str,
    /// Its settings.
    pub settings: &'a McpServer,
    /// The workspace.
    pub root: &'a Path,
    /// The confinement; nothing where it runs as the person does.
    pub confinement: Option<Confinement<'a>>,
}

impl ServerProcess {
    /// Starts the server; its standard input and output come with it.
    ///
    /// # Errors
    /// A variable that is not set, why no sandbox can be built, or why the system does not start the program.
    pub(super) async fn start_process(
        launch: &ServerLaunch<'_>,
    ) -> Result<(Self, ChildStdin, ChildStdout), UpstreamError> {
        match &launch.confinement {
            Some(confinement) => run_blocking(|| Self::start_confined(launch, confinement)),
            None => Self::start_free(launch.name, launch.settings, launch.root).await,
        }
    }

    fn start_confined(
        launch: &ServerLaunch<'_>,
        confinement: &Confinement<'_>,
    ) -> Result<(Self, ChildStdin, ChildStdout), UpstreamError> {
        let BegunServer { server, stdin, stdout, stderr } =
            confinement.start_server(launch.name, launch.settings)?;
        let words = Arc::new(StderrTail::default());
        tokio::spawn(read_stderr(launch.name.to_owned(), stderr, words.clone()));
        let group = Arc::new(ServerProcesses(Mutex::new(Some(HeldProcess::Confined(server.clone())))));
        Ok((Self { ending: ProcessEnding::Confined(server), group, words }, stdin, stdout))
    }

    async fn start_free(
        name: &str,
        settings: &McpServer,
        root: &Path,
    ) -> Result<(Self, ChildStdin, ChildStdout), UpstreamError> {
        let program = settings.command.as_deref().unwrap_or_default();
        // A program with a slash is relative to the root, wherever it then starts.
        let path = if program.contains('/') { root.join(program) } else { program.into() };
        let passed =
            PASSED_VARIABLES.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        let mut env: Vec<(OsString, OsString)> = passed.collect();
        for (variable, value) in &settings.env {
            let value = expand_variables(value).map_err(|UnsetVariable(variable)| {
                UpstreamError::NoVariable { server: name.to_owned(), variable }
            })?;
            env.push((variable.into(), value.into()));
        }
        let start = GuardedStart {
            program: path.into(),
            args: settings.args.iter().map(Into::into).collect(),
            env,
            cwd: settings.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd)),
        };
        let begun = match guard::is_offered() {
            true => start_guarded(&start).await,
            false => start_alone(&start),
        };
        let BegunProcess { child, line, stdin, stdout, stderr } =
            begun.map_err(|error| UpstreamError::Start {
                server: name.to_owned(),
                program: escape_hidden(program).into_owned(),
                source: Arc::new(error),
            })?;
        let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let held = pid.map(|pid| HeldProcess::Free(UnreapedProcess { pid, line }));
        let (group, words) = (Arc::new(ServerProcesses(Mutex::new(held))), Arc::new(StderrTail::default()));
        tokio::spawn(read_stderr(name.to_owned(), stderr, words.clone()));
        Ok((Self { ending: ProcessEnding::Child(child), group, words }, stdin, stdout))
    }

    /// The processes, to end them.
    pub(super) fn process_group(&self) -> &Arc<ServerProcesses> {
        &self.group
    }

    /// The tail of its standard error.
    pub(super) fn stderr_tail(&self) -> &Arc<StderrTail> {
        &self.words
    }

    /// Asks it to end, and waits for that.
    pub(super) async fn end_gracefully(&mut self) {
        self.group.ask_to_end();
        self.wait_within(guard::GRACE).await;
    }

    /// Waits a moment until it has ended by itself, ends the rest of it, and describes its end.
    pub(super) async fn wait_ended(&mut self) -> String {
        self.wait_within(LAST).await
    }

    async fn wait_within(&mut self, limit: Duration) -> String {
        let mut alone = false;
        if self.group.is_held() {
            let until = tokio::time::Instant::now() + limit;
            loop {
                // The process is looked at but not reaped yet: until then no other process gets its number.
                alone = !self.group.is_alive();
                if alone || tokio::time::Instant::now() > until {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        self.group.kill();
        let end = match &mut self.ending {
            ProcessEnding::Child(child) => {
                child.wait().await.ok().map(|status| format!("it ended ({status})"))
            }
            ProcessEnding::Confined(server) => Some(server.wait_ended().await),
        };
        self.group.0.lock().take();
        end.filter(|_| alone).unwrap_or_else(|| "it closed its output".to_owned())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.group.kill();
        self.group.0.lock().take();
    }
}

/// A process that has just begun.
struct BegunProcess {
    child: Child,
    line: Option<UnixStream>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

/// Starts a server by a guard, which is this program once more.
async fn start_guarded(start: &GuardedStart) -> io::Result<BegunProcess> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(env!("CARGO_PKG_NAME")).arg(guard::ARGUMENT).env_clear().current_dir("/").process_group(0);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn()?;
    // Until it is dropped it holds the guard's end of the socket, and the end of the guard would not be noticed.
    drop(command);
    let (their_in, stdin) = io::pipe()?;
    let (stdout, their_out) = io::pipe()?;
    let (stderr, their_err) = io::pipe()?;
    guard::hand_over(&ours, start, [their_in.into(), their_out.into(), their_err.into()])?;
    ours.set_nonblocking(true)?;
    let errno = tokio::net::UnixStream::from_std(ours.try_clone()?)?.read_i32_le().await?;
    if errno != 0 {
        return Err(io::Error::from_raw_os_error(errno));
    }
    let stdin = ChildStdin::from_std(OwnedFd::from(stdin).into())?;
    let stdout = ChildStdout::from_std(OwnedFd::from(stdout).into())?;
    let stderr = ChildStderr::from_std(OwnedFd::from(stderr).into())?;
    Ok(BegunProcess { child, line: Some(ours), stdin, stdout, stderr })
}

/// Starts a server with nothing between, where this program is no guard: its group ends with it, what leaves that does not.
fn start_alone(start: &GuardedStart) -> io::Result<BegunProcess> {
    let mut command = Command::from(start.to_command());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let none = || io::Error::other("it started with no standard streams");
    let stdin = child.stdin.take().ok_or_else(none)?;
    let stdout = child.stdout.take().ok_or_else(none)?;
    let stderr = child.stderr.take().ok_or_else(none)?;
    Ok(BegunProcess { child, line: None, stdin, stdout, stderr })
}

/// Reads a server's standard error to its end, line by line; what is too long for a line is cut.
async fn read_stderr(server: String, mut stream: impl AsyncRead + Unpin, words: Arc<StderrTail>) {
    let (mut buffer, mut line) = ([0; 4096], Vec::new());
    let tell = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        tracing::info!(server, "{}", escape_hidden(&text));
        words.add_line(&text);
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
