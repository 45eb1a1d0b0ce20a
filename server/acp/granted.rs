//! Changes that were accepted and written before their agent writes them itself.
//!
//! An agent that asks permission, reads the file once more, and writes it through the editor then, would find its own
//! change made. It is given the text that its permission was about, once, and what it writes is found to be in place.

use std::collections::HashMap;

/// A change that stands in a file, and whose agent has not written it yet.
#[derive(Clone, Debug)]
struct Granted {
    /// The text before the change, until the agent has read it.
    before: Option<String>,
    after: String,
}

/// The changes of one turn, by path.
#[derive(Clone, Debug, Default)]
pub(super) struct GrantedChanges(HashMap<String, Granted>);

impl GrantedChanges {
    /// A change of `path` is in place.
    pub(super) fn grant(&mut self, path: &str, before: String, after: String) {
        self.0.insert(path.to_owned(), Granted { before: Some(before), after });
    }

    /// The text that the agent means to change; once.
    pub(super) fn read(&mut self, path: &str) -> Option<String> {
        self.0.get_mut(path)?.before.take()
    }

    /// Whether what the agent writes is a change that is in place. It is not asked for again.
    pub(super) fn written(&mut self, path: &str, text: &str) -> bool {
        self.0.remove(path).is_some_and(|granted| granted.after == text)
    }

    /// The turn is over: nothing of it is written any more.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
