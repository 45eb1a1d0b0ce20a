//! `wherefore/agentList`: the runs of the built-in agent in a folder.

use super::{AgentList, Asker, Request};
use crate::agent;
use crate::hub::Hub;
use crate::protocol::{AgentListAnswer, AgentListParams, Fault};

impl Request for AgentList {
    async fn answer_request(hub: &Hub, params: AgentListParams, _: Asker) -> Result<AgentListAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let mut runs: Vec<_> =
            hub.agent_runs().runs_in(folder.root()).iter().map(|run| run.summary()).collect();
        // Logs can be long: they are not read where requests are.
        let earlier = tokio::task::spawn_blocking(move || agent::earlier_runs(&folder)).await;
        let earlier = earlier.map_err(|error| Fault::internal(error.to_string()))?;
        runs.extend(earlier.into_iter().filter(|run| hub.agent_runs().get(&run.run).is_err()));
        Ok(AgentListAnswer { runs })
    }
}
