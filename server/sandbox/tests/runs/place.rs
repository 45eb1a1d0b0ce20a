//! A workspace of a test, and how commands run in it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::LazyLock;
use std::thread;

use tempfile::TempDir;
use wherefore_sandbox::{BuildStage, PathGuard, RunReport, SandboxError, SandboxLauncher, SandboxPlan};

/// Names that no command may plant.
static GUARD: LazyLock<PathGuard> =
    LazyLock::new(|| PathGuard::of_names([".git", ".wherefore", ".vscode", ".idea", ".envrc"]));

/// A workspace that a command may write.
pub(crate) struct Place {
    folder: TempDir,
}

/// The output of a command, and its end.
pub(crate) struct Outcome {
    pub(crate) report: RunReport,
    pub(crate) output: String,
    pub(crate) errors: String,
}

pub(crate) fn launcher() -> SandboxLauncher {
    SandboxLauncher::with_program(env!("CARGO_BIN_EXE_sandbox-run"))
}

impl Place {
    /// Returns `None`, and prints a line about it, if this machine has no sandbox to test.
    pub(crate) fn new() -> Option<Self> {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        match place.try_run(&place.plan(["true"])) {
            Err(SandboxError::Build { stage: BuildStage::Namespaces | BuildStage::Root, source, .. }) => {
                report_skip(&format!("no namespaces here: {source}"));
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

    pub(crate) fn plan<const N: usize>(&self, argv: [&str; N]) -> SandboxPlan {
        let plan = SandboxPlan::new(self.path(), argv).with_writable(self.path());
        SandboxPlan { guard: GUARD.clone(), ..plan }
    }

    pub(crate) fn sh(&self, script: &str) -> Outcome {
        self.run(&self.plan(["sh", "-c", script]))
    }

    pub(crate) fn run(&self, plan: &SandboxPlan) -> Outcome {
        self.try_run(plan).unwrap()
    }

    pub(crate) fn try_run(&self, plan: &SandboxPlan) -> Result<Outcome, SandboxError> {
        Self::run_by(&launcher(), plan)
    }

    /// Runs a plan with a launcher that may have run others before.
    pub(crate) fn run_by(launcher: &SandboxLauncher, plan: &SandboxPlan) -> Result<Outcome, SandboxError> {
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

/// Says why a test passes without having run, past what the test runner keeps of it: a strict run fails at that.
pub(crate) fn report_skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
