//! The hosts that the person let a tool reach: they are asked about each once a session.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::registry::{Call, Permitted};
use crate::rules::Grant;

/// What the person said yes to, by tool: a yes to one tool is none to another.
#[derive(Debug, Default)]
pub(super) struct KnownHosts(Mutex<HashMap<String, Arc<Grant>>>);

impl KnownHosts {
    /// The hosts that the tool of this call may reach without a question.
    pub(super) fn of(&self, call: &Call) -> Option<Arc<Grant>> {
        if call.effects().network.is_empty() {
            return None;
        }
        self.0.lock().get(call.tool().name()).cloned()
    }

    /// Keeps the hosts that the person was asked about.
    pub(super) fn keep(&self, permitted: &Permitted) {
        let call = permitted.call();
        if call.effects().network.is_empty() {
            return;
        }
        let mut known = self.0.lock();
        let before = known.get(call.tool().name());
        if let Some(hosts) = permitted.grant().further_hosts(before.map(Arc::as_ref)) {
            known.insert(call.tool().name().to_owned(), Arc::new(hosts));
        }
    }
}
