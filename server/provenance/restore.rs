//! The lines that each change removed, kept so that an undo of it gives each line back with its mark.

use std::collections::VecDeque;

use wherefore_base::CallId;

use crate::author::UndoLines;
use crate::mark::LineMark;

/// Lines that are kept of one file at most; the oldest go.
const LINES: usize = 100_000;
/// The most steps of one file whose lines are kept: an undo of an earlier one brings lines back without a mark.
const STEPS: usize = 64;

/// The lines that one step removed.
#[derive(Clone, Debug)]
struct RemovedLines {
    session: String,
    call: CallId,
    /// True if the step itself took a hunk of its call out.
    back: bool,
    lines: Vec<(u64, LineMark)>,
}

/// The lines that the steps of one file removed, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileHistory {
    steps: VecDeque<RemovedLines>,
    lines: usize,
}

impl FileHistory {
    pub(crate) fn keep_step(
        &mut self,
        session: &str,
        call: &CallId,
        back: bool,
        lines: Vec<(u64, LineMark)>,
    ) {
        if lines.is_empty() {
            return;
        }
        self.lines += lines.len();
        self.steps.push_back(RemovedLines { session: session.to_owned(), call: call.clone(), back, lines });
        while self.lines > LINES || self.steps.len() > STEPS {
            let Some(oldest) = self.steps.pop_front() else { break };
            self.lines -= oldest.lines.len();
        }
    }

    /// The marks of all lines that are kept.
    pub(crate) fn marks(&mut self) -> impl Iterator<Item = &mut LineMark> {
        self.steps.iter_mut().flat_map(|step| &mut step.lines).map(|(_, mark)| mark)
    }

    /// Returns the lines that a call removed, which its undo brings back. With `back`, those that a hunk of it brings
    /// back when it is taken out.
    pub(crate) fn lines_of_undo(&self, session: &str, call: &CallId, back: bool) -> UndoLines {
        let mut returning = UndoLines::default();
        // The session of an undone call may be another than the undo's: then the newest of that name is taken.
        let of = |removed: &&RemovedLines| removed.call == *call && !(back && removed.back);
        let same = self.steps.iter().any(|removed| of(&removed) && removed.session == session);
        let newest = self.steps.iter().rev().find(of).map(|removed| removed.session.clone());
        for removed in self.steps.iter().filter(of) {
            if if same { removed.session == session } else { Some(&removed.session) == newest.as_ref() } {
                returning.add_lines(&removed.lines);
            }
        }
        returning
    }
}
