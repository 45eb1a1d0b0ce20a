//! What went wrong in a session that the person should know of: each is told once to the editor and once with an
//! answer, and kept for `wherefore status`.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::ports::Editor;
use crate::protocol::Notice;

/// Troubles that are kept for the status; of more the oldest go.
const KEPT: usize = 20;

/// What went wrong in a session, a sentence each.
#[derive(Debug)]
pub struct SessionTroubles {
    editor: Arc<dyn Editor>,
    lists: Mutex<TroubleLists>,
}

#[derive(Debug, Default)]
struct TroubleLists {
    all: Vec<String>,
    /// Those that no answer has told of.
    untold: Vec<String>,
}

impl SessionTroubles {
    /// None yet; that editor is told of each.
    pub(super) fn new(editor: Arc<dyn Editor>) -> Self {
        Self { editor, lists: Mutex::default() }
    }

    /// Keeps a sentence of what went wrong and tells the editor; the same sentence counts once.
    pub fn report(&self, trouble: String) {
        let mut lists = self.lists.lock();
        if lists.all.contains(&trouble) {
            return;
        }
        if lists.all.len() == KEPT {
            lists.all.remove(0);
        }
        lists.all.push(trouble.clone());
        lists.untold.push(trouble.clone());
        drop(lists);
        self.editor.tell(Notice::Trouble(trouble));
    }

    /// The troubles that no answer has told of yet; the next call gets others.
    pub(super) fn take_untold(&self) -> Vec<String> {
        std::mem::take(&mut self.lists.lock().untold)
    }

    /// The latest troubles, oldest first, for the status.
    pub(super) fn all(&self) -> Vec<String> {
        self.lists.lock().all.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::NoEditor;

    #[test]
    fn each_trouble_is_told_once_and_the_latest_are_kept() {
        let troubles = SessionTroubles::new(Arc::new(NoEditor));
        (0..=KEPT).chain([KEPT]).for_each(|number| troubles.report(number.to_string()));
        assert_eq!((troubles.all().len(), troubles.all()[0].as_str()), (KEPT, "1"));
        assert_eq!((troubles.take_untold().len(), troubles.take_untold().len()), (KEPT + 1, 0));
    }
}
