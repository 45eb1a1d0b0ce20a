//! The queue of notices: with a limit, since an editor may not read; it never loses the latest state of a proposal.

use std::collections::{HashMap, VecDeque};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::base::{CallId, ProposalId};
use crate::protocol::{CallNotice, CommandState, EditorNotice};

const LIMIT: usize = 1024;
/// Folded calls that are remembered, so that one that fails is named after all.
const FOLDED: usize = 64;

/// Notices in order. Only the last notice about the state of a proposal, or about the progress of some work, is kept.
/// Above the limit calls are only counted, and a proposal replaces itself.
#[derive(Debug, Default)]
pub(super) struct NoticeQueue {
    waiting: Mutex<WaitingNotices>,
    more: Notify,
}

#[derive(Debug, Default)]
struct WaitingNotices {
    notices: VecDeque<EditorNotice>,
    lost: u64,
    folded: HashMap<CallId, CallNotice>,
}

/// The next item to send.
#[derive(Debug, PartialEq)]
pub(super) enum NextNotice {
    /// A notice.
    Notice(Box<EditorNotice>),
    /// The number of calls that were not sent one by one.
    Lost(u64),
}

impl NoticeQueue {
    pub(super) fn push_notice(&self, notice: EditorNotice) {
        let mut waiting = self.lock_waiting();
        if waiting.append_output(&notice) {
            // The notice is contained in the earlier one now.
        } else if let Some(earlier) = waiting.superseded_notice(&notice) {
            *earlier = notice;
        } else if waiting.notices.len() < LIMIT {
            waiting.notices.push_back(notice);
        } else {
            waiting.push_when_full(notice);
        }
        drop(waiting);
        self.more.notify_one();
    }

    /// Counts a call that is not sent one by one; does not wake the sender.
    pub(super) fn count_call(&self, notice: &dyn Fn() -> CallNotice) {
        let has_room = {
            let mut waiting = self.lock_waiting();
            waiting.lost += 1;
            waiting.folded.len() < FOLDED
        };
        // Built without the lock: a notice reads the call's arguments.
        if has_room {
            self.remember_folded(notice());
        }
    }

    /// Remembers a call that is folded into the next message of several.
    pub(super) fn remember_folded(&self, call: CallNotice) {
        self.lock_waiting().remember_folded(call);
    }

    /// Takes out the call of this id where it was folded since the last message of several.
    pub(super) fn take_folded_call(&self, id: &CallId) -> Option<CallNotice> {
        self.lock_waiting().folded.remove(id)
    }

    /// The number of calls counted since the last call of this method.
    pub(super) fn take_call_count(&self) -> u64 {
        let mut waiting = self.lock_waiting();
        waiting.folded.clear();
        std::mem::take(&mut waiting.lost)
    }

    /// The next item; waits for it. Only one task may call it at a time.
    pub(super) async fn next_notice(&self) -> NextNotice {
        loop {
            if let Some(next) = self.lock_waiting().take_next() {
                return next;
            }
            self.more.notified().await;
        }
    }

    /// Returns whether the queue is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.lock_waiting().notices.is_empty()
    }

    fn lock_waiting(&self) -> MutexGuard<'_, WaitingNotices> {
        self.waiting.lock()
    }
}

impl WaitingNotices {
    fn remember_folded(&mut self, call: CallNotice) {
        if self.folded.len() < FOLDED {
            self.folded.insert(call.call_id.clone(), call);
        }
    }

    fn take_next(&mut self) -> Option<NextNotice> {
        match self.notices.pop_front() {
            Some(notice) => Some(NextNotice::Notice(Box::new(notice))),
            None if self.lost > 0 => Some(NextNotice::Lost(std::mem::take(&mut self.lost))),
            None => None,
        }
    }

    /// The earlier notice about the same proposal or work, which this notice replaces.
    fn superseded_notice(&mut self, notice: &EditorNotice) -> Option<&mut EditorNotice> {
        let stood = |waiting: &&mut EditorNotice| match (&**waiting, notice) {
            (EditorNotice::Changed(was), EditorNotice::Changed(now)) => was.id == now.id,
            (EditorNotice::Background(was), EditorNotice::Background(now)) => was.is_same(now),
            _ => false,
        };
        matches!(notice, EditorNotice::Changed(_) | EditorNotice::Background(_))
            .then(|| self.notices.iter_mut().rev().find(stood))
            .flatten()
    }

    /// Returns whether it is output of a command that was appended to an earlier notice.
    fn append_output(&mut self, notice: &EditorNotice) -> bool {
        if let (EditorNotice::Agent(later), Some(EditorNotice::Agent(earlier))) =
            (notice, self.notices.back_mut())
        {
            return earlier.append_piece(later);
        }
        let EditorNotice::Command(later) = notice else { return false };
        let mut commands = self.notices.iter_mut().rev().filter_map(|waiting| match waiting {
            EditorNotice::Command(earlier) => Some(earlier),
            _ => None,
        });
        let last = commands.find(|earlier| earlier.is_same(later));
        let joined = last.filter(|last| [last.state, later.state] == [CommandState::Output; 2]);
        joined.map(|earlier| earlier.append_output(&later.text, later.left_out)).is_some()
    }

    fn push_when_full(&mut self, notice: EditorNotice) {
        if matches!(notice, EditorNotice::Background(_) | EditorNotice::Trouble(_) | EditorNotice::Removed(_))
        {
            // There is at most one notice of each work and of each document, and none may be lost; trouble comes with a change
            // of the settings.
            return self.notices.push_back(notice);
        }
        if matches!(&notice, EditorNotice::Command(command) if command.state == CommandState::Ended) {
            // Whatever other output was left out, the end closes the display of the command.
            return self.notices.push_back(notice);
        }
        if matches!(&notice, EditorNotice::Agent(event) if !event.is_piece()) {
            // Pieces of a text may be left out of a long queue; `wherefore/agentEvents` has them.
            return self.notices.push_back(notice);
        }
        if matches!(&notice, EditorNotice::Call(call) if call.writes)
            || matches!(&notice, EditorNotice::Finish(finish) if finish.error.is_some())
        {
            // A person has to hear of each change and each fault; who calls waits for the answer, so they are not many.
            return self.notices.push_back(notice);
        }
        let Some(id) = proposal_of_notice(&notice) else {
            self.lost += u64::from(matches!(notice, EditorNotice::Call(_)));
            return;
        };
        match self.notices.iter_mut().rev().find(|waiting| proposal_of_notice(waiting) == Some(id)) {
            Some(waiting) => *waiting = notice,
            None => self.notices.push_back(notice),
        }
    }
}

fn proposal_of_notice(notice: &EditorNotice) -> Option<&ProposalId> {
    match notice {
        EditorNotice::Proposed(proposal) | EditorNotice::Changed(proposal) => Some(&proposal.id),
        EditorNotice::Call(_)
        | EditorNotice::Finish(_)
        | EditorNotice::Removed(_)
        | EditorNotice::Command(_)
        | EditorNotice::Agent(_)
        | EditorNotice::WorkingSet
        | EditorNotice::HeldElsewhere
        | EditorNotice::Background(_)
        | EditorNotice::Trouble(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::CallId;
    use crate::protocol::{CallNotice, CommandNotice, LARGEST_OUTPUT, Origin, Proposal};

    fn call(id: usize) -> EditorNotice {
        EditorNotice::Call(CallNotice {
            call_id: format!("c-{id}").into(),
            session: String::new(),
            tool: "fs.read".into(),
            why: "to see".into(),
            origin: Origin::default(),
            paths: Vec::new(),
            writes: false,
            time: String::new(),
            root: String::new(),
        })
    }

    fn proposal(id: &str, why: &str) -> Proposal {
        Proposal {
            id: id.into(),
            call_id: CallId::default(),
            session: String::new(),
            tool: String::new(),
            why: why.into(),
            origin: Origin::default(),
            created: String::new(),
            command: None,
            files: Vec::new(),
        }
    }

    #[tokio::test]
    async fn a_deaf_editor_costs_little_and_loses_no_proposal() {
        let queue = NoticeQueue::default();
        queue.push_notice(EditorNotice::Proposed(proposal("p-1", "old")));
        for id in 1..LIMIT + 100 {
            queue.push_notice(call(id));
        }
        queue.push_notice(EditorNotice::Changed(proposal("p-1", "new")));
        queue.push_notice(EditorNotice::Proposed(proposal("p-2", "late")));
        assert_eq!(
            queue.next_notice().await,
            NextNotice::Notice(Box::new(EditorNotice::Changed(proposal("p-1", "new"))))
        );
        for id in 1..LIMIT {
            assert_eq!(queue.next_notice().await, NextNotice::Notice(Box::new(call(id))));
        }
        assert_eq!(
            queue.next_notice().await,
            NextNotice::Notice(Box::new(EditorNotice::Proposed(proposal("p-2", "late"))))
        );
        assert_eq!(queue.next_notice().await, NextNotice::Lost(100));
        assert!(queue.is_empty());
    }
    fn command(state: CommandState, text: &str) -> CommandNotice {
        CommandNotice {
            call_id: "c-1".into(),
            session: String::new(),
            root: String::new(),
            command: "yes".into(),
            why: String::new(),
            tier: String::new(),
            background: false,
            state,
            text: text.to_owned(),
            left_out: 0,
            outcome: None,
            exit_code: None,
            duration_ms: None,
        }
    }

    #[tokio::test]
    async fn a_flood_of_output_waits_as_one_notice_between_its_start_and_its_end() {
        let queue = NoticeQueue::default();
        let piece = "y\n".repeat(LARGEST_OUTPUT / 4);
        queue.push_notice(EditorNotice::Command(command(CommandState::Started, "")));
        for _ in 0..100 {
            queue.push_notice(EditorNotice::Command(command(CommandState::Output, &piece)));
        }
        queue.push_notice(EditorNotice::Command(command(CommandState::Ended, "")));
        let mut told = Vec::new();
        while !queue.is_empty() {
            let NextNotice::Notice(notice) = queue.next_notice().await else { panic!("calls were counted") };
            let EditorNotice::Command(command) = *notice else { panic!("{notice:?}") };
            told.push((command.state, command.text.len(), command.left_out));
        }
        let output = (CommandState::Output, LARGEST_OUTPUT, 98 * piece.len() as u64);
        assert_eq!(told, [(CommandState::Started, 0, 0), output, (CommandState::Ended, 0, 0)]);
    }
}
