//! `wherefore/agentCancel`: a turn of the built-in agent is cancelled, or its run ended.

use super::{AgentCancel, Asker, Request};
use crate::hub::Hub;
use crate::protocol::{AgentCancelParams, AgentRunSummary, Fault};

impl Request for AgentCancel {
    /// NOT_FOUND where this server has no such run.
    async fn answer_request(
        hub: &Hub,
        params: AgentCancelParams,
        _: Asker,
    ) -> Result<AgentRunSummary, Fault> {
        let run = hub.agent_runs().get(&params.run)?;
        match params.end {
            true => run.end_run(),
            false => run.cancel_turn(),
        }
        Ok(run.summary())
    }
}
