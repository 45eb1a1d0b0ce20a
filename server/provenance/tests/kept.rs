//! The texts of a history, and the path of its file.

use std::cell::RefCell;
use std::collections::HashMap;

use wherefore_base::{WorkspacePath, hash};

use crate::WorkspaceTexts;

#[derive(Default)]
pub(super) struct Kept {
    pub(super) texts: RefCell<HashMap<String, String>>,
    pub(super) path: RefCell<String>,
}

impl WorkspaceTexts for Kept {
    fn text_of(&self, hash: &str) -> Option<String> {
        self.texts.borrow().get(hash).cloned()
    }

    fn file_exists(&self, path: &WorkspacePath) -> bool {
        *self.path.borrow() == path.as_str()
    }
}

impl Kept {
    pub(super) fn put(&self, text: &str) -> String {
        let hash = hash::short_hash(text.as_bytes());
        self.texts.borrow_mut().insert(hash.clone(), text.to_owned());
        hash
    }
}
