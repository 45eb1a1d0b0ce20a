//! js.exec: JavaScript in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::terminal_run::AFTERWARDS;
use crate::execution::{
    CommandExecutor, GivenBounds, JavaScriptRequest, LimitWord, ScriptOutcome, ScriptRuntime,
};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::script::{self, LogLevel, ScriptError};
use crate::session::CallScope;

/// Runs JavaScript.
pub(super) struct RunScript(pub(super) Arc<CommandExecutor>);

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

/// The engine that runs the code.
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
    logs: Vec<ConsoleMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ScriptErrorAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    exit_code: i32,
    duration_ms: u64,
    sandbox: String,
}

/// A message of the console.
#[derive(Debug, Serialize, JsonSchema)]
struct ConsoleMessage {
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

/// The error or the limit that ended the code.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct ScriptErrorAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    name: String,
    message: String,
    /// True: other code, or more time, can do better.
    recoverable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

impl Activity for RunScript {
    type Input = ScriptInput;
    type Output = ScriptAnswer;

    fn call_effects(&self, input: &ScriptInput) -> CallEffects {
        let program = match input.runtime {
            RuntimeWord::Quickjs => "quickjs",
            RuntimeWord::Node => "node",
        };
        CallEffects { command: Some(vec![program.to_owned()]), confined: true, ..CallEffects::default() }
    }

    fn time_limit(&self, input: &ScriptInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run_call(
        &self,
        input: Arc<ScriptInput>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<ScriptAnswer>, Fault> {
        let request = JavaScriptRequest {
            code: input.code.clone(),
            input: value_of(&input.input_json)?,
            runtime: match input.runtime {
                RuntimeWord::Quickjs => ScriptRuntime::QuickJs,
                RuntimeWord::Node => ScriptRuntime::Node,
            },
            limit: Duration::from_millis(input.timeout_ms),
        };
        let of_command = GivenBounds::of_command(input.timeout_ms, &scope.settings().sandbox);
        let given = match input.runtime {
            RuntimeWord::Quickjs => GivenBounds { memory_mb: script::MEMORY as u64 >> 20, ..of_command },
            RuntimeWord::Node => of_command,
        };
        let outcome = self.0.run_script(scope, call.call(), request).await?;
        scope.check_cancelled()?;
        Ok(ActivityOutput {
            truncated: outcome.cut,
            ..ActivityOutput::from_value(script_answer(outcome, given))
        })
    }
}

/// The value that the code is given: a text is read as JSON.
fn value_of(input: &Value) -> Result<Value, Fault> {
    let Value::String(text) = input else { return Ok(input.clone()) };
    serde_json::from_str(text).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("the text of `input_json` is no JSON: {error}"))
            .with_suggestion("give the value itself as `input_json`, or a text that is JSON; quote a plain text as \"\\\"text\\\"\"")
    })
}

/// The answer of code that ran within these bounds.
fn script_answer(outcome: ScriptOutcome, given: GivenBounds) -> ScriptAnswer {
    let ScriptOutcome { run, logs, result, error, limit, .. } = outcome;
    let limit = limit.map(LimitWord::from_limit);
    let of_limit = limit.as_ref().map(|limit| ScriptErrorAnswer::from_limit(limit, given));
    let exit_code = match (&limit, &error) {
        (Some(LimitWord::Time), _) => 124,
        (Some(_), _) => 137,
        (None, Some(_)) => 1,
        (None, None) => 0,
    };
    let logs = logs
        .into_iter()
        .map(|entry| ConsoleMessage { level: LevelWord::from_level(entry.level), text: entry.text });
    ScriptAnswer {
        result,
        logs: logs.collect(),
        error: of_limit.or(error.map(ScriptErrorAnswer::from_error)),
        limit,
        exit_code,
        duration_ms: u64::try_from(run.report.duration.as_millis()).unwrap_or(u64::MAX),
        sandbox: run.report.tier.to_string(),
    }
}

impl LevelWord {
    fn from_level(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::Debug,
            LogLevel::Log => Self::Log,
            LogLevel::Info => Self::Info,
            LogLevel::Warn => Self::Warn,
            LogLevel::Error => Self::Error,
        }
    }
}

impl ScriptErrorAnswer {
    fn from_error(ScriptError { name, message, line, column }: ScriptError) -> Self {
        Self { name, message, recoverable: true, line, column, ..Self::default() }
    }

    fn from_limit(limit: &LimitWord, given: GivenBounds) -> Self {
        let Fault { code, message, recoverable, suggestion, .. } = limit.make_fault(given);
        let suggestion = match limit {
            LimitWord::Memory if given.memory_mb == script::MEMORY as u64 >> 20 => {
                Some("have it hold less at a time, or run it with `runtime: node`".to_owned())
            }
            _ => suggestion,
        };
        let name = if code == Code::Timeout { "Timeout" } else { "QuotaExceeded" }.to_owned();
        Self { code: Some(code), name, message, recoverable, suggestion, ..Self::default() }
    }
}
