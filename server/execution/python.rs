//! Runs Python code, by the system's interpreter, in a private folder, with a workspace that it only reads.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::artifacts::{self, Artifact};
use super::error::ExecutionError;
use super::layer::CommandLayer;
use super::plan;
use super::run::{self, RunOutcome, WatchedStreams};
use super::{CommandExecutor, CommandRequest};
use crate::base::hidden::shorten_to_line;
use crate::base::{WorkspacePath, run_blocking};
use crate::registry::CheckedCall;
use crate::sandbox::RunningCommand;
use crate::session::CallScope;
use wherefore_fetch::HostList;

/// The program that runs the code of a call.
const RUNNER: &str = include_str!("runner.py");
/// The part of it that few calls need.
const REST: &str = include_str!("runner_rest.py");
/// The file to which it writes its outcome, in the folder above the working folder.
const OUTCOME: &str = "outcome.json";
/// The folder that the code works in.
const WORK: &str = "work";
/// Characters of a path in a sentence.
const NAMED_CHARS: usize = 200;
/// Bytes of the largest outcome.
const LARGEST: u64 = 1 << 20;
/// The interpreters of a workspace's own environment, nearest first.
const OWN: [&str; 2] = [".venv/bin/python", "venv/bin/python"];

/// Code that a call runs.
#[derive(Clone, Debug)]
pub(crate) struct PythonRequest {
    /// The code.
    pub(crate) code: String,
    /// Files that the code finds in its folder.
    pub(crate) files: BTreeMap<WorkspacePath, String>,
    /// The time that it may run.
    pub(crate) limit: Duration,
}

/// The outcome of a run of Python.
#[derive(Debug)]
pub(crate) struct PythonOutcome {
    /// The run: its output and its end.
    pub(crate) run: RunOutcome,
    /// The value of its last expression, where it ends with one.
    pub(crate) value: Option<Value>,
    /// The exception that ended it.
    pub(crate) error: Option<PythonError>,
    /// The files that it left in its folder.
    pub(crate) artifacts: Vec<Artifact>,
    /// Files that were not kept, a sentence each.
    pub(crate) left_out: Vec<String>,
}

/// An exception that nothing caught.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct PythonError {
    /// Its class.
    #[serde(rename = "type")]
    pub(crate) class: String,
    /// The message.
    pub(crate) message: String,
    /// The line of the code, counted from 1.
    pub(crate) line: Option<u32>,
}

/// The report of the runner. The code can write it itself: nothing in it is trusted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RunnerReport {
    has_value: bool,
    value: Value,
    error: Option<PythonError>,
}

impl CommandExecutor {
    /// Runs Python code to its end.
    ///
    /// # Errors
    /// Fails where no sandbox can be built, there is no interpreter, or the system refuses a resource of the run.
    pub(crate) async fn run_python(
        &self,
        scope: &CallScope,
        call: &CheckedCall,
        request: PythonRequest,
    ) -> Result<PythonOutcome, ExecutionError> {
        let (layer, running, input) = run_blocking(|| self.start_python(scope, &request))?;
        let live = self.start_live(scope, call, format!("python: {}", request.code), None);
        let run =
            run::run_to_completion(scope, running, Some(live), Some(input), WatchedStreams::Both).await?;
        run_blocking(|| {
            let said = read_report(&layer.join(OUTCOME.as_ref()));
            let work = layer.join(WORK.as_ref());
            let (artifacts, mut left_out) = artifacts::collect_artifacts(scope, &work, &request.files)?;
            left_out.extend(run.report.planted.iter().map(|planted| {
                let path = planted.path.strip_prefix(&work).unwrap_or(&planted.path).display().to_string();
                format!(
                    "{}: it may run programs by itself, or its path is too long",
                    shorten_to_line(&path, NAMED_CHARS)
                )
            }));
            let value = said.has_value.then_some(said.value);
            Ok(PythonOutcome { run, value, error: said.error, artifacts, left_out })
        })
    }

    fn start_python(
        &self,
        scope: &CallScope,
        request: &PythonRequest,
    ) -> Result<(CommandLayer, RunningCommand, Vec<u8>), ExecutionError> {
        let layer = CommandLayer::make(scope.files().state())?;
        let work = layer.join(WORK.as_ref());
        write_files(&work, &request.files)
            .map_err(ExecutionError::while_doing("writing the files of the call"))?;
        let outcome = layer.join(OUTCOME.as_ref());
        let input = [outcome.as_os_str().as_bytes(), b"\0", request.code.as_bytes()].concat();
        let python = find_interpreter(scope);
        let argv = [python.as_str(), "-I", "-B", "-X", "utf8", "-c", RUNNER, REST].map(str::to_owned);
        let command = CommandRequest {
            argv: argv.into(),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: Some(Vec::new()),
            hosts: HostList::default(),
            limit: request.limit,
        };
        let plan =
            plan::plan_beside(scope, &command, self.closures.find_closures(scope)?, layer.path(), &work);
        Ok((layer, self.launcher.spawn(&plan)?, input))
    }
}

fn write_files(work: &Path, files: &BTreeMap<WorkspacePath, String>) -> std::io::Result<()> {
    fs::create_dir_all(work)?;
    for (path, text) in files {
        let at = work.join(path.as_str());
        if let Some(above) = at.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(at, text)?;
    }
    Ok(())
}

/// The workspace's own interpreter, else the system's.
fn find_interpreter(scope: &CallScope) -> String {
    let root = PathBuf::from(scope.files().paths().root().real_path());
    let own = OWN.iter().map(|own| root.join(own)).find(|own| own.exists());
    own.and_then(|own| own.to_str().map(str::to_owned)).unwrap_or_else(|| "python3".to_owned())
}

fn read_report(path: &Path) -> RunnerReport {
    let whole = || {
        let meta = fs::symlink_metadata(path).ok()?;
        (meta.is_file() && meta.len() <= LARGEST).then(|| fs::read(path).ok()).flatten()
    };
    whole().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
