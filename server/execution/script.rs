//! JavaScript, run in an engine of this program or by Node.js, in a sandbox that shows it no file of the workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::error::ExecutionError;
use super::run::{self, RunOutcome, Watched};
use super::{Executor, plan};
use crate::base::blocking;
use crate::registry::Call;
use crate::sandbox::{Level, Limit, Limits, Plan, Running, SandboxError, Streams};
use crate::script::{self, LogEntry, ScriptError, ScriptLimit, ScriptReport};
use crate::session::Scope;

/// How much longer than its limit the process of a script may take: the engine ends code by itself, and then tells why.
const GRACE: Duration = Duration::from_millis(50);
/// Bytes of memory that the process needs beside the values of a script.
const BESIDE: u64 = 128 << 20;
/// Bytes of the files that a script can write: none but in its private temporary folder.
const SCRATCH: u64 = 1 << 20;
/// The options of Node.js: its runner is the text of the last one.
const NODE: [&str; 4] = ["node", "--no-warnings", "--max-old-space-size=256", "-e"];

/// Code that a call runs.
#[derive(Clone, Debug)]
pub(crate) struct ScriptRequest {
    /// The code.
    pub(crate) code: String,
    /// What the code finds as `input`.
    pub(crate) input: Value,
    /// What runs it.
    pub(crate) runtime: ScriptRuntime,
    /// How long it may run.
    pub(crate) limit: Duration,
}

/// What runs JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptRuntime {
    /// The engine in this program.
    QuickJs,
    /// The Node.js of the system or of the person.
    Node,
}

/// What came of a script.
#[derive(Debug)]
pub(crate) struct ScriptOutcome {
    /// How its process ended.
    pub(crate) run: RunOutcome,
    /// The messages of its console.
    pub(crate) logs: Vec<LogEntry>,
    /// Its value.
    pub(crate) result: Value,
    /// The error that ended it.
    pub(crate) error: Option<ScriptError>,
    /// The limit that ended it.
    pub(crate) limit: Option<Limit>,
    /// Whether messages are left out or cut.
    pub(crate) cut: bool,
}

impl Executor {
    /// Runs JavaScript to its end.
    ///
    /// # Errors
    /// Where no sandbox can be built, or Node.js is asked for and not there.
    pub(crate) async fn run_script(
        &self,
        scope: &Scope,
        call: &Call,
        request: ScriptRequest,
    ) -> Result<ScriptOutcome, ExecutionError> {
        let (running, input) = blocking(|| self.start_script(scope, &request))?;
        let live = self.live(scope, call, format!("js: {}", request.code), None);
        let run = run::to_its_end(scope, running, Some(live), Some(input), Watched::Errors).await;
        run.map(outcome).map_err(|error| missing(request.runtime, error))
    }

    fn start_script(
        &self,
        scope: &Scope,
        request: &ScriptRequest,
    ) -> Result<(Running, Vec<u8>), ExecutionError> {
        let time_ms = u64::try_from(request.limit.as_millis()).unwrap_or(u64::MAX);
        let ScriptRequest { code, input, .. } = request.clone();
        let told = script::ScriptRequest { code, input, time_ms };
        let input = serde_json::to_vec(&told).map_err(|_| ExecutionError::Lost)?;
        let mut plan = match request.runtime {
            ScriptRuntime::QuickJs => confined(),
            ScriptRuntime::Node => of_node(scope),
        };
        plan.limits.wall = Some(request.limit.saturating_add(GRACE));
        plan.streams = Streams::Piped { input: true };
        Ok((self.launcher.spawn(&plan)?, input))
    }
}

/// A plan for the engine of this program. It shows nothing of the host.
fn confined() -> Plan {
    let limits = Limits {
        memory: Some(script::MEMORY as u64 + BESIDE),
        processes: Some(1),
        file_size: Some(SCRATCH),
        disk: None,
        scratch: SCRATCH,
        ..Limits::default()
    };
    // It writes nothing and reads nothing, so the lower tier holds as much.
    Plan { limits, lowest: Level::Landlock, ..Plan::of_routine("script") }
}

/// A plan for Node.js. It shows programs, and no file of the workspace.
fn of_node(scope: &Scope) -> Plan {
    let settings = &scope.settings().sandbox;
    let argv = NODE.iter().copied().chain([script::NODE_RUNNER]);
    let mut plan = Plan::new(PathBuf::from("/"), argv.map(OsString::from));
    plan.read_only = Vec::new();
    plan.toolchains = plan::toolchains(settings);
    plan.env = plan::environment(settings, &BTreeMap::new(), &plan.toolchains);
    plan.limits.memory = Some(settings.memory_mb << 20);
    plan.limits.processes = Some(settings.processes);
    plan
}

/// What the process wrote is not trusted: it decides nothing but what the caller reads.
fn outcome(run: RunOutcome) -> ScriptOutcome {
    let ScriptReport { logs, end } = ScriptReport::read(run.output.beginning());
    let was_ended = run.report.limit;
    let Some(end) = end else {
        let error = was_ended.is_none().then(|| died(&run));
        return ScriptOutcome { run, logs, result: Value::Null, error, limit: was_ended, cut: false };
    };
    let of_engine = end.limit.map(|limit| match limit {
        ScriptLimit::Time => Limit::Wall,
        ScriptLimit::Memory => Limit::Memory,
    });
    let limit = of_engine.or(was_ended);
    ScriptOutcome { run, logs, result: end.result, error: end.error, limit, cut: end.cut }
}

/// The error of a process that ended without a word.
fn died(run: &RunOutcome) -> ScriptError {
    let how = match (run.report.signal, run.report.exit_code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, code) => format!("exit code {}", code.unwrap_or_default()),
    };
    let message = format!("the process of the script ended by itself, with {how}, before the script did");
    ScriptError { name: "ProcessEnded".to_owned(), message, line: None, column: None }
}

fn missing(runtime: ScriptRuntime, error: ExecutionError) -> ExecutionError {
    match error {
        ExecutionError::Sandbox(source @ SandboxError::Program { .. }) if runtime == ScriptRuntime::Node => {
            ExecutionError::NoNode(source)
        }
        other => other,
    }
}
