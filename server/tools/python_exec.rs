//! python.exec: Python code in a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::terminal_run::AFTERWARDS;
use crate::base::WorkspacePath;
use crate::execution::{Artifact, Executor, LimitWord, PythonError, PythonOutcome, PythonRequest};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Runs Python code.
pub(super) struct RunPython(pub(super) Arc<Executor>);

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
    error: Option<ErrorAnswer>,
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

/// The exception that ended the code.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorAnswer {
    r#type: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
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

    fn effects(&self, _: &PythonInput) -> Effects {
        Effects { command: Some(vec!["python3".to_owned()]), confined: true, ..Effects::default() }
    }

    fn limit(&self, input: &PythonInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run(
        &self,
        input: Arc<PythonInput>,
        call: &Permitted,
        scope: &Scope,
    ) -> Result<Output<PythonAnswer>, Fault> {
        let request = PythonRequest {
            code: input.code.clone(),
            files: files(&input.files)?,
            limit: Duration::from_millis(input.timeout_ms),
        };
        let PythonOutcome { run, value, error, artifacts, left_out } =
            self.0.run_python(scope, call.call(), request).await?;
        scope.check()?;
        let (stdout, stderr) = (run.output.text(), run.errors.text());
        let report = run.report;
        let truncated = stdout.cut || stderr.cut;
        let answer = PythonAnswer {
            stdout: stdout.text,
            stderr: stderr.text,
            return_value: value.unwrap_or_default(),
            error: error.map(told),
            artifacts: artifacts.into_iter().map(shown).collect(),
            exit_code: report.exit_code,
            limit: report.limit.map(LimitWord::of),
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            sandbox: report.tier.to_string(),
            left_out,
        };
        Ok(Output { truncated, ..Output::value(answer) })
    }
}

fn files(asked: &BTreeMap<String, String>) -> Result<BTreeMap<WorkspacePath, String>, Fault> {
    let path = |name: &str| {
        WorkspacePath::clean(name).filter(|path| !path.is_root()).ok_or_else(|| {
            Fault::new(
                Code::InvalidArgs,
                format!("{name:?} names no file below the folder that the code works in"),
            )
            .suggest("use relative paths in `files`, without `..`")
        })
    };
    asked.iter().map(|(name, text)| Ok((path(name)?, text.clone()))).collect()
}

fn told(PythonError { class, message, line }: PythonError) -> ErrorAnswer {
    ErrorAnswer { r#type: class, message, line }
}

fn shown(Artifact { path, size, hash, text }: Artifact) -> ArtifactAnswer {
    ArtifactAnswer { path, size, hash, text }
}
