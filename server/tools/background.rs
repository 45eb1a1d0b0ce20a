//! What the tools for commands in the background have in common.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::CallId;
use crate::execution::{Executor, LimitWord, Process, ProcessState};
use crate::protocol::{Code, Fault};
use crate::sandbox::signal_name;

/// How a command in the background stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProcessStatus {
    running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    age_ms: u64,
}

impl ProcessStatus {
    pub(super) fn of(process: &Process) -> Self {
        let age_ms = u64::try_from(process.age().as_millis()).unwrap_or(u64::MAX);
        let runs = Self { running: true, exit_code: None, signal: None, limit: None, failed: None, age_ms };
        match process.state() {
            ProcessState::Runs => runs,
            ProcessState::Failed(why) => Self { running: false, failed: Some(why), ..runs },
            ProcessState::Ended(report) => Self {
                running: false,
                exit_code: report.exit_code,
                signal: report.signal.map(signal_name),
                limit: report.limit.map(LimitWord::of),
                ..runs
            },
        }
    }
}

/// The command that a call started.
///
/// # Errors
/// NOT_FOUND, with those that there are.
pub(super) fn find(executor: &Executor, id: &str) -> Result<Arc<Process>, Fault> {
    let processes = executor.processes();
    processes.get(&CallId::from(id)).ok_or_else(|| {
        Fault::new(Code::NotFound, format!("no command in the background has the id {id:?}"))
            .hint(processes.all().into_iter().map(|(id, _)| id.to_string()))
            .suggest("process.list shows those that there are; they end with the server")
    })
}
