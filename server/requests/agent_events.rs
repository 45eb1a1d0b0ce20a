//! `wherefore/agentEvents`: what happened in a run of the built-in agent since an event.

use std::time::Duration;

use super::{AgentEvents, Asker, Request};
use crate::agent;
use crate::hub::Hub;
use crate::protocol::{AgentEvent, AgentEventsAnswer, AgentEventsParams, Fault};

/// The longest wait, in milliseconds.
const LONGEST: u64 = 30_000;

impl Request for AgentEvents {
    /// NOT_FOUND where this server has no such run, or no log has it where that is asked for.
    async fn answer_request(
        hub: &Hub,
        params: AgentEventsParams,
        _: Asker,
    ) -> Result<AgentEventsAnswer, Fault> {
        if params.logged {
            return logged_events(hub, params).await;
        }
        let run = hub.agent_runs().get(&params.run)?;
        tokio::task::yield_now().await;
        Ok(run.events_after(params.after, Duration::from_millis(params.wait_ms.min(LONGEST))).await)
    }
}

/// Returns the events of a run from its log. A log can be long: it is not read on the thread of the requests.
async fn logged_events(hub: &Hub, params: AgentEventsParams) -> Result<AgentEventsAnswer, Fault> {
    let folder = hub.folder_at(params.root.as_deref())?;
    let state = hub.agent_runs().get(&params.run).map(|run| run.state()).unwrap_or_default();
    let run = params.run.clone();
    let root = folder.root().to_owned();
    let told = tokio::task::spawn_blocking(move || agent::replayed_events(&folder, &run)).await;
    let told = told.map_err(|error| Fault::internal(error.to_string()))??;
    let event = |(seq, what)| AgentEvent { run: params.run.clone(), root: root.clone(), seq, what };
    let events = (1..).zip(told).map(event).filter(|event| event.seq > params.after).collect();
    Ok(AgentEventsAnswer { events, state })
}
