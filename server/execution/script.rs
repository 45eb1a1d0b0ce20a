//! JavaScript, run in an engine of this program or by Node.js, in a sandbox that shows it no file of the workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::error::ExecutionError;
use super::person_tools::PersonPath;
use super::run::{self, RunOutcome, WatchedStreams};
use super::{CommandExecutor, plan};
use crate::base::run_blocking;
use crate::registry::CheckedCall;
use crate::sandbox::{
    LimitKind, RunLimits, RunningCommand, SandboxError, SandboxLevel, SandboxPlan, StandardStreams,
};
use crate::script::{self, LogEntry, ScriptError, ScriptLimit, ScriptReport};
use crate::session::CallScope;

/// The time that the process of a script may take beyond its limit: the engine ends code by itself, and then reports
/// why.
const GRACE: Duration = Duration::from_millis(50);
/// Bytes of memory that the process needs in addition to the values of a script.
const BESIDE: u64 = 128 << 20;
/// Bytes of the files that a script can write: none but in its private temporary folder.
const SCRATCH: u64 = 1 << 20;
/// The options of Node.js: its runner is the text of the last one.
const NODE: [&str; 4] = ["node", "--no-warnings", "--max-old-space-size=256", "-e"];

/// Code that a call runs.
#[derive(Clone, Debug)]
pub(crate) struct JavaScriptRequest {
    /// The code.
    pub(crate) code: String,
    /// The value of `input` in the code.
    pub(crate) input: Value,
    /// The engine.
    pub(crate) runtime: ScriptRuntime,
    /// The time that it may run.
    pub(crate) limit: Duration,
}

/// The engine that runs JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptRuntime {
    /// The engine in this program.
    QuickJs,
    /// The Node.js of the system or of the person.
    Node,
}

/// The outcome of a script.
#[derive(Debug)]
pub(crate) struct ScriptOutcome {
    /// The run: the end of its process.
    pub(crate) run: RunOutcome,
    /// The messages of its console.
    pub(crate) logs: Vec<LogEntry>,
    /// Its value.
    pub(crate) result: Value,
    /// The error that ended it.
    pub(crate) error: Option<ScriptError>,
    /// The limit that ended it.
    pub(crate) limit: Option<LimitKind>,
    /// True where messages are left out or cut.
    pub(crate) cut: bool,
}

impl CommandExecutor {
    /// Runs JavaScript to its end.
    ///
    /// # Errors
    /// Fails where no sandbox can be built, or Node.js is asked for and not there.
    pub(crate) async fn run_script(
        &self,
        scope: &CallScope,
        call: &CheckedCall,
        request: JavaScriptRequest,
    ) -> Result<ScriptOutcome, ExecutionError> {
        let (running, input) = run_blocking(|| self.start_script(scope, &request))?;
        let live = self.start_live(scope, call, format!("js: {}", request.code), None);
        let run =
            run::run_to_completion(scope, running, Some(live), Some(input), WatchedStreams::Errors).await;
        run.map(script_outcome).map_err(|error| missing_node(request.runtime, error))
    }

    fn start_script(
        &self,
        scope: &CallScope,
        request: &JavaScriptRequest,
    ) -> Result<(RunningCommand, Vec<u8>), ExecutionError> {
        let time_ms = u64::try_from(request.limit.as_millis()).unwrap_or(u64::MAX);
        let JavaScriptRequest { code, input, .. } = request.clone();
        let told = script::ScriptRequest { code, input, time_ms };
        let input = serde_json::to_vec(&told).map_err(|_| ExecutionError::Lost)?;
        let mut plan = match request.runtime {
            ScriptRuntime::QuickJs => engine_plan(),
            ScriptRuntime::Node => node_plan(scope),
        };
        plan.limits.wall = Some(request.limit.saturating_add(GRACE));
        plan.streams = StandardStreams::Piped { input: true };
        Ok((self.launcher.spawn(&plan)?, input))
    }
}

/// A plan for the engine of this program. It shows nothing of the host.
fn engine_plan() -> SandboxPlan {
    let limits = RunLimits {
        memory: Some(script::MEMORY as u64 + BESIDE),
        processes: Some(1),
        file_size: Some(SCRATCH),
        disk: None,
        scratch: SCRATCH,
        ..RunLimits::default()
    };
    // It writes nothing and reads nothing, so the lower tier holds as much.
    SandboxPlan { limits, lowest: SandboxLevel::Landlock, ..SandboxPlan::of_routine("script") }
}

/// A plan for Node.js. It shows programs, and no file of the workspace.
fn node_plan(scope: &CallScope) -> SandboxPlan {
    let settings = &scope.settings().sandbox;
    let argv = NODE.iter().copied().chain([script::NODE_RUNNER]);
    let mut plan = SandboxPlan::new(PathBuf::from("/"), argv.map(OsString::from));
    plan.read_only = Vec::new();
    plan.toolchains = plan::toolchain_folders(settings);
    let path = PersonPath { toolchains: &plan.toolchains, root: None };
    plan.env = plan::command_variables(settings, &BTreeMap::new(), path);
    plan.limits.memory = Some(settings.memory_mb << 20);
    plan.limits.processes = Some(settings.processes);
    plan
}

/// Reads the output of the process, which is not trusted: it decides nothing but what the caller reads.
fn script_outcome(run: RunOutcome) -> ScriptOutcome {
    let ScriptReport { logs, end } = ScriptReport::from_output(run.output.beginning());
    let was_ended = run.report.limit;
    let Some(end) = end else {
        let error = was_ended.is_none().then(|| death_error(&run));
        return ScriptOutcome { run, logs, result: Value::Null, error, limit: was_ended, cut: false };
    };
    let of_engine = end.limit.map(|limit| match limit {
        ScriptLimit::Time => LimitKind::Wall,
        ScriptLimit::Memory => LimitKind::Memory,
    });
    let limit = of_engine.or(was_ended);
    ScriptOutcome { run, logs, result: end.result, error: end.error, limit, cut: end.cut }
}

/// Returns the error of a process that ended without a report.
fn death_error(run: &RunOutcome) -> ScriptError {
    let how = match (run.report.signal, run.report.exit_code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, code) => format!("exit code {}", code.unwrap_or_default()),
    };
    let message = format!("the process of the script ended by itself, with {how}, before the script did");
    ScriptError { name: "ProcessEnded".to_owned(), message, line: None, column: None }
}

fn missing_node(runtime: ScriptRuntime, error: ExecutionError) -> ExecutionError {
    match error {
        ExecutionError::Sandbox(source @ SandboxError::Program { .. }) if runtime == ScriptRuntime::Node => {
            ExecutionError::NoNode(source)
        }
        other => other,
    }
}
