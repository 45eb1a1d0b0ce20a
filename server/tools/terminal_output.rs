//! terminal.output: returns the output of a command in the background, and its status.

use std::sync::Arc;
use std::time::Duration;

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::background::{self, ProcessStatus};
use crate::base::CallId;
use crate::execution::{
    BackgroundCommand, CommandExecutor, OutputPart, ProcessState, plain_text, planted_files,
};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Bytes that one answer holds.
const MOST: usize = 32 << 10;

/// Shows what a command in the background wrote.
pub(super) struct ShowOutput(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OutputInput {
    id: String,
    #[serde(default)]
    from: u64,
    until: Option<String>,
    #[serde(default)]
    wait_ms: u64,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OutputAnswer {
    output: String,
    from: u64,
    next: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    #[serde(flatten)]
    status: ProcessStatus,
}

impl Activity for ShowOutput {
    type Input = OutputInput;
    type Output = OutputAnswer;

    fn call_effects(&self, _: &OutputInput) -> CallEffects {
        CallEffects::default()
    }

    fn time_limit(&self, input: &OutputInput) -> Option<Duration> {
        Some(Duration::from_millis(input.wait_ms) + Duration::from_secs(10))
    }

    async fn run_call(
        &self,
        input: Arc<OutputInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<OutputAnswer>, Fault> {
        let process = background::find_command(&self.0, &input.id)?;
        let until = input.until.as_deref().map(parse_pattern).transpose()?;
        let deadline = tokio::time::sleep(Duration::from_millis(input.wait_ms));
        tokio::select! {
            () = wait_enough(&process, input.from, until.as_ref()) => {}
            () = deadline => {}
            () = scope.cancel_token().cancelled() => scope.check_cancelled()?,
        }
        let part = process.output.read_part(input.from, MOST);
        let answer = OutputAnswer {
            output: plain_text(&part.bytes),
            from: part.from,
            next: part.next(),
            found: until.map(|until| until.is_match(&part.bytes)),
            left_out: match process.state() {
                ProcessState::Ended(report) => planted_files(scope, &report),
                _ => Vec::new(),
            },
            status: ProcessStatus::from_process(&process, self.0.ports_of(&CallId::from(input.id.as_str()))),
        };
        Ok(ActivityOutput { truncated: part.bytes.len() == MOST, ..ActivityOutput::from_value(answer) })
    }
}

fn parse_pattern(pattern: &str) -> Result<Regex, Fault> {
    Regex::new(pattern).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("`until` is no regular expression: {error}"))
            .with_suggestion("escape signs that mean something, such as `(` and `.`")
    })
}

/// Returns once there is what was asked for: the pattern, else anything behind the offset; or the command ended.
async fn wait_enough(process: &BackgroundCommand, from: u64, until: Option<&Regex>) {
    loop {
        let part: OutputPart = process.output.read_part(from, MOST);
        let is_enough = until.map_or(!part.bytes.is_empty(), |until| until.is_match(&part.bytes));
        if is_enough || !process.is_running() || part.bytes.len() == MOST {
            return;
        }
        tokio::select! {
            () = process.output.wait_for_more(part.next()) => {}
            () = process.wait_ended() => return,
        }
    }
}
