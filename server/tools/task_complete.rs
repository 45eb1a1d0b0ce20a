//! task_complete: the agent reports that it is done, and learns which changes still wait.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::proposals::ProposalQueue;
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

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

/// The state of the task.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TaskStatus {
    Complete,
}

impl Activity for CompleteTask {
    type Input = CompleteInput;
    type Output = Completed;

    fn call_effects(&self, _: &CompleteInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        input: Arc<CompleteInput>,
        _: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput<Completed>, Fault> {
        let (pending_hunks, _) = self.0.store().waiting_counts();
        let summary = input.summary.clone();
        Ok(ActivityOutput::from_value(Completed { status: TaskStatus::Complete, summary, pending_hunks }))
    }
}
