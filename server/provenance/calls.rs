//! Records of calls themselves: the decisions on them, and the person's edits of their hunks.

use std::collections::{HashMap, VecDeque};

use wherefore_base::{CallId, HunkId};

use crate::record::{DecisionRecord, EditedRecord};

/// A session and a call in it.
pub(crate) type CallKey = (String, CallId);

/// The records of a call.
#[derive(Debug, Default)]
pub(crate) struct KnownCall {
    pub(crate) decisions: Vec<DecisionRecord>,
    pub(crate) edited: HashMap<HunkId, EditedRecord>,
}

/// The calls of which something is recorded.
#[derive(Debug, Default)]
pub(crate) struct KnownCalls {
    all: HashMap<CallKey, KnownCall>,
    /// Oldest first.
    order: VecDeque<CallKey>,
}

impl KnownCalls {
    /// Takes a decision in.
    pub(crate) fn add_decision(&mut self, decision: DecisionRecord) {
        let key = (decision.session.clone(), decision.call.clone());
        self.entry_for(key).decisions.push(decision);
    }

    /// Takes in what a person made of a hunk.
    pub(crate) fn add_edit(&mut self, edited: EditedRecord) {
        let key = (edited.session.clone(), edited.call.clone());
        self.entry_for(key).edited.insert(edited.hunk.clone(), edited);
    }

    /// Returns the records of a call.
    pub(crate) fn get(&self, session: &str, call: &CallId) -> Option<&KnownCall> {
        self.all.get(&(session.to_owned(), call.clone()))
    }

    /// Returns the number of calls.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Forgets calls but for the last ones, and those that are still needed.
    pub(crate) fn forget_old(&mut self, last: usize, is_needed: impl Fn(&CallKey) -> bool) {
        let old = self.order.len().saturating_sub(last);
        for (at, key) in std::mem::take(&mut self.order).into_iter().enumerate() {
            match at >= old || is_needed(&key) {
                true => self.order.push_back(key),
                false => drop(self.all.remove(&key)),
            }
        }
    }

    fn entry_for(&mut self, key: CallKey) -> &mut KnownCall {
        if !self.all.contains_key(&key) {
            self.order.push_back(key.clone());
        }
        self.all.entry(key).or_default()
    }
}
