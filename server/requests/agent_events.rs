//! `wherefore/agentEvents`: what happened in a run of the built-in agent since an event.

use std::time::Duration;

use super::{AgentEvents, Asker, Request};
use crate::hub::Hub;
use crate::protocol::{AgentEventsAnswer, AgentEventsParams, Fault};

/// The longest wait, in milliseconds.
const LONGEST: u64 = 30_000;

impl Request for AgentEvents {
    /// NOT_FOUND where this server has no such run.
    async fn answer(hub: &Hub, params: AgentEventsParams, _: Asker) -> Result<AgentEventsAnswer, Fault> {
        let run = hub.agents().get(&params.run)?;
        tokio::task::yield_now().await;
        Ok(run.events(params.after, Duration::from_millis(params.wait_ms.min(LONGEST))).await)
    }
}
