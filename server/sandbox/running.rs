//! A command that runs, and how it ended.

use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::TempDir;

use crate::control::Control;
use crate::error::SandboxError;
use crate::helper::{Helper, Helpers};
use crate::overlay::Overlay;
use crate::quarantine;
use crate::spec::{Limit, Stage, UsedByAll, Word};
use crate::survey::{Planted, Survey};
use crate::tier::CommandTier;

/// The caller's ends of a command's standard streams.
#[derive(Debug, Default)]
pub(crate) struct Started {
    pub(crate) input: Option<OwnedFd>,
    pub(crate) output: Option<OwnedFd>,
    pub(crate) errors: Option<OwnedFd>,
}

/// A command that runs in a sandbox. Every process of the sandbox dies when this is dropped, and when this process ends.
#[derive(Debug)]
pub struct Running {
    helper: Helper,
    streams: Started,
    started: Instant,
    tier: CommandTier,
    heard: Heard,
    killed: Arc<AtomicBool>,
    afterwards: Afterwards,
    /// Starts the helper of the next command, where one stands ready for it.
    next: Option<Arc<Helpers>>,
}

/// What is done when the last process is gone.
#[derive(Debug, Default)]
pub(crate) struct Afterwards {
    /// What stood in the writable folders before the run.
    pub(crate) before: Option<Survey>,
    pub(crate) quarantine: Option<PathBuf>,
    pub(crate) overlays: Vec<Overlay>,
    /// A private folder of the run, which goes with it.
    pub(crate) scratch: Option<TempDir>,
}

/// The words that came so far.
#[derive(Debug, Default)]
struct Heard {
    failed: Option<Word>,
    ended: Option<Word>,
    gone: Option<UsedByAll>,
    /// Whether no word comes any more that is waited for.
    is_last: bool,
    proxy: Option<OwnedFd>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Its exit code, where it exited by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The limit that ended it.
    pub limit: Option<Limit>,
    /// Whether the caller ended it.
    pub killed: bool,
    /// From the start of the sandbox to its end.
    pub duration: Duration,
    /// The processor time of all its processes and of building the sandbox.
    pub cpu: Duration,
    /// The most memory that its processes used at once, in bytes, as sampled.
    pub peak_memory: u64,
    /// What confined it.
    pub tier: CommandTier,
    /// What it planted in the folders that it may write.
    pub planted: Vec<Planted>,
    /// The layers that hold what it changed, where its effects go into an overlay.
    pub overlays: Vec<Overlay>,
}

impl Running {
    pub(crate) fn new(
        helper: Helper,
        streams: Started,
        started: Instant,
        (tier, afterwards): (CommandTier, Afterwards),
    ) -> Self {
        let (heard, killed) = (Heard::default(), Arc::default());
        Self { helper, streams, started, tier, heard, killed, afterwards, next: None }
    }

    /// The same command. Whoever waits for it starts the helper of the next one meanwhile.
    pub(crate) fn preparing(self, next: Option<Arc<Helpers>>) -> Self {
        Self { next, ..self }
    }

    /// The command's standard input, where the plan has a pipe for it. It can be taken once.
    pub fn take_input(&mut self) -> Option<OwnedFd> {
        self.streams.input.take()
    }

    /// The command's standard output, which ends when the last process of the sandbox is gone. It can be taken once.
    pub fn take_output(&mut self) -> Option<OwnedFd> {
        self.streams.output.take()
    }

    /// The command's standard error, like [`Running::take_output`].
    pub fn take_errors(&mut self) -> Option<OwnedFd> {
        self.streams.errors.take()
    }

    /// The listener of the proxy, where the plan has one. It waits until the sandbox is built.
    pub fn proxy(&mut self) -> Result<Option<TcpListener>, SandboxError> {
        while self.heard.proxy.is_none() && self.hear()? {}
        Ok(self.heard.proxy.take().map(TcpListener::from))
    }

    /// Ends every process of the sandbox. [`Running::wait`] returns soon after.
    pub fn kill(&mut self) {
        self.killed.store(true, Ordering::Relaxed);
        self.helper.control.end();
    }

    /// What ends this command from another thread.
    pub fn killer(&self) -> io::Result<Killer> {
        Ok(Killer { control: self.helper.control.try_clone()?, killed: Arc::clone(&self.killed) })
    }

    /// Waits until every process of the sandbox is gone.
    pub fn wait(mut self) -> Result<Report, SandboxError> {
        self.next.take().iter().for_each(|helpers| helpers.prepare());
        while !self.heard.is_last && self.hear()? {}
        let duration = self.started.elapsed();
        match self.heard.is_last {
            // None of its processes is left but those that build sandboxes, and the kernel takes their mounts away.
            true => self.helper.leave(),
            false => self.helper.wait().map_err(SandboxError::Start)?,
        }
        if let Some(Word::Failed { stage, errno, path }) = self.heard.failed.take() {
            return Err(failure(stage, errno, path));
        }
        let planted = self.afterwards.planted();
        drop(self.afterwards.scratch.take());
        let killed = self.killed.load(Ordering::Relaxed);
        let (code, signal, limit, sampled) = match self.heard.ended.take() {
            Some(Word::Ended { code, signal, limit, peak_memory, .. }) => (code, signal, limit, peak_memory),
            // Init was ended by something else: the server's kill, or the kernel where memory is short.
            _ if killed || self.heard.gone.is_some() => (None, Some(libc::SIGKILL), None, 0),
            _ => return Err(SandboxError::Lost),
        };
        let used = self.heard.gone.take().unwrap_or_default();
        Ok(Report {
            exit_code: code,
            signal,
            limit,
            killed: killed && code.is_none(),
            duration,
            cpu: Duration::from_micros(used.cpu_us),
            peak_memory: sampled.max(used.largest),
            tier: self.tier,
            planted,
            overlays: std::mem::take(&mut self.afterwards.overlays),
        })
    }

    /// Takes the next word. `false`: there are no more.
    fn hear(&mut self) -> Result<bool, SandboxError> {
        let Some((word, descriptor)) = self.helper.control.hear().map_err(SandboxError::Start)? else {
            return Ok(false);
        };
        match word {
            Word::Proxy => self.heard.proxy = descriptor,
            // The first one tells why; a command that was not executed also ends.
            Word::Failed { .. } => drop(self.heard.failed.get_or_insert(word)),
            Word::Ended { used, .. } => {
                self.heard.is_last = used.is_some();
                self.heard.gone = used;
                self.heard.ended = Some(word);
            }
            Word::Gone(used) => self.heard.gone = Some(used),
        }
        Ok(true)
    }
}

impl Afterwards {
    /// Looks for what was planted, and moves it away.
    fn planted(&self) -> Vec<Planted> {
        let Some(before) = &self.before else { return Vec::new() };
        let (now, opened) = before.again();
        let mut planted = now.planted_since(before);
        if let Some(folder) = &self.quarantine {
            quarantine::quarantine(&mut planted, folder);
        }
        drop(opened);
        planted
    }
}

/// Ends a command from another thread than the one that waits for it.
#[derive(Debug)]
pub struct Killer {
    control: Control,
    killed: Arc<AtomicBool>,
}

impl Killer {
    /// Ends every process of the sandbox.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
        self.control.end();
    }
}

fn failure(stage: Stage, errno: i32, path: Option<crate::bytes::Bytes>) -> SandboxError {
    let source = io::Error::from_raw_os_error(errno);
    let path = path.map(|path| path.as_path().to_owned());
    match (stage, path) {
        (Stage::Execute, Some(program)) => SandboxError::Program { program, source },
        (stage, path) => SandboxError::Build { stage, path, source },
    }
}
