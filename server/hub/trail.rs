//! The trail of each agent to the tools that it calls: its searches, the tools found, the schemas expanded.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

use crate::base::CallId;

/// Agents remembered at the same time; the one seen first is forgotten first.
const AGENTS: usize = 256;

/// The steps of every agent in one folder.
#[derive(Debug, Default)]
pub struct DiscoveryTrail(Mutex<TrailSteps>);

#[derive(Debug, Default)]
struct TrailSteps {
    agents: HashMap<String, AgentSteps>,
    order: VecDeque<String>,
}

#[derive(Debug, Default)]
struct AgentSteps {
    /// The call that found a tool last, by the tool's name.
    found: HashMap<String, CallId>,
    /// The call that expanded a tool last, and what it showed.
    expanded: HashMap<String, ToolExpansion>,
}

/// A tool's schema as an agent saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolExpansion {
    /// The call that showed it.
    pub call_id: CallId,
    /// The hash of its definition.
    pub hash: String,
}

impl DiscoveryTrail {
    /// Remembers that a call found tools.
    pub fn note_found<'a>(&self, agent: &str, call_id: &CallId, tools: impl Iterator<Item = &'a str>) {
        self.with_steps(agent, |steps| {
            steps.found.extend(tools.map(|tool| (tool.to_owned(), call_id.clone())));
        });
    }

    /// The call that found a tool last.
    pub fn finding_call(&self, agent: &str, tool: &str) -> Option<CallId> {
        self.with_steps(agent, |steps| steps.found.get(tool).cloned())
    }

    /// Remembers that a tool's schema was shown.
    pub fn note_expanded(&self, agent: &str, tool: &str, expansion: ToolExpansion) {
        self.with_steps(agent, |steps| steps.expanded.insert(tool.to_owned(), expansion));
    }

    /// Returns the last expansion of a tool.
    pub fn last_expansion(&self, agent: &str, tool: &str) -> Option<ToolExpansion> {
        self.with_steps(agent, |steps| steps.expanded.get(tool).cloned())
    }

    fn with_steps<T>(&self, agent: &str, act: impl FnOnce(&mut AgentSteps) -> T) -> T {
        let mut steps = self.0.lock();
        if !steps.agents.contains_key(agent) {
            steps.order.push_back(agent.to_owned());
            if steps.order.len() > AGENTS
                && let Some(first) = steps.order.pop_front()
            {
                steps.agents.remove(&first);
            }
        }
        act(steps.agents.entry(agent.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_do_not_share_steps_and_old_ones_are_forgotten() {
        let trail = DiscoveryTrail::default();
        trail.note_found("a", &"c-1".into(), ["fs.read"].into_iter());
        assert_eq!(trail.finding_call("a", "fs.read").as_deref(), Some("c-1"));
        assert_eq!(trail.finding_call("b", "fs.read"), None);
        (0..AGENTS).for_each(|n| trail.note_found(&n.to_string(), &"c-2".into(), ["fs.read"].into_iter()));
        assert_eq!(trail.finding_call("a", "fs.read"), None);
    }
}
