//! The permissions that the person gave a tool for the session: they are asked about each host once, and about a path until
//! they give permission for the session.
//!
//! # Invariants
//!
//! - No question without an answer is reported as a refusal by a person.
//!   Test: `a_question_that_nobody_answered_is_no_refusal_of_the_persons`, `a_person_is_asked_before_a_command_runs`

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::registry::{CheckedCall, PermittedCall};
use crate::rules::Grant;

/// An agent, by the name that it gave, and a tool.
type ApprovalKey = (Option<String>, String);

/// The person's approvals: one for a tool does not hold for another.
#[derive(Debug, Default)]
pub(super) struct SessionApprovals {
    /// By tool.
    hosts: Mutex<HashMap<String, Arc<Grant>>>,
    /// By tool and agent: a yes to one agent is none to another.
    paths: Mutex<HashMap<ApprovalKey, Arc<Grant>>>,
}

impl SessionApprovals {
    /// Returns the grant that this call has without a question.
    pub(super) fn grant_for(&self, call: &CheckedCall) -> Option<Arc<Grant>> {
        let hosts = self.hosts_of(call);
        let paths = self.paths.lock().get(&approval_key(call)).cloned();
        match (hosts, paths) {
            (Some(hosts), Some(paths)) => Some(Arc::new(hosts.join_later(Grant::clone(&paths)))),
            (hosts, paths) => hosts.or(paths),
        }
    }

    /// The hosts that the tool of this call may reach without a question.
    pub(super) fn hosts_of(&self, call: &CheckedCall) -> Option<Arc<Grant>> {
        if call.effects().network.is_empty() {
            return None;
        }
        self.hosts.lock().get(call.tool().name()).cloned()
    }

    /// Keeps the hosts that the person was asked about.
    pub(super) fn keep_hosts(&self, permitted: &PermittedCall) {
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
    pub(super) fn keep_paths(&self, call: &CheckedCall, paths: Grant) {
        let mut known = self.paths.lock();
        let caller = approval_key(call);
        let all = match known.get(&caller) {
            Some(before) => before.join_later(paths),
            None => paths,
        };
        known.insert(caller, Arc::new(all));
    }
}

fn approval_key(call: &CheckedCall) -> ApprovalKey {
    (call.origin().agent.clone(), call.tool().name().to_owned())
}
