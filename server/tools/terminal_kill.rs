//! terminal.kill: a command in the background is ended, with all that it started.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::background::{self, ProcessStatus};
use crate::execution::CommandExecutor;
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Ends a command in the background.
pub(super) struct EndCommand(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct KillInput {
    id: String,
}

impl Activity for EndCommand {
    type Input = KillInput;
    type Output = ProcessStatus;

    fn call_effects(&self, _: &KillInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        input: Arc<KillInput>,
        _: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput<ProcessStatus>, Fault> {
        let process = background::find_command(&self.0, &input.id)?;
        process.kill();
        process.wait_ended().await;
        Ok(ActivityOutput::from_value(ProcessStatus::from_process(&process, Vec::new())))
    }
}
