//! process.list: the commands in the background.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::background::ProcessStatus;
use crate::execution::Executor;
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Lists the commands in the background.
pub(super) struct ListProcesses(pub(super) Arc<Executor>);

/// The arguments: none.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListInput {}

/// A command in the background.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedProcess {
    id: String,
    cmd: Vec<String>,
    why: String,
    #[serde(flatten)]
    status: ProcessStatus,
}

impl Activity for ListProcesses {
    type Input = ListInput;
    type Output = Vec<ListedProcess>;

    fn effects(&self, _: &ListInput) -> Effects {
        Effects::default()
    }

    async fn run(
        &self,
        _: Arc<ListInput>,
        _: &Permitted,
        _: &Scope,
    ) -> Result<Output<Vec<ListedProcess>>, Fault> {
        let listed = self.0.processes().all().into_iter().map(|(id, process)| ListedProcess {
            id: id.to_string(),
            cmd: process.argv.clone(),
            why: process.why.clone(),
            status: ProcessStatus::of(&process),
        });
        Ok(Output::value(listed.collect()))
    }
}
