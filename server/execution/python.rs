//! Python code, run by the system's interpreter in a private folder beside a workspace that it only reads.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::artifacts::{self, Artifact};
use super::error::ExecutionError;
use super::layer::Layer;
use super::plan;
use super::run::{self, RunOutcome, Watched};
use super::{CommandRequest, Executor};
use crate::base::{WorkspacePath, blocking};
use crate::registry::Call;
use crate::sandbox::Running;
use crate::session::Scope;
use wherefore_fetch::HostList;

/// What runs the code of a call.
const RUNNER: &str = include_str!("runner.py");
/// What it needs for few calls.
const REST: &str = include_str!("runner_rest.py");
/// Where it writes its outcome, in the folder above the one that the code works in.
const OUTCOME: &str = "outcome.json";
/// The folder that the code works in.
const WORK: &str = "work";
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
    /// How long it may run.
    pub(crate) limit: Duration,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct PythonOutcome {
    /// What it wrote, and how it ended.
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
    /// What it says.
    pub(crate) message: String,
    /// The line of the code, counted from 1.
    pub(crate) line: Option<u32>,
}

/// What the runner says. The code can write it itself: nothing in it is trusted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    has_value: bool,
    value: Value,
    error: Option<PythonError>,
}

impl Executor {
    /// Runs Python code to its end.
    ///
    /// # Errors
    /// Where no sandbox can be built, there is no interpreter, or the system refuses what the run needs.
    pub(crate) async fn run_python(
        &self,
        scope: &Scope,
        call: &Call,
        request: PythonRequest,
    ) -> Result<PythonOutcome, ExecutionError> {
        let (layer, running, input) = blocking(|| self.start_python(scope, &request))?;
        let live = self.live(scope, call, format!("python: {}", request.code), None);
        let run = run::to_its_end(scope, running, Some(live), Some(input), Watched::Both).await?;
        blocking(|| {
            let said = said(&layer.join(OUTCOME.as_ref()));
            let (artifacts, left_out) =
                artifacts::collect(scope, &layer.join(WORK.as_ref()), &request.files)?;
            let value = said.has_value.then_some(said.value);
            Ok(PythonOutcome { run, value, error: said.error, artifacts, left_out })
        })
    }

    fn start_python(
        &self,
        scope: &Scope,
        request: &PythonRequest,
    ) -> Result<(Layer, Running, Vec<u8>), ExecutionError> {
        let layer = Layer::make(scope.files().state())?;
        let work = layer.join(WORK.as_ref());
        write_files(&work, &request.files).map_err(ExecutionError::doing("writing the files of the call"))?;
        let outcome = layer.join(OUTCOME.as_ref());
        let input = [outcome.as_os_str().as_bytes(), b"\0", request.code.as_bytes()].concat();
        let python = interpreter(scope);
        let argv = [python.as_str(), "-I", "-B", "-X", "utf8", "-c", RUNNER, REST].map(str::to_owned);
        let command = CommandRequest {
            argv: argv.into(),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: Some(Vec::new()),
            hosts: HostList::default(),
            limit: request.limit,
        };
        let plan = plan::beside(scope, &command, self.closures(scope)?, layer.path(), &work);
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
fn interpreter(scope: &Scope) -> String {
    let root = PathBuf::from(scope.files().root().real());
    let own = OWN.iter().map(|own| root.join(own)).find(|own| own.exists());
    own.and_then(|own| own.to_str().map(str::to_owned)).unwrap_or_else(|| "python3".to_owned())
}

fn said(path: &Path) -> Said {
    let whole = || {
        let meta = fs::symlink_metadata(path).ok()?;
        (meta.is_file() && meta.len() <= LARGEST).then(|| fs::read(path).ok()).flatten()
    };
    whole().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
