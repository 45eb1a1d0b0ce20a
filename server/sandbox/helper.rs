//! The server's side of the processes that build sandboxes: they are started, and one may stand ready.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::control::ControlSocket;
use crate::enter::{AHEAD, AHEAD_AT_TERMINAL, AHEAD_IN_NETWORK};
use crate::launcher::SUBCOMMAND;
use crate::session_network::{NamespaceId, NetworkNamespaces};
use crate::spec::{ConfinementWay, ControlMessage, SandboxSpec};

/// Helpers that are ready at once.
const MOST_READY: usize = 4;

/// A process that builds a sandbox once it has a plan. It ends, with all that it started, when this is dropped.
#[derive(Debug)]
pub(crate) struct SandboxHelper {
    child: Child,
    pub(crate) control: ControlSocket,
    /// The network that it is in already.
    network: Option<NamespaceId>,
    /// True if it has left the session of the caller's terminal.
    has_own_session: bool,
}

/// Starts helpers.
#[derive(Debug)]
pub(crate) struct HelperPool {
    program: PathBuf,
    name: OsString,
    keeps_one_ready: bool,
    /// One for each network at most, and those of commands at the terminal.
    ready: Mutex<Vec<SandboxHelper>>,
}

impl SandboxHelper {
    /// Starts `command`, whose standard input becomes its end of the socket.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let (control, theirs) = ControlSocket::pair()?;
        let child = command.env_clear().stdin(theirs).stdout(Stdio::null()).current_dir("/").spawn()?;
        Ok(Self { child, control, network: None, has_own_session: false })
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the process is in a network that commands share.
    pub(crate) fn is_in_network(&self) -> bool {
        self.network.is_some()
    }

    /// Waits until the process is gone.
    pub(crate) fn wait(mut self) -> io::Result<()> {
        self.child.wait().map(drop)
    }

    /// Lets the process end by itself. A thread waits for that, so that it is taken away.
    pub(crate) fn detach(self) {
        // If no thread can be started, this thread waits.
        let _ = thread::Builder::new().name("sandbox-end".to_owned()).spawn(move || drop(self));
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for SandboxHelper {
    fn drop(&mut self) {
        self.control.shut_down();
        let _ = self.child.wait();
    }
}

impl HelperPool {
    pub(crate) fn new(program: PathBuf, name: OsString, keeps_one_ready: bool) -> Self {
        Self { program, name, keeps_one_ready, ready: Mutex::default() }
    }

    /// Returns helpers for this program and name that keep one helper ready, or keep none.
    pub(crate) fn with_ready_helper(&self, keeps_one_ready: bool) -> Self {
        Self::new(self.program.clone(), self.name.clone(), keeps_one_ready)
    }

    /// The program that builds the sandboxes.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns a helper for `spec` that joins `network`: the one that is ready, if it fits, else a new one.
    pub(crate) fn take_helper(
        &self,
        spec: &SandboxSpec,
        network: Option<&NetworkNamespaces>,
    ) -> io::Result<SandboxHelper> {
        if spec.way != ConfinementWay::Namespaces {
            return SandboxHelper::start(&mut self.helper_command());
        }
        let wanted = (network.map(NetworkNamespaces::id), spec.own_session);
        let ready = {
            let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = |helper: &SandboxHelper| (helper.network, helper.has_own_session) == wanted;
            ready.iter().position(fits).map(|at| ready.remove(at))
        };
        let alive = ready.and_then(|mut helper| helper.is_alive().then_some(helper));
        alive.map_or_else(|| SandboxHelper::start(&mut self.helper_command()), Ok)
    }

    /// The command of a process that keeps a network.
    pub(crate) fn keeper_command(&self) -> Command {
        self.helper_command()
    }

    /// Returns whether a helper is kept ready for a command like that of `spec`.
    pub(crate) fn keeps_ready_for(&self, spec: &SandboxSpec) -> bool {
        self.keeps_one_ready && spec.way == ConfinementWay::Namespaces && spec.own_session
    }

    /// Starts the helper of a command at the caller's terminal. Without it that command starts later.
    pub(crate) fn prepare_at_terminal(&self) {
        let helper = SandboxHelper::start(self.helper_command().arg(AHEAD_AT_TERMINAL));
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).extend(helper.ok());
    }

    /// Starts the helper of the next command in `network`, unless one is ready. Without it that command starts later.
    pub(crate) fn prepare_next(&self, network: Option<&NetworkNamespaces>) {
        let wanted = network.map(NetworkNamespaces::id);
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if !ready.iter().any(|helper| helper.has_own_session && helper.network == wanted) {
            if ready.len() >= MOST_READY {
                drop(ready.remove(0));
            }
            ready.extend(self.start_ahead(network).ok());
        }
    }

    fn start_ahead(&self, network: Option<&NetworkNamespaces>) -> io::Result<SandboxHelper> {
        let argument = if network.is_some() { AHEAD_IN_NETWORK } else { AHEAD };
        let mut helper = SandboxHelper::start(self.helper_command().arg(argument))?;
        helper.has_own_session = true;
        if let Some(network) = network {
            helper.control.send_descriptors(&ControlMessage::Network, &network.descriptors())?;
            helper.network = Some(network.id());
        }
        Ok(helper)
    }

    fn helper_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg0(&self.name).arg(SUBCOMMAND).stderr(Stdio::null());
        command
    }
}
