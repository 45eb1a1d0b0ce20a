//! From what a program wrote to the answer of its tool.

use serde_json::{Value, json};

use super::template::OptionLike;
use crate::base::hidden::shown;
use crate::execution::RunOutcome;
use crate::protocol::{Code, Fault};
use crate::registry::Tool;
use crate::sandbox::{Limit, signal_name};
use crate::upstream::error::words;

/// Members of the answer that every command gives.
const STREAMS: [&str; 11] = [
    "stdout",
    "stderr",
    "stdout_hash",
    "stderr_hash",
    "exit_code",
    "signal",
    "limit",
    "duration_ms",
    "peak_memory",
    "sandbox",
    "left_out",
];

/// What a tool answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// Both streams and the exit code, as `terminal.run`.
    Streams,
    /// The JSON that the program writes to its standard output.
    Json,
}

impl AnswerForm {
    /// The form of an output schema: JSON where it speaks of anything but the streams of a command.
    pub(super) fn of(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else { return Self::Streams };
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_streams = properties.is_some_and(|properties| {
            properties.contains_key("stdout")
                && properties.keys().all(|name| STREAMS.contains(&name.as_str()))
        });
        if is_streams { Self::Streams } else { Self::Json }
    }
}

/// Why a program gives no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    /// The definition asks for all of the network, which no command has.
    #[error("{tool} asks for all of the network, and commands reach named hosts alone")]
    Network { tool: String },
    /// An argument would be read as an option.
    #[error("{tool} takes no {:?} as `{}`: its program would read that as an option", shown(&argument.value), argument.name)]
    OptionLike { tool: String, argument: OptionLike },
    /// The program failed.
    #[error("{tool} failed: {how}{said}")]
    Failed { tool: String, how: String, said: String, is_late: bool },
    /// The program wrote more than is kept.
    #[error("{tool} wrote more than 8 MiB where its output schema asks for JSON")]
    TooLong { tool: String },
    /// The program wrote something that is not JSON.
    #[error("{tool} wrote no JSON, which its output schema asks for: {source}")]
    NotJson { tool: String, source: serde_json::Error },
    /// The program's JSON breaks the output schema.
    #[error("the answer of {tool} breaks its output schema: {violations}")]
    Schema { tool: String, violations: String, details: Value },
}

impl From<ProgramError> for Fault {
    fn from(error: ProgramError) -> Self {
        let message = error.to_string();
        let code = match &error {
            ProgramError::Network { .. } => Code::Unsupported,
            ProgramError::OptionLike { .. } => Code::InvalidArgs,
            ProgramError::Failed { is_late: true, .. } => Code::Timeout,
            _ => Code::Internal,
        };
        let fault = Self { recoverable: code != Code::Unsupported, ..Self::new(code, message) };
        match error {
            ProgramError::Network { .. } => {
                fault.suggest(
                "do without it, or ask the person to name its hosts in its definition, as `sandbox: { hosts: [crates.io] }`",
            )
            }
            ProgramError::OptionLike { .. } => fault.suggest(
                "give a value that does not begin with `-`; of a path, `./` before it says the same",
            ),
            ProgramError::Failed { .. } => {
                fault.suggest("read what it says and call again with other arguments, or go another way")
            }
            ProgramError::Schema { details, .. } => fault
                .detail(details)
                .suggest("go on without it, and tell the person that its answer is wrong"),
            ProgramError::TooLong { .. } | ProgramError::NotJson { .. } => {
                fault.suggest("go on without it, and tell the person that its answer is wrong")
            }
        }
    }
}

/// The JSON that a program wrote, held to the tool's output schema.
///
/// # Errors
/// Where the program failed, wrote no JSON, or what it wrote breaks the schema.
pub(super) fn json(tool: &Tool, run: &RunOutcome) -> Result<Value, Fault> {
    let name = || tool.name().to_owned();
    if run.report.exit_code != Some(0) {
        return Err(failed(name(), run).into());
    }
    let bytes = run.output.all_bytes().ok_or_else(|| ProgramError::TooLong { tool: name() })?;
    let value: Value =
        serde_json::from_slice(bytes).map_err(|source| ProgramError::NotJson { tool: name(), source })?;
    let violations = tool.check_output(&value)?;
    if violations.is_empty() {
        return Ok(value);
    }
    let all: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    let details = json!({ "violations": violations, "schema": tool.def().output_schema });
    Err(ProgramError::Schema { tool: name(), violations: all.join("; "), details }.into())
}

fn failed(tool: String, run: &RunOutcome) -> ProgramError {
    let report = &run.report;
    let how = match (report.limit, report.exit_code, report.signal) {
        (Some(Limit::Wall), ..) => format!("it took longer than {} ms", report.duration.as_millis()),
        (Some(limit), ..) => format!("a limit ended it ({limit:?})"),
        (None, Some(code), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => signal_name(signal).to_owned(),
        (None, None, None) => "it did not end by itself".to_owned(),
    };
    let said = words(&run.errors.text().text);
    let said = if said.is_empty() { said } else { format!("; it said: {said}") };
    ProgramError::Failed { tool, how, said, is_late: report.limit == Some(Limit::Wall) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_schema_says_what_is_answered() {
        let of = |schema: Value| AnswerForm::of(Some(&schema));
        assert_eq!(AnswerForm::of(None), AnswerForm::Streams);
        let standard =
            json!({ "type": "object", "properties": { "stdout": {}, "stderr": {}, "exit_code": {} } });
        assert_eq!(of(standard), AnswerForm::Streams);
        for own in [
            json!({ "type": "object" }),
            json!({ "type": "array" }),
            json!({ "properties": { "stdout": {}, "lines": {} } }),
            json!({ "properties": { "exit_code": {} } }),
        ] {
            assert_eq!(of(own.clone()), AnswerForm::Json, "{own}");
        }
    }
}
