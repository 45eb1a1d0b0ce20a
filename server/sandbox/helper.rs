//! The server's side of the processes that build sandboxes: they are started, and one may stand ready.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::control::Control;
use crate::enter::AHEAD;
use crate::launcher::SUBCOMMAND;
use crate::spec::{Spec, Way};

/// A process that builds a sandbox once it has a plan. It ends, with all that it started, when this is dropped.
#[derive(Debug)]
pub(crate) struct Helper {
    child: Child,
    pub(crate) control: Control,
}

/// Starts helpers.
#[derive(Debug)]
pub(crate) struct Helpers {
    program: PathBuf,
    name: OsString,
    keeps_one_ready: bool,
    ready: Mutex<Option<Helper>>,
}

impl Helper {
    /// Starts `command`, whose standard input becomes its end of the socket.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let (control, theirs) = Control::pair()?;
        let child = command.env_clear().stdin(theirs).stdout(Stdio::null()).current_dir("/").spawn()?;
        Ok(Self { child, control })
    }

    /// Waits until the process is gone.
    pub(crate) fn wait(mut self) -> io::Result<()> {
        self.child.wait().map(drop)
    }

    /// Lets the process end by itself. A thread waits for that, so that it is taken away.
    pub(crate) fn leave(self) {
        // Where there is no thread to be had, it is waited for here.
        let _ = thread::Builder::new().name("sandbox-end".to_owned()).spawn(move || drop(self));
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.control.end();
        let _ = self.child.wait();
    }
}

impl Helpers {
    pub(crate) fn new(program: PathBuf, name: OsString, keeps_one_ready: bool) -> Self {
        Self { program, name, keeps_one_ready, ready: Mutex::default() }
    }

    /// The same program and name, with or without a helper that stands ready.
    pub(crate) fn keeping(&self, keeps_one_ready: bool) -> Self {
        Self::new(self.program.clone(), self.name.clone(), keeps_one_ready)
    }

    /// The program that builds the sandboxes.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The helper for `spec`: one that stands ready, where it fits, else a new one.
    pub(crate) fn take(&self, spec: &Spec) -> io::Result<Helper> {
        if !stands_ready_for(spec) {
            return Helper::start(&mut self.command());
        }
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let alive = ready.and_then(|mut helper| helper.is_alive().then_some(helper));
        alive.map_or_else(|| Helper::start(&mut self.command()), Ok)
    }

    /// Whether a helper is kept ready for a command like that of `spec`.
    pub(crate) fn keeps_ready_for(&self, spec: &Spec) -> bool {
        self.keeps_one_ready && stands_ready_for(spec)
    }

    /// Starts the helper of the next command, where none stands ready. Without it that command starts later.
    pub(crate) fn prepare(&self) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.is_none() {
            *ready = Helper::start(self.command().arg(AHEAD)).ok();
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg0(&self.name).arg(SUBCOMMAND).stderr(Stdio::null());
        command
    }
}

/// Whether a helper that stands ready fits: it has made namespaces, and a session of its own.
fn stands_ready_for(spec: &Spec) -> bool {
    spec.way == Way::Namespaces && spec.own_session
}
