//! What the person let a tool do for the session: they are asked about each host once, and about a path until they say
//! that their yes is for the session.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::registry::{Call, Permitted};
use crate::rules::Grant;

/// An agent, by the name that it gave, and a tool.
type Caller = (Option<String>, String);

/// What the person said yes to: a yes to one tool is none to another.
#[derive(Debug, Default)]
pub(super) struct SessionApprovals {
    /// By tool.
    hosts: Mutex<HashMap<String, Arc<Grant>>>,
    /// By tool and agent: a yes to one agent is none to another.
    paths: Mutex<HashMap<Caller, Arc<Grant>>>,
}

impl SessionApprovals {
    /// What this call may touch without a question.
    pub(super) fn of(&self, call: &Call) -> Option<Arc<Grant>> {
        let hosts = self.hosts_of(call);
        let paths = self.paths.lock().get(&caller(call)).cloned();
        match (hosts, paths) {
            (Some(hosts), Some(paths)) => Some(Arc::new(hosts.and(Grant::clone(&paths)))),
            (hosts, paths) => hosts.or(paths),
        }
    }

    /// The hosts that the tool of this call may reach without a question.
    pub(super) fn hosts_of(&self, call: &Call) -> Option<Arc<Grant>> {
        if call.effects().network.is_empty() {
            return None;
        }
        self.hosts.lock().get(call.tool().name()).cloned()
    }

    /// Keeps the hosts that the person was asked about.
    pub(super) fn keep_hosts(&self, permitted: &Permitted) {
        let call = permitted.call();
        if call.effects().network.is_empty() {
            return;
        }
        let mut known = self.hosts.lock();
        let before = known.get(call.tool().name());
        if let Some(hosts) = permitted.grant().further_hosts(before.map(Arc::as_ref)) {
            known.insert(call.tool().name().to_owned(), Arc::new(hosts));
        }
    }

    /// Keeps the paths that the person was asked about, and said yes to for the session.
    pub(super) fn keep_paths(&self, call: &Call, paths: Grant) {
        let mut known = self.paths.lock();
        let caller = caller(call);
        let all = match known.get(&caller) {
            Some(before) => before.and(paths),
            None => paths,
        };
        known.insert(caller, Arc::new(all));
    }
}

fn caller(call: &Call) -> Caller {
    (call.origin().agent.clone(), call.tool().name().to_owned())
}
