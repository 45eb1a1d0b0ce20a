//! The common parts of the tools for commands in the background.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::CallId;
use crate::execution::{BackgroundCommand, CommandExecutor, LimitWord, ProcessState, ReachedPort};
use crate::protocol::{Code, Fault};
use crate::sandbox::signal_name;

/// The status of a command in the background.
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<ReachedPort>,
    age_ms: u64,
}

impl ProcessStatus {
    /// The status of a process that runs and listens on `ports`.
    pub(super) fn of_running(age_ms: u64, ports: Vec<ReachedPort>) -> Self {
        Self { running: true, exit_code: None, signal: None, limit: None, failed: None, ports, age_ms }
    }

    /// Creates the status of a command that listens on `ports`.
    pub(super) fn from_process(process: &BackgroundCommand, ports: Vec<ReachedPort>) -> Self {
        let age_ms = u64::try_from(process.run_time().as_millis()).unwrap_or(u64::MAX);
        let runs = Self::of_running(age_ms, ports);
        match process.state() {
            ProcessState::Runs => runs,
            ProcessState::Failed(why) => Self { running: false, failed: Some(why), ..runs },
            ProcessState::Ended(report) => Self {
                running: false,
                exit_code: report.shell_status(),
                signal: report.signal.map(signal_name),
                limit: report.limit.map(LimitWord::from_limit),
                ..runs
            },
        }
    }
}

/// The command that a call started.
///
/// # Errors
/// NOT_FOUND, with those that there are.
pub(super) fn find_command(executor: &CommandExecutor, id: &str) -> Result<Arc<BackgroundCommand>, Fault> {
    let processes = executor.background_commands();
    processes.get(&CallId::from(id)).ok_or_else(|| {
        Fault::new(Code::NotFound, format!("no command in the background has the id {id:?}"))
            .with_hints(processes.all().into_iter().map(|(id, _)| id.to_string()))
            .with_suggestion("process.list shows those that there are; they end with the server")
    })
}
