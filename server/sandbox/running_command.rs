//! A command that runs, and how it ended.

use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::control::ControlSocket;
use crate::error::SandboxError;
use crate::helper::{HelperPool, SandboxHelper};
use crate::listening_ports;
use crate::overlay::OverlayLayers;
use crate::private_files::LostFiles;
use crate::private_folder::PrivateFolder;
use crate::quarantine;
use crate::session_network::NetworkNamespaces;
use crate::spec::{BuildStage, ControlMessage, LimitKind, UsedByAll};
use crate::survey::{FolderSurvey, PlantedEntry};
use crate::tier::CommandTier;

/// The caller's ends of a command's standard streams.
#[derive(Debug, Default)]
pub(crate) struct CommandStreams {
    pub(crate) input: Option<OwnedFd>,
    pub(crate) output: Option<OwnedFd>,
    pub(crate) errors: Option<OwnedFd>,
}

/// A command that runs in a sandbox. Every process of the sandbox dies when this is dropped, and when this process ends.
#[derive(Debug)]
pub struct RunningCommand {
    helper: SandboxHelper,
    streams: CommandStreams,
    started: Instant,
    tier: CommandTier,
    heard: ReceivedMessages,
    killed: Arc<AtomicBool>,
    afterwards: RunCleanup,
    /// Starts the helper of the next command, if one is ready for it.
    next: Option<NextHelper>,
}

/// The pool that starts the helper of the next command, and the network of that command.
type NextHelper = (Arc<HelperPool>, Option<Arc<NetworkNamespaces>>);

/// The work that is done when the last process is gone.
#[derive(Debug, Default)]
pub(crate) struct RunCleanup {
    /// The contents of the writable folders before the run.
    pub(crate) before: Option<FolderSurvey>,
    pub(crate) quarantine: Option<PathBuf>,
    pub(crate) overlays: Vec<OverlayLayers>,
    /// Private folders of the run, which go with it.
    pub(crate) folders: Vec<PrivateFolder>,
}

/// The words that came so far.
#[derive(Debug, Default)]
struct ReceivedMessages {
    failed: Option<ControlMessage>,
    ended: Option<ControlMessage>,
    gone: Option<UsedByAll>,
    /// True if no further message is expected.
    is_last: bool,
    proxy: Option<OwnedFd>,
    is_confined: bool,
}

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunReport {
    /// Its exit code, if it exited by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The limit that ended it.
    pub limit: Option<LimitKind>,
    /// True if the caller ended it.
    pub killed: bool,
    /// From the start of the sandbox to its end.
    pub duration: Duration,
    /// The processor time of all its processes and of building the sandbox.
    pub cpu: Duration,
    /// The most memory that its processes used at once, in bytes, as sampled.
    pub peak_memory: u64,
    /// The tier of its sandbox.
    pub tier: CommandTier,
    /// The entries that it planted in its writable folders.
    pub planted: Vec<PlantedEntry>,
    /// The first of the files that it left in its private folders, as `/tmp` and the home folder, which went with the sandbox.
    pub lost: Vec<PathBuf>,
    /// The number of those files.
    pub lost_count: u64,
    /// The layers that hold what it changed, if its effects go into an overlay.
    pub overlays: Vec<OverlayLayers>,
}

impl RunReport {
    /// The status that a shell gives of it: its exit code, 124 where its time was up, 137 where another limit ended it, and
    /// 128 and the number of the signal that ended it. None if its end is not known.
    pub fn shell_status(&self) -> Option<i32> {
        match (self.limit, self.signal) {
            (Some(LimitKind::Wall), _) => Some(124),
            (Some(_), _) => Some(128 + libc::SIGKILL),
            (None, Some(signal)) => Some(128 + signal),
            (None, None) => self.exit_code,
        }
    }
}

impl RunningCommand {
    pub(crate) fn new(
        helper: SandboxHelper,
        streams: CommandStreams,
        started: Instant,
        (tier, afterwards): (CommandTier, RunCleanup),
    ) -> Self {
        let (heard, killed) = (ReceivedMessages::default(), Arc::default());
        Self { helper, streams, started, tier, heard, killed, afterwards, next: None }
    }

    /// Returns this command, changed so that waiting for it starts the helper of the next one meanwhile.
    pub(crate) fn with_next_helpers(self, next: Option<NextHelper>) -> Self {
        Self { next, ..self }
    }

    /// The command's standard input, if the plan has a pipe for it. It can be taken once.
    pub fn take_input(&mut self) -> Option<OwnedFd> {
        self.streams.input.take()
    }

    /// The command's standard output, which ends when the last process of the sandbox is gone. It can be taken once.
    pub fn take_output(&mut self) -> Option<OwnedFd> {
        self.streams.output.take()
    }

    /// The command's standard error, like [`Self::take_output`].
    pub fn take_errors(&mut self) -> Option<OwnedFd> {
        self.streams.errors.take()
    }

    /// The listener of the proxy, if the plan has one. It waits until the sandbox is built.
    pub fn proxy(&mut self) -> Result<Option<TcpListener>, SandboxError> {
        while self.heard.proxy.is_none() && self.receive_message()? {}
        Ok(self.heard.proxy.take().map(TcpListener::from))
    }

    /// Waits until the walls around the command stand, at most for `longest`; its program is executed then. `false`: the
    /// sandbox was not built, and [`Self::wait`] returns the reason.
    pub(crate) fn wait_confined(&mut self, longest: Duration) -> Result<bool, SandboxError> {
        let end = Instant::now() + longest;
        while !self.heard.is_confined && self.heard.failed.is_none() {
            let has_come = self.helper.control.wait_message(end).map_err(SandboxError::Start)?;
            // One that takes longer may stand yet.
            if !has_come {
                return Ok(true);
            }
            if !self.receive_message()? {
                break;
            }
        }
        Ok(self.heard.is_confined)
    }

    /// Ends every process of the sandbox. [`Self::wait`] returns soon after.
    pub fn kill(&mut self) {
        self.killed.store(true, Ordering::Relaxed);
        self.helper.control.shut_down();
    }

    /// Returns a handle that ends this command from another thread.
    pub fn killer(&self) -> io::Result<CommandKiller> {
        let (control, killed) = (self.helper.control.try_clone()?, Arc::clone(&self.killed));
        Ok(CommandKiller { control, killed, helper: self.helper.id() })
    }

    /// Waits until every process of the sandbox is gone.
    pub fn wait(mut self) -> Result<RunReport, SandboxError> {
        if let Some((helpers, network)) = self.next.take() {
            helpers.prepare_next(network.as_deref());
        }
        while !self.heard.is_last && self.receive_message()? {}
        let duration = self.started.elapsed();
        match self.heard.is_last {
            // None of its processes is left but those that build sandboxes, and the kernel takes their mounts away.
            true => self.helper.detach(),
            false => self.helper.wait().map_err(SandboxError::Start)?,
        }
        if let Some(ControlMessage::Failed { stage, errno, path }) = self.heard.failed.take() {
            return Err(build_error(stage, errno, path));
        }
        let planted = self.afterwards.collect_planted();
        self.afterwards.folders.clear();
        let killed = self.killed.load(Ordering::Relaxed);
        let mut lost = LostFiles::default();
        let (code, signal, limit, sampled) = match self.heard.ended.take() {
            Some(ControlMessage::Ended { code, signal, limit, peak_memory, lost: left, .. }) => {
                lost = left;
                (code, signal, limit, peak_memory)
            }
            // Init was ended by something else: the server's kill, or the kernel if memory is short.
            _ if killed || self.heard.gone.is_some() => (None, Some(libc::SIGKILL), None, 0),
            _ => return Err(SandboxError::Lost),
        };
        let used = self.heard.gone.take().unwrap_or_default();
        Ok(RunReport {
            exit_code: code,
            signal,
            limit,
            killed: killed && code.is_none(),
            duration,
            cpu: Duration::from_micros(used.cpu_us),
            peak_memory: sampled.max(used.largest),
            tier: self.tier,
            planted,
            lost: lost.first.iter().map(|path| path.as_path().to_owned()).collect(),
            lost_count: lost.count,
            overlays: std::mem::take(&mut self.afterwards.overlays),
        })
    }

    /// Takes the next word. `false`: there are no more.
    fn receive_message(&mut self) -> Result<bool, SandboxError> {
        let Some((word, descriptor)) = self.helper.control.receive_message().map_err(SandboxError::Start)?
        else {
            return Ok(false);
        };
        match word {
            ControlMessage::Proxy => self.heard.proxy = descriptor,
            ControlMessage::Confined => self.heard.is_confined = true,
            // The first message has the reason; a command that was not executed also ends.
            ControlMessage::Failed { .. } => drop(self.heard.failed.get_or_insert(word)),
            ControlMessage::Ended { used, .. } => {
                self.heard.is_last = used.is_some();
                self.heard.gone = used;
                self.heard.ended = Some(word);
            }
            ControlMessage::Gone(used) => self.heard.gone = Some(used),
            // Words of the process that keeps a network.
            ControlMessage::Network | ControlMessage::Socket { .. } => {}
        }
        Ok(true)
    }
}

impl RunCleanup {
    /// Looks for what was planted, and moves it away.
    fn collect_planted(&self) -> Vec<PlantedEntry> {
        let Some(before) = &self.before else { return Vec::new() };
        let (now, opened) = before.survey_again();
        let mut planted = now.planted_since(before);
        if let Some(folder) = &self.quarantine {
            quarantine::quarantine_entries(&mut planted, folder);
        }
        drop(opened);
        planted
    }
}

/// Ends a command from another thread than the one that waits for it.
#[derive(Debug)]
pub struct CommandKiller {
    control: ControlSocket,
    killed: Arc<AtomicBool>,
    helper: u32,
}

impl CommandKiller {
    /// The inodes of the sockets that the command's processes have open, while it runs.
    pub fn open_sockets(&self) -> BTreeSet<u64> {
        listening_ports::open_sockets(self.helper)
    }

    /// Ends every process of the sandbox.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
        self.control.shut_down();
    }
}

fn build_error(stage: BuildStage, errno: i32, path: Option<crate::bytes::OsBytes>) -> SandboxError {
    let source = io::Error::from_raw_os_error(errno);
    let path = path.map(|path| path.as_path().to_owned());
    match (stage, path) {
        (BuildStage::Execute, Some(program)) => SandboxError::Program { program, source },
        (stage, path) => SandboxError::Build { stage, path, source },
    }
}
