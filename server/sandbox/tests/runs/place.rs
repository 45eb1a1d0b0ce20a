//! A workspace of a test, and how commands run in it.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread;

use tempfile::TempDir;
use wherefore_sandbox::{Launcher, Plan, Report, SandboxError, Stage};

/// A workspace that a command may write.
pub(crate) struct Place {
    folder: TempDir,
}

/// What a command wrote, and how it ended.
pub(crate) struct Outcome {
    pub(crate) report: Report,
    pub(crate) output: String,
    pub(crate) errors: String,
}

pub(crate) fn launcher() -> Launcher {
    Launcher::of(env!("CARGO_BIN_EXE_sandbox-run"))
}

impl Place {
    /// `None`, with a line that says so: this machine has no sandbox to test.
    pub(crate) fn new() -> Option<Self> {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        match place.try_run(&place.plan(["true"])) {
            Err(SandboxError::Build { stage: Stage::Namespaces | Stage::Root, source, .. }) => {
                eprintln!("skipped: no namespaces here: {source}");
                None
            }
            other => {
                assert_eq!(other.unwrap().report.exit_code, Some(0));
                Some(place)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn plan<const N: usize>(&self, argv: [&str; N]) -> Plan {
        Plan::new(self.path(), argv).writing(self.path())
    }

    pub(crate) fn sh(&self, script: &str) -> Outcome {
        self.run(&self.plan(["sh", "-c", script]))
    }

    pub(crate) fn run(&self, plan: &Plan) -> Outcome {
        self.try_run(plan).unwrap()
    }

    pub(crate) fn try_run(&self, plan: &Plan) -> Result<Outcome, SandboxError> {
        Self::run_by(&launcher(), plan)
    }

    /// The same by a launcher that may have run others before.
    pub(crate) fn run_by(launcher: &Launcher, plan: &Plan) -> Result<Outcome, SandboxError> {
        let mut running = launcher.spawn(plan)?;
        let output = reader(running.take_output());
        let errors = reader(running.take_errors());
        let report = running.wait()?;
        Ok(Outcome { report, output: output.join().unwrap(), errors: errors.join().unwrap() })
    }
}

pub(crate) fn reader(stream: Option<OwnedFd>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        File::from(stream.unwrap()).read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
