//! js.exec: JavaScript in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::terminal_run::AFTERWARDS;
use crate::execution::{Executor, LimitWord, ScriptOutcome, ScriptRequest, ScriptRuntime};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::script::{LogLevel, ScriptError};
use crate::session::Scope;

/// Runs JavaScript.
pub(super) struct RunScript(pub(super) Arc<Executor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ScriptInput {
    code: String,
    #[serde(default)]
    #[schemars(extend("anyOf" = [{ "type": "object" }, { "type": "array", "items": {} }, { "type": "string" }, { "type": "number" }, { "type": "boolean" }]))]
    input_json: Value,
    #[serde(default)]
    runtime: RuntimeWord,
    #[serde(default = "ten_seconds")]
    timeout_ms: u64,
}

fn ten_seconds() -> u64 {
    10_000
}

/// What runs the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RuntimeWord {
    #[default]
    Quickjs,
    Node,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ScriptAnswer {
    result: Value,
    logs: Vec<LogAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    duration_ms: u64,
    sandbox: String,
}

/// One message of the console.
#[derive(Debug, Serialize, JsonSchema)]
struct LogAnswer {
    level: LevelWord,
    text: String,
}

/// The level of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LevelWord {
    Debug,
    Log,
    Info,
    Warn,
    Error,
}

/// The error that ended the code.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorAnswer {
    name: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl Activity for RunScript {
    type Input = ScriptInput;
    type Output = ScriptAnswer;

    fn effects(&self, input: &ScriptInput) -> Effects {
        let program = match input.runtime {
            RuntimeWord::Quickjs => "quickjs",
            RuntimeWord::Node => "node",
        };
        Effects { command: Some(vec![program.to_owned()]), confined: true, ..Effects::default() }
    }

    fn limit(&self, input: &ScriptInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run(
        &self,
        input: Arc<ScriptInput>,
        call: &Permitted,
        scope: &Scope,
    ) -> Result<Output<ScriptAnswer>, Fault> {
        let request = ScriptRequest {
            code: input.code.clone(),
            input: value_of(&input.input_json)?,
            runtime: match input.runtime {
                RuntimeWord::Quickjs => ScriptRuntime::QuickJs,
                RuntimeWord::Node => ScriptRuntime::Node,
            },
            limit: Duration::from_millis(input.timeout_ms),
        };
        let outcome = self.0.run_script(scope, call.call(), request).await?;
        scope.check()?;
        Ok(Output { truncated: outcome.cut, ..Output::value(told(outcome)) })
    }
}

/// The value that the code is given: a text is read as JSON.
fn value_of(input: &Value) -> Result<Value, Fault> {
    let Value::String(text) = input else { return Ok(input.clone()) };
    serde_json::from_str(text).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("the text of `input_json` is no JSON: {error}"))
            .suggest("give the value itself as `input_json`, or a text that is JSON; quote a plain text as \"\\\"text\\\"\"")
    })
}

fn told(outcome: ScriptOutcome) -> ScriptAnswer {
    let ScriptOutcome { run, logs, result, error, limit, .. } = outcome;
    let logs =
        logs.into_iter().map(|entry| LogAnswer { level: LevelWord::of(entry.level), text: entry.text });
    ScriptAnswer {
        result,
        logs: logs.collect(),
        error: error.map(ErrorAnswer::of),
        limit: limit.map(LimitWord::of),
        duration_ms: u64::try_from(run.report.duration.as_millis()).unwrap_or(u64::MAX),
        sandbox: run.report.tier.to_string(),
    }
}

impl LevelWord {
    fn of(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::Debug,
            LogLevel::Log => Self::Log,
            LogLevel::Info => Self::Info,
            LogLevel::Warn => Self::Warn,
            LogLevel::Error => Self::Error,
        }
    }
}

impl ErrorAnswer {
    fn of(ScriptError { name, message, line, column }: ScriptError) -> Self {
        Self { name, message, line, column }
    }
}
