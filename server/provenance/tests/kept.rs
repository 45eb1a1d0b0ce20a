//! The texts of a history, and where its file stands.

use std::cell::RefCell;
use std::collections::HashMap;

use wherefore_base::{WorkspacePath, hash};

use crate::Ground;

#[derive(Default)]
pub(super) struct Kept {
    pub(super) texts: RefCell<HashMap<String, String>>,
    pub(super) path: RefCell<String>,
}

impl Ground for Kept {
    fn text(&self, hash: &str) -> Option<String> {
        self.texts.borrow().get(hash).cloned()
    }

    fn stands(&self, path: &WorkspacePath) -> bool {
        *self.path.borrow() == path.as_str()
    }
}

impl Kept {
    pub(super) fn put(&self, text: &str) -> String {
        let hash = hash::short(text.as_bytes());
        self.texts.borrow_mut().insert(hash.clone(), text.to_owned());
        hash
    }
}
