//! Starts sandboxes: the side of the server.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::pipe::{PipeFlags, pipe_with};

use crate::control::Control;
use crate::error::SandboxError;
use crate::plan::{Plan, Streams};
use crate::resolve;
use crate::running::{Running, Started};
use crate::spec::{Spec, Way};
use crate::tier::Level;

/// The hidden subcommand whose code is [`enter`](crate::enter).
pub const SUBCOMMAND: &str = "__sandbox";

/// Starts commands in sandboxes. A sandbox is built by a program whose first argument is [`SUBCOMMAND`] and that calls
/// [`enter`](crate::enter) then.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    name: OsString,
}

/// The descriptors of one command.
struct Ends {
    input: OwnedFd,
    output: Stdio,
    errors: Stdio,
    ours: Started,
}

impl Launcher {
    /// This program builds its sandboxes itself.
    #[must_use]
    pub fn own() -> Self {
        Self {
            program: PathBuf::from("/proc/self/exe"),
            name: std::env::args_os().next().unwrap_or_else(|| "wherefore".into()),
        }
    }

    /// Another program builds the sandboxes.
    #[must_use]
    pub fn of(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        Self { name: program.clone().into_os_string(), program }
    }

    /// Starts the command of `plan`. What keeps a sandbox from being built after that, [`Running::wait`] tells.
    pub fn spawn(&self, plan: &Plan) -> Result<Running, SandboxError> {
        let spec = resolve::spec(plan, Way::Namespaces)?;
        let started = Instant::now();
        let ends = ends(plan.streams).map_err(SandboxError::Start)?;
        let (control, theirs) = Control::pair().map_err(SandboxError::Start)?;
        let child = Command::new(&self.program)
            .arg0(&self.name)
            .arg(SUBCOMMAND)
            .env_clear()
            .stdin(theirs)
            .stdout(ends.output)
            .stderr(ends.errors)
            .current_dir("/")
            .spawn()
            .map_err(SandboxError::Start)?;
        send(&control, &spec, &ends.input).map_err(SandboxError::Start)?;
        Ok(Running::new(child, control, ends.ours, started, Level::Namespaces))
    }
}

fn send(control: &Control, spec: &Spec, input: &OwnedFd) -> io::Result<()> {
    control.send_spec(spec, input.as_fd())
}

fn ends(streams: Streams) -> io::Result<Ends> {
    let Streams::Piped { input } = streams else {
        return Ok(Ends {
            input: rustix::stdio::stdin().try_clone_to_owned()?,
            output: Stdio::inherit(),
            errors: Stdio::inherit(),
            ours: Started::default(),
        });
    };
    let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (errors, their_errors) = pipe_with(PipeFlags::CLOEXEC)?;
    let (their_input, input) = if input {
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        (theirs, Some(ours))
    } else {
        (std::fs::File::open("/dev/null")?.into(), None)
    };
    Ok(Ends {
        input: their_input,
        output: their_output.into(),
        errors: their_errors.into(),
        ours: Started { input, output: Some(output), errors: Some(errors) },
    })
}
