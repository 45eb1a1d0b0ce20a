//! Who is there: the agents that called, their connections, and the calls that run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::protocol::{Door, Origin};

/// Agents that are remembered one by one.
const REMEMBERED: usize = 64;

/// The agents of a folder and their calls.
#[derive(Debug, Default)]
pub struct Presence {
    agents: Mutex<BTreeSet<String>>,
    /// Each agent by its door and session, the one heard last at the end.
    heard: Mutex<VecDeque<Origin>>,
    /// The connections of agents, by name.
    connections: Mutex<BTreeSet<String>>,
    calls: AtomicU64,
    /// How many calls came by each door.
    ways: Mutex<BTreeMap<Door, u64>>,
    running: AtomicU32,
}

impl Presence {
    /// Counts a call, and remembers who makes it.
    pub(super) fn called(&self, origin: &Origin) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        *self.ways.lock().entry(origin.door).or_default() += 1;
        if let Some(agent) = &origin.agent {
            self.agents.lock().insert(agent.clone());
        }
        self.hear(origin);
    }

    /// Remembers that an agent did something now.
    pub fn hear(&self, origin: &Origin) {
        if !origin.is_agent() {
            return;
        }
        let mut heard = self.heard.lock();
        if heard.back().is_some_and(|last| is_one(last, origin)) {
            return;
        }
        heard.retain(|known| !is_one(known, origin));
        if heard.len() == REMEMBERED {
            heard.pop_front();
        }
        heard.push_back(origin.caller());
    }

    /// The agent that did something last, as far as this process knows.
    pub fn last_agent(&self) -> Option<Origin> {
        self.heard.lock().back().cloned()
    }

    /// Whether a call was made over a connection of the same agent that has ended.
    pub fn is_left_behind(&self, origin: &Origin, agent: &Origin) -> bool {
        origin.door == Door::Mcp
            && agent.door == Door::Mcp
            && origin.agent == agent.agent
            && origin.session.as_ref().is_some_and(|session| !self.is_connected(session))
    }

    /// Whether the agent that was met as `meant` calls now as `caller`: by the same session, after its connection ended, or
    /// by another door. Sessions of two doors are one agent's where no other session of that name was met at either.
    pub fn is_same_agent(&self, meant: &Origin, caller: &Origin) -> bool {
        if meant.addressee() == caller.addressee() || self.is_left_behind(meant, caller) {
            return true;
        }
        let name = meant.bare_name().filter(|name| caller.is_named(name));
        let Some(name) = name.filter(|_| meant.door != caller.door) else { return false };
        let heard = self.heard.lock();
        let mut of_name = heard.iter().filter(|known| known.bare_name() == Some(name));
        of_name.all(|known| {
            let own = if known.door == meant.door { meant } else { caller };
            known.door != own.door || known.session == own.session
        })
    }

    /// Who called so far.
    pub fn agents(&self) -> Vec<String> {
        self.agents.lock().iter().cloned().collect()
    }

    /// An agent's connection of that name is there, until what it returns is dropped.
    pub fn connect(self: &Arc<Self>, name: &str) -> Connected {
        self.connections.lock().insert(name.to_owned());
        Connected { presence: self.clone(), name: name.to_owned() }
    }

    /// Whether any agent's connection is there.
    pub fn has_agents(&self) -> bool {
        !self.connections.lock().is_empty()
    }

    /// Whether an agent's connection of that name is there.
    pub fn is_connected(&self, name: &str) -> bool {
        self.connections.lock().contains(name)
    }

    /// How many calls came by each way in.
    pub fn ways(&self) -> BTreeMap<Door, u64> {
        self.ways.lock().clone()
    }

    /// How many calls were made, and how many run now.
    pub fn counts(&self) -> (u64, u32) {
        (self.calls.load(Ordering::Relaxed), self.running.load(Ordering::Relaxed))
    }

    /// Counts a call as running until what it returns is dropped.
    pub fn running(self: &Arc<Self>) -> RunningCall {
        self.running.fetch_add(1, Ordering::Relaxed);
        RunningCall(self.clone())
    }
}

/// Whether two calls are of one session of one agent.
fn is_one(known: &Origin, origin: &Origin) -> bool {
    (known.door, &known.agent, &known.session) == (origin.door, &origin.agent, &origin.session)
}

/// An agent's connection.
#[derive(Debug)]
pub struct Connected {
    presence: Arc<Presence>,
    name: String,
}

impl Drop for Connected {
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
    fn who_calls_is_counted_and_who_leaves_is_gone() {
        let presence = Arc::new(Presence::default());
        presence.called(&Origin { agent: Some("one".to_owned()), ..Origin::door(Door::Mcp) });
        presence.called(&Origin::door(Door::Cli));
        let (connected, running) = (presence.connect("c"), presence.running());
        assert_eq!((presence.agents(), presence.counts()), (vec!["one".to_owned()], (2, 1)));
        assert!(presence.is_connected("c"));
        drop((connected, running));
        assert_eq!((presence.is_connected("c"), presence.counts()), (false, (2, 0)));
    }
}
