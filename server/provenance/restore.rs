//! What each change removed, kept so that an undo of it gives each line back to whom it was of.

use std::collections::VecDeque;

use wherefore_base::CallId;

use crate::author::Returning;
use crate::mark::LineMark;

/// Lines that are kept of one file at most; the oldest go.
const LINES: usize = 1_000_000;

/// What one step removed.
#[derive(Clone, Debug)]
struct Removed {
    session: String,
    call: CallId,
    /// Whether the step itself took a hunk of its call out.
    back: bool,
    lines: Vec<(u64, LineMark)>,
}

/// What the steps of one file removed, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    steps: VecDeque<Removed>,
    lines: usize,
}

impl History {
    pub(crate) fn keep(&mut self, session: &str, call: &CallId, back: bool, lines: Vec<(u64, LineMark)>) {
        if lines.is_empty() {
            return;
        }
        self.lines += lines.len();
        self.steps.push_back(Removed { session: session.to_owned(), call: call.clone(), back, lines });
        while self.lines > LINES {
            let Some(oldest) = self.steps.pop_front() else { break };
            self.lines -= oldest.lines.len();
        }
    }

    /// What a call removed: what its undo brings back. With `back`, what a hunk of it that is taken out brings back.
    pub(crate) fn returning(&self, session: &str, call: &CallId, back: bool) -> Returning {
        let mut returning = Returning::default();
        // The session of an undone call may be another than the undo's: then the newest of that name is meant.
        let of = |removed: &&Removed| removed.call == *call && !(back && removed.back);
        let same = self.steps.iter().any(|removed| of(&removed) && removed.session == session);
        let newest = self.steps.iter().rev().find(of).map(|removed| removed.session.clone());
        for removed in self.steps.iter().filter(of) {
            if if same { removed.session == session } else { Some(&removed.session) == newest.as_ref() } {
                returning.add(&removed.lines);
            }
        }
        returning
    }
}
