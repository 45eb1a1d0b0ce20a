//! From what a program wrote to the answer of its tool.

use serde_json::{Value, json};

use super::template::OptionLike;
use crate::base::hidden::escape_hidden;
use crate::execution::{LONGER_BY_DEFINITION, LimitWord, RunOutcome};
use crate::protocol::{Code, Fault};
use crate::registry::CompiledTool;
use crate::sandbox::{LimitKind, signal_name};
use crate::upstream::error::server_words;

/// Members of the answer that every command gives.
const STREAMS: [&str; 13] = [
    "stdout",
    "stderr",
    "stdout_hash",
    "stderr_hash",
    "exit_code",
    "signal",
    "limit",
    "error",
    "duration_ms",
    "peak_memory",
    "sandbox",
    "left_out",
    "written",
];

/// The form of a tool's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramAnswerForm {
    /// Both streams and the exit code, as `terminal.run`.
    Streams,
    /// The JSON that the program writes to its standard output.
    Json,
}

impl ProgramAnswerForm {
    /// Chooses the form by the output schema: streams if there is none, or if it has `stdout` and only members that every
    /// command gives; else JSON.
    pub(super) fn from_schema(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else { return Self::Streams };
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_streams = properties.is_some_and(|properties| {
            properties.contains_key("stdout")
                && properties.keys().all(|name| STREAMS.contains(&name.as_str()))
        });
        if is_streams { Self::Streams } else { Self::Json }
    }
}

/// The reasons why a program gives no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    /// An argument would be read as an option.
    #[error("{tool} takes no {:?} as `{}`: its program would read that as an option", escape_hidden(&argument.value), argument.name)]
    OptionLike { tool: String, argument: OptionLike },
    /// The program failed.
    #[error("{tool} failed: {how}{said}")]
    Failed { tool: String, how: String, said: String, limit: Option<LimitKind> },
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
            ProgramError::OptionLike { .. } => Code::InvalidArgs,
            ProgramError::Failed { limit: Some(LimitKind::Wall), .. } => Code::Timeout,
            ProgramError::Failed { limit: Some(_), .. } => Code::QuotaExceeded,
            _ => Code::Internal,
        };
        let fault = Self { recoverable: true, ..Self::new(code, message) };
        match error {
            ProgramError::OptionLike { .. } => fault.with_suggestion(
                "give a value that does not begin with `-`; of a path, `./` before it says the same",
            ),
            ProgramError::Failed { limit: Some(LimitKind::Wall), .. } => {
                fault.with_suggestion(LONGER_BY_DEFINITION)
            }
            ProgramError::Failed { limit: Some(_), .. } => {
                fault.with_suggestion("have it do less at a time, or ask the person to raise that limit")
            }
            ProgramError::Failed { .. } => fault
                .with_suggestion("read what it says and call again with other arguments, or go another way"),
            ProgramError::Schema { details, .. } => fault
                .with_details(details)
                .with_suggestion("go on without it, and tell the person that its answer is wrong"),
            ProgramError::TooLong { .. } | ProgramError::NotJson { .. } => {
                fault.with_suggestion("go on without it, and tell the person that its answer is wrong")
            }
        }
    }
}

/// Returns the JSON that a program wrote, checked by the tool's output schema.
///
/// # Errors
/// Fails where the program failed, wrote no JSON, or its JSON breaks the schema.
pub(super) fn read_json(tool: &CompiledTool, run: &RunOutcome) -> Result<Value, Fault> {
    let name = || tool.name().to_owned();
    if run.report.exit_code != Some(0) {
        return Err(failure_error(tool, run).into());
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

fn failure_error(tool: &CompiledTool, run: &RunOutcome) -> ProgramError {
    let report = &run.report;
    let how = match (report.limit, report.exit_code, report.signal) {
        (Some(LimitKind::Wall), ..) => {
            format!("it did not end within {} ms", tool.def().sandbox.timeout_ms)
        }
        (Some(limit), ..) => format!("it was ended at its limit: {}", LimitWord::from_limit(limit).word()),
        (None, Some(code), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => signal_name(signal).to_owned(),
        (None, None, None) => "it did not end by itself".to_owned(),
    };
    let said = server_words(&run.errors.captured_text().text);
    let said = if said.is_empty() { said } else { format!("; it said: {said}") };
    ProgramError::Failed { tool: tool.name().to_owned(), how, said, limit: report.limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_schema_says_what_is_answered() {
        let of = |schema: Value| ProgramAnswerForm::from_schema(Some(&schema));
        assert_eq!(ProgramAnswerForm::from_schema(None), ProgramAnswerForm::Streams);
        let standard =
            json!({ "type": "object", "properties": { "stdout": {}, "stderr": {}, "exit_code": {} } });
        assert_eq!(of(standard), ProgramAnswerForm::Streams);
        for own in [
            json!({ "type": "object" }),
            json!({ "type": "array" }),
            json!({ "properties": { "stdout": {}, "lines": {} } }),
            json!({ "properties": { "exit_code": {} } }),
        ] {
            assert_eq!(of(own.clone()), ProgramAnswerForm::Json, "{own}");
        }
    }
}
