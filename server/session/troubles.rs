//! The troubles of a session that the person should know of: each is reported once to the editor and once with an
//! answer, and kept for `wherefore status`.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::ports::Editor;
use crate::protocol::EditorNotice;

/// Troubles that are kept for the status; of more the oldest go.
const KEPT: usize = 20;

/// The troubles of a session, a sentence each.
#[derive(Debug)]
pub struct SessionTroubles {
    editor: Arc<dyn Editor>,
    lists: Mutex<TroubleLists>,
}

#[derive(Debug, Default)]
struct TroubleLists {
    all: Vec<String>,
    /// The troubles that no answer has reported.
    untold: Vec<String>,
}

impl SessionTroubles {
    /// Returns an empty list; that editor is notified of each trouble.
    pub(super) fn new(editor: Arc<dyn Editor>) -> Self {
        Self { editor, lists: Mutex::default() }
    }

    /// Keeps the description of a trouble and notifies the editor; the same sentence counts once.
    pub fn report_trouble(&self, trouble: String) {
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
        self.editor.tell(EditorNotice::Trouble(trouble));
    }

    /// Takes the troubles that no answer has reported yet; the next call gets the later ones.
    pub(super) fn take_unreported(&self) -> Vec<String> {
        std::mem::take(&mut self.lists.lock().untold)
    }

    /// The latest troubles, oldest first, for the status.
    pub(super) fn all_troubles(&self) -> Vec<String> {
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
        (0..=KEPT).chain([KEPT]).for_each(|number| troubles.report_trouble(number.to_string()));
        assert_eq!((troubles.all_troubles().len(), troubles.all_troubles()[0].as_str()), (KEPT, "1"));
        assert_eq!((troubles.take_unreported().len(), troubles.take_unreported().len()), (KEPT + 1, 0));
    }
}
