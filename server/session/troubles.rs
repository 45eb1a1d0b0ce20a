//! What went wrong in a session that the person should know of: each is told once to the editor and once with an
//! answer, and kept for `wherefore status`.

use parking_lot::Mutex;

use super::Session;
use crate::protocol::Notice;

/// Troubles that are kept for the status; of more the oldest go.
const KEPT: usize = 20;

/// What went wrong in a session, a sentence each.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    all: Vec<String>,
    /// Those that no answer has told of.
    untold: Vec<String>,
}

impl Session {
    /// Keeps a sentence of what went wrong and tells the editor; the same sentence counts once.
    pub fn report_trouble(&self, trouble: String) {
        let mut lists = self.troubles.0.lock();
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

    /// The troubles that no answer has told of yet, those of the session log among them; the next call gets others.
    pub fn take_untold_troubles(&self) -> Vec<String> {
        let troubles = self.opened_journal().map(crate::journal::Journal::troubles).unwrap_or_default();
        troubles.into_iter().for_each(|trouble| self.report_trouble(trouble));
        std::mem::take(&mut self.troubles.0.lock().untold)
    }

    /// The latest troubles, oldest first, for the status.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.troubles.0.lock().all.clone()
    }
}
