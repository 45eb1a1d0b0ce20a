//! terminal.output: what a command in the background wrote, and how it stands.

use std::sync::Arc;
use std::time::Duration;

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::background::{self, ProcessStatus};
use crate::execution::{Executor, OutputPart, Process, readable};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Bytes that one answer holds.
const MOST: usize = 32 << 10;

/// Shows what a command in the background wrote.
pub(super) struct ShowOutput(pub(super) Arc<Executor>);

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
    #[serde(flatten)]
    status: ProcessStatus,
}

impl Activity for ShowOutput {
    type Input = OutputInput;
    type Output = OutputAnswer;

    fn effects(&self, _: &OutputInput) -> Effects {
        Effects::default()
    }

    fn limit(&self, input: &OutputInput) -> Option<Duration> {
        Some(Duration::from_millis(input.wait_ms) + Duration::from_secs(10))
    }

    async fn run(
        &self,
        input: Arc<OutputInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<OutputAnswer>, Fault> {
        let process = background::find(&self.0, &input.id)?;
        let until = input.until.as_deref().map(pattern).transpose()?;
        let deadline = tokio::time::sleep(Duration::from_millis(input.wait_ms));
        tokio::select! {
            () = enough(&process, input.from, until.as_ref()) => {}
            () = deadline => {}
            () = scope.cancel().cancelled() => scope.check()?,
        }
        let part = process.output.part(input.from, MOST);
        let answer = OutputAnswer {
            output: readable(&part.bytes),
            from: part.from,
            next: part.next(),
            found: until.map(|until| until.is_match(&part.bytes)),
            status: ProcessStatus::of(&process),
        };
        Ok(Output { truncated: part.bytes.len() == MOST, ..Output::value(answer) })
    }
}

fn pattern(pattern: &str) -> Result<Regex, Fault> {
    Regex::new(pattern).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("`until` is no regular expression: {error}"))
            .suggest("escape signs that mean something, such as `(` and `.`")
    })
}

/// Returns once there is what was asked for: the pattern, else anything behind the offset; or the command ended.
async fn enough(process: &Process, from: u64, until: Option<&Regex>) {
    loop {
        let part: OutputPart = process.output.part(from, MOST);
        let is_enough = until.map_or(!part.bytes.is_empty(), |until| until.is_match(&part.bytes));
        if is_enough || !process.runs() || part.bytes.len() == MOST {
            return;
        }
        tokio::select! {
            () = process.output.grown(part.next()) => {}
            () = process.ended() => return,
        }
    }
}
