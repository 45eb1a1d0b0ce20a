//! Changes that were accepted and written before the agent writes them itself.
//!
//! An agent that asks permission, then reads the file again and writes it through the editor, would find its own change
//! made. So its next read returns the text before the change, once, and its write is recognized as being in place.

use std::collections::HashMap;

/// A change that is in a file, but was not written by its agent yet.
#[derive(Clone, Debug)]
struct GrantedChange {
    /// The text before the change, until the agent has read it.
    before: Option<String>,
    after: String,
}

/// The changes of one turn, by path.
#[derive(Clone, Debug, Default)]
pub(super) struct GrantedChanges(HashMap<String, GrantedChange>);

impl GrantedChanges {
    /// Records that a change of `path` is in place.
    pub(super) fn add_change(&mut self, path: &str, before: String, after: String) {
        self.0.insert(path.to_owned(), GrantedChange { before: Some(before), after });
    }

    /// The text before the change, the first time it is read.
    pub(super) fn take_text_before(&mut self, path: &str) -> Option<String> {
        self.0.get_mut(path)?.before.take()
    }

    /// Removes the change of `path`; returns whether the agent writes exactly that change.
    pub(super) fn take_if_same(&mut self, path: &str, text: &str) -> bool {
        self.0.remove(path).is_some_and(|granted| granted.after == text)
    }

    /// Removes all changes at the end of the turn.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
