//! python.exec: Python code in a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::terminal_run::AFTERWARDS;
use crate::base::WorkspacePath;
use crate::execution::{
    Artifact, CommandExecutor, GivenBounds, LimitWord, PythonError, PythonOutcome, PythonRequest,
};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Runs Python code.
pub(super) struct RunPython(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PythonInput {
    code: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default = "a_minute")]
    timeout_ms: u64,
}

fn a_minute() -> u64 {
    60_000
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PythonAnswer {
    stdout: String,
    stderr: String,
    return_value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<PythonErrorAnswer>,
    artifacts: Vec<ArtifactAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    duration_ms: u64,
    sandbox: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

/// The exception or the limit that ended the code.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct PythonErrorAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    message: String,
    /// True: other code, or more time, can do better.
    recoverable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

/// A file that the code left.
#[derive(Debug, Serialize, JsonSchema)]
struct ArtifactAnswer {
    path: WorkspacePath,
    size: u64,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Activity for RunPython {
    type Input = PythonInput;
    type Output = PythonAnswer;

    fn call_effects(&self, _: &PythonInput) -> CallEffects {
        CallEffects { command: Some(vec!["python3".to_owned()]), confined: true, ..CallEffects::default() }
    }

    fn time_limit(&self, input: &PythonInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run_call(
        &self,
        input: Arc<PythonInput>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<PythonAnswer>, Fault> {
        let request = PythonRequest {
            code: input.code.clone(),
            files: read_files(&input.files)?,
            limit: Duration::from_millis(input.timeout_ms),
        };
        let PythonOutcome { run, value, error, artifacts, left_out } =
            self.0.run_python(scope, call.call(), request).await?;
        scope.check_cancelled()?;
        let (stdout, stderr) = (run.output.captured_text(), run.errors.captured_text());
        let report = run.report;
        let limit = report.limit.map(LimitWord::from_limit);
        let given = GivenBounds::of_command(input.timeout_ms, &scope.settings().sandbox);
        let truncated = stdout.cut || stderr.cut;
        let answer = PythonAnswer {
            stdout: stdout.text,
            stderr: stderr.text,
            return_value: value.unwrap_or_default(),
            error: limit
                .as_ref()
                .map(|limit| limit_answer(limit.make_fault(given)))
                .or(error.map(error_answer)),
            artifacts: artifacts.into_iter().map(artifact_answer).collect(),
            exit_code: report.shell_status(),
            limit,
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            sandbox: report.tier.to_string(),
            left_out,
        };
        Ok(ActivityOutput { truncated, ..ActivityOutput::from_value(answer) })
    }
}

fn read_files(asked: &BTreeMap<String, String>) -> Result<BTreeMap<WorkspacePath, String>, Fault> {
    let path = |name: &str| {
        WorkspacePath::from_relative(name).filter(|path| !path.is_root()).ok_or_else(|| {
            Fault::new(
                Code::InvalidArgs,
                format!("{name:?} names no file below the folder that the code works in"),
            )
            .with_suggestion("use relative paths in `files`, without `..`")
        })
    };
    asked.iter().map(|(name, text)| Ok((path(name)?, text.clone()))).collect()
}

fn error_answer(PythonError { class, message, line }: PythonError) -> PythonErrorAnswer {
    // Code that is refused memory is not ended by it: it gets an exception.
    let is_refused_memory = class == "MemoryError";
    PythonErrorAnswer {
        code: is_refused_memory.then_some(Code::QuotaExceeded),
        suggestion: is_refused_memory.then(|| "have it hold less at a time".to_owned()),
        r#type: Some(class),
        message,
        recoverable: true,
        line,
    }
}

fn limit_answer(Fault { code, message, recoverable, suggestion, .. }: Fault) -> PythonErrorAnswer {
    PythonErrorAnswer { code: Some(code), message, recoverable, suggestion, ..PythonErrorAnswer::default() }
}

fn artifact_answer(Artifact { path, size, hash, text }: Artifact) -> ArtifactAnswer {
    ArtifactAnswer { path, size, hash, text }
}
