//! Knows the agents that called, their connections, and the calls that run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::call_tally::CallTally;
use crate::protocol::{Door, Origin};

/// Agents that are remembered one by one.
const REMEMBERED: usize = 64;

/// The agents of a folder and their calls.
#[derive(Debug, Default)]
pub struct Presence {
    agents: Mutex<BTreeSet<String>>,
    /// Each agent by its door and session, the latest caller at the end.
    recent: Mutex<VecDeque<Origin>>,
    /// The connections of agents by name, each with the environment that its calls run in, if it has one of its own.
    connections: Mutex<BTreeMap<String, Option<String>>>,
    calls: AtomicU64,
    /// Calls that no code ran: their callers filled the results.
    latent: AtomicU64,
    /// The number of calls that came by each door.
    ways: Mutex<BTreeMap<Door, u64>>,
    running: AtomicU32,
}

impl Presence {
    /// Counts a call, and remembers who makes it.
    pub(super) fn count_call(&self, origin: &Origin) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        *self.ways.lock().entry(origin.door).or_default() += 1;
        if let Some(agent) = &origin.agent {
            let mut agents = self.agents.lock();
            // The name is the agent's own word: no flood of them is kept.
            if agents.len() < REMEMBERED {
                agents.insert(agent.clone());
            }
        }
        self.record_caller(origin);
    }

    /// Remembers that an agent did something now.
    pub fn record_caller(&self, origin: &Origin) {
        if !origin.is_agent() {
            return;
        }
        let mut heard = self.recent.lock();
        if heard.back().is_some_and(|last| is_one(last, origin)) {
            return;
        }
        heard.retain(|known| !is_one(known, origin));
        if heard.len() == REMEMBERED {
            heard.pop_front();
        }
        heard.push_back(origin.without_call_ids());
    }

    /// Returns the agent that acted last, by the knowledge of this process.
    pub fn last_agent(&self) -> Option<Origin> {
        self.recent.lock().back().cloned()
    }

    /// Returns whether a call was made over a connection of the same agent that has ended.
    pub fn is_left_behind(&self, origin: &Origin, agent: &Origin) -> bool {
        origin.door == Door::Mcp
            && agent.door == Door::Mcp
            && origin.agent == agent.agent
            && origin.session.as_ref().is_some_and(|session| !self.is_connected(session))
    }

    /// Returns whether the agent known as `meant` now calls as `caller`: by the same session, after its connection
    /// ended, or by another door. Sessions of two doors belong to one agent where no other session of that name was
    /// seen at either.
    pub fn is_same_agent(&self, meant: &Origin, caller: &Origin) -> bool {
        if meant.delivery_key() == caller.delivery_key() || self.is_left_behind(meant, caller) {
            return true;
        }
        let name = meant.bare_name().filter(|name| caller.is_named(name));
        let Some(name) = name.filter(|_| meant.door != caller.door) else { return false };
        let heard = self.recent.lock();
        let mut of_name = heard.iter().filter(|known| known.bare_name() == Some(name));
        of_name.all(|known| {
            let own = if known.door == meant.door { meant } else { caller };
            known.door != own.door || known.session == own.session
        })
    }

    /// An agent's connection of that name is there, until what it returns is dropped. Its calls run in `environment`, if it has
    /// one of its own.
    pub fn add_connection(self: &Arc<Self>, name: &str, environment: Option<&str>) -> PresenceGuard {
        self.connections.lock().insert(name.to_owned(), environment.map(str::to_owned));
        PresenceGuard { presence: self.clone(), name: name.to_owned() }
    }

    /// Returns whether any agent's connection is there.
    pub fn has_agents(&self) -> bool {
        !self.connections.lock().is_empty()
    }

    /// Returns whether an agent's connection of that name is there.
    pub fn is_connected(&self, name: &str) -> bool {
        self.connections.lock().contains_key(name)
    }

    /// Returns the environments of the connections that have one of their own, by the connection's name and that of its agent.
    pub fn own_environments(&self) -> BTreeMap<String, String> {
        let agent_of = |name: &str| {
            let heard = self.recent.lock();
            let origin = heard.iter().rev().find(|origin| origin.session.as_deref() == Some(name));
            origin.and_then(|origin| origin.agent.clone()).map(|agent| format!("{agent} ({name})"))
        };
        let connections = self.connections.lock();
        let own = connections.iter().filter_map(|(name, environment)| {
            Some((agent_of(name).unwrap_or_else(|| name.clone()), environment.clone()?))
        });
        own.collect()
    }

    /// Returns the calls so far, counted.
    pub fn tally(&self) -> CallTally {
        CallTally {
            calls: self.calls.load(Ordering::Relaxed),
            latent: self.latent.load(Ordering::Relaxed),
            ways: self.ways.lock().clone(),
            agents: self.agents.lock().clone(),
        }
    }

    /// Returns the number of calls that run now.
    pub fn running_calls(&self) -> u32 {
        self.running.load(Ordering::Relaxed)
    }

    /// Counts a call that no code ran.
    pub fn count_latent(&self) {
        self.latent.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call as running until what it returns is dropped.
    pub fn begin_running(self: &Arc<Self>) -> RunningCall {
        self.running.fetch_add(1, Ordering::Relaxed);
        RunningCall(self.clone())
    }
}

/// Returns whether two calls are of one session of one agent.
fn is_one(known: &Origin, origin: &Origin) -> bool {
    (known.door, &known.agent, &known.session) == (origin.door, &origin.agent, &origin.session)
}

/// An agent's connection.
#[derive(Debug)]
pub struct PresenceGuard {
    presence: Arc<Presence>,
    name: String,
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.presence.connections.lock().remove(&self.name);
    }
}

/// A call that runs.
#[derive(Debug)]
pub struct RunningCall(Arc<Presence>);

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Door;

    #[test]
    fn agents_are_remembered_one_by_one_up_to_a_number() {
        let presence = Presence::default();
        for number in 0..10 * REMEMBERED {
            let agent = Some(format!("agent-{number}"));
            let session = Some(format!("{number}"));
            presence.count_call(&Origin { agent, session, ..Origin::from_door(Door::Mcp) });
        }
        assert_eq!(presence.tally().agents.len(), REMEMBERED);
        assert_eq!(presence.recent.lock().len(), REMEMBERED);
        assert_eq!(presence.last_agent().and_then(|last| last.session).as_deref(), Some("639"));
    }

    #[test]
    fn who_calls_is_counted_and_who_leaves_is_gone() {
        let presence = Arc::new(Presence::default());
        presence.count_call(&Origin { agent: Some("one".to_owned()), ..Origin::from_door(Door::Mcp) });
        presence.count_call(&Origin::from_door(Door::Cli));
        let (connected, running) = (presence.add_connection("c", None), presence.begin_running());
        let tally = presence.tally();
        assert_eq!((tally.agents.into_iter().collect::<Vec<_>>(), tally.calls), (vec!["one".to_owned()], 2));
        assert_eq!(presence.running_calls(), 1);
        assert!(presence.is_connected("c"));
        drop((connected, running));
        assert_eq!((presence.is_connected("c"), presence.running_calls()), (false, 0));
    }
}
