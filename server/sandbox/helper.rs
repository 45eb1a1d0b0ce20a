//! The server's side of the processes that build sandboxes: they are started, and one may stand ready.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::control::Control;
use crate::launcher::SUBCOMMAND;

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
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        self.child.wait().map(drop)
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

    /// The helper that stands ready, else a new one.
    pub(crate) fn take(&self) -> io::Result<Helper> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        ready.and_then(|mut helper| helper.is_alive().then_some(helper)).map_or_else(|| self.start(), Ok)
    }

    /// Starts the helper of the next command, where one is kept ready. Without it the next command starts later.
    pub(crate) fn prepare(&self) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if self.keeps_one_ready && ready.is_none() {
            *ready = self.start().ok();
        }
    }

    fn start(&self) -> io::Result<Helper> {
        Helper::start(Command::new(&self.program).arg0(&self.name).arg(SUBCOMMAND).stderr(Stdio::null()))
    }
}
