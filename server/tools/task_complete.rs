//! task_complete: the agent says that it is done, and learns what still waits.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::review::ProposalQueue;
use crate::session::Scope;

/// Notes that the task is done. The log holds the summary, as it holds every call.
pub(super) struct CompleteTask(pub Arc<ProposalQueue>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CompleteInput {
    summary: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Completed {
    status: TaskStatus,
    summary: String,
    pending_hunks: u32,
}

/// How the task stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TaskStatus {
    Complete,
}

impl Activity for CompleteTask {
    type Input = CompleteInput;
    type Output = Completed;

    fn effects(&self, _: &CompleteInput) -> Effects {
        Effects::default()
    }

    async fn run(
        &self,
        input: Arc<CompleteInput>,
        _: &Permitted,
        _: &Scope,
    ) -> Result<Output<Completed>, Fault> {
        let (pending_hunks, _) = self.0.waiting();
        let summary = input.summary.clone();
        Ok(Output::value(Completed { status: TaskStatus::Complete, summary, pending_hunks }))
    }
}
