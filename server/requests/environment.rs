//! `wherefore/environment`: which environment tools run in, and a switch to another.

use super::{Asker, Environment, Request};
use crate::hub::Hub;
use crate::protocol::{EnvironmentAnswer, EnvironmentParams, Fault};

impl Request for Environment {
    /// NOT_FOUND where there is no such environment.
    async fn answer_request(
        hub: &Hub,
        params: EnvironmentParams,
        _: Asker,
    ) -> Result<EnvironmentAnswer, Fault> {
        // It is written to the disk, which is not done where requests are read.
        tokio::task::yield_now().await;
        let folder = hub.folder_at(params.root.as_deref())?;
        if params.reset || params.name.is_some() {
            folder.toolbox().switch_environment(params.name.as_deref())?;
        }
        Ok(folder.toolbox().environment_answer())
    }

    fn needs_servers(_: &Hub, _: &EnvironmentParams) -> bool {
        true
    }
}
