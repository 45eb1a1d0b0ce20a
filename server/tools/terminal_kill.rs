//! terminal.kill: a command in the background is ended, with all that it started.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::background::{self, ProcessStatus};
use crate::execution::Executor;
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Ends a command in the background.
pub(super) struct EndCommand(pub(super) Arc<Executor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct KillInput {
    id: String,
}

impl Activity for EndCommand {
    type Input = KillInput;
    type Output = ProcessStatus;

    fn effects(&self, _: &KillInput) -> Effects {
        Effects::default()
    }

    async fn run(
        &self,
        input: Arc<KillInput>,
        _: &Permitted,
        _: &Scope,
    ) -> Result<Output<ProcessStatus>, Fault> {
        let process = background::find(&self.0, &input.id)?;
        process.kill();
        process.ended().await;
        Ok(Output::value(ProcessStatus::of(&process)))
    }
}
