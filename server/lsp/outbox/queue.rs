//! What waits to be told: bounded, since an editor may not listen; never losing how a proposal stands.

use std::collections::VecDeque;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::base::ProposalId;
use crate::protocol::{CommandState, Notice};

const LIMIT: usize = 1024;

/// Notices in order; of how a proposal changed, and how far some work is, only the last is kept. Past the limit calls are only counted, and a
/// proposal replaces itself.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<WaitingMessage>,
    more: Notify,
}

#[derive(Debug, Default)]
struct WaitingMessage {
    notices: VecDeque<Notice>,
    lost: u64,
}

/// What is next to tell.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// This.
    Notice(Box<Notice>),
    /// That so many calls were not told one by one.
    Lost(u64),
}

impl Queue {
    pub(super) fn push(&self, notice: Notice) {
        let mut waiting = self.lock();
        if waiting.joins(&notice) {
            // Whoever is told that notice is told this one with it.
        } else if let Some(earlier) = waiting.overtaken(&notice) {
            *earlier = notice;
        } else if waiting.notices.len() < LIMIT {
            waiting.notices.push_back(notice);
        } else {
            waiting.crowd(notice);
        }
        drop(waiting);
        self.more.notify_one();
    }

    /// Counts a call that is not told one by one; wakes nobody.
    pub(super) fn count(&self) {
        self.lock().lost += 1;
    }

    /// How many calls were counted since this was asked last.
    pub(super) fn counted(&self) -> u64 {
        std::mem::take(&mut self.lock().lost)
    }

    /// The next thing to tell; waits for it. One task at a time.
    pub(super) async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.lock().take() {
                return next;
            }
            self.more.notified().await;
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().notices.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, WaitingMessage> {
        self.waiting.lock()
    }
}

impl WaitingMessage {
    fn take(&mut self) -> Option<Next> {
        match self.notices.pop_front() {
            Some(notice) => Some(Next::Notice(Box::new(notice))),
            None if self.lost > 0 => Some(Next::Lost(std::mem::take(&mut self.lost))),
            None => None,
        }
    }

    /// What says how a proposal or some work stood before it came to what this says.
    fn overtaken(&mut self, notice: &Notice) -> Option<&mut Notice> {
        let stood = |waiting: &&mut Notice| match (&**waiting, notice) {
            (Notice::Changed(was), Notice::Changed(now)) => was.id == now.id,
            (Notice::Background(was), Notice::Background(now)) => was.is_same(now),
            _ => false,
        };
        matches!(notice, Notice::Changed(_) | Notice::Background(_))
            .then(|| self.notices.iter_mut().rev().find(stood))
            .flatten()
    }

    /// Whether it is output of a command of which other output waits already, and was added to that.
    fn joins(&mut self, notice: &Notice) -> bool {
        if let (Notice::Agent(later), Some(Notice::Agent(earlier))) = (notice, self.notices.back_mut()) {
            return earlier.append(later);
        }
        let Notice::Command(later) = notice else { return false };
        let mut commands = self.notices.iter_mut().rev().filter_map(|waiting| match waiting {
            Notice::Command(earlier) => Some(earlier),
            _ => None,
        });
        let last = commands.find(|earlier| earlier.is_same(later));
        let joined = last.filter(|last| [last.state, later.state] == [CommandState::Output; 2]);
        joined.map(|earlier| earlier.append(&later.text, later.left_out)).is_some()
    }

    fn crowd(&mut self, notice: Notice) {
        if matches!(notice, Notice::Background(_) | Notice::Trouble(_) | Notice::Removed(_) | Notice::Slot(_))
        {
            // One of each work and of each document at most, and what they say has to be told; trouble comes with a change
            // of the settings.
            return self.notices.push_back(notice);
        }
        if matches!(&notice, Notice::Command(command) if command.state == CommandState::Ended) {
            // Whatever else was left out of it, its end closes what shows it.
            return self.notices.push_back(notice);
        }
        if matches!(&notice, Notice::Agent(event) if !event.is_piece()) {
            // Pieces of a text may be left out of a crowd; `wherefore/agentEvents` has them.
            return self.notices.push_back(notice);
        }
        let Some(id) = proposal(&notice) else {
            self.lost += u64::from(matches!(notice, Notice::Call(_)));
            return;
        };
        match self.notices.iter_mut().rev().find(|waiting| proposal(waiting) == Some(id)) {
            Some(waiting) => *waiting = notice,
            None => self.notices.push_back(notice),
        }
    }
}

fn proposal(notice: &Notice) -> Option<&ProposalId> {
    match notice {
        Notice::Proposed(proposal) | Notice::Changed(proposal) => Some(&proposal.id),
        Notice::Call(_)
        | Notice::Finish(_)
        | Notice::Removed(_)
        | Notice::Command(_)
        | Notice::Agent(_)
        | Notice::Slot(_)
        | Notice::WorkingSet
        | Notice::Background(_)
        | Notice::Trouble(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::CallId;
    use crate::protocol::{CallNotice, CommandNotice, LARGEST_OUTPUT, Origin, Proposal};

    fn call(id: usize) -> Notice {
        Notice::Call(CallNotice {
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
            files: Vec::new(),
        }
    }

    #[tokio::test]
    async fn a_deaf_editor_costs_little_and_loses_no_proposal() {
        let queue = Queue::default();
        queue.push(Notice::Proposed(proposal("p-1", "old")));
        for id in 1..LIMIT + 100 {
            queue.push(call(id));
        }
        queue.push(Notice::Changed(proposal("p-1", "new")));
        queue.push(Notice::Proposed(proposal("p-2", "late")));
        assert_eq!(queue.next().await, Next::Notice(Box::new(Notice::Changed(proposal("p-1", "new")))));
        for id in 1..LIMIT {
            assert_eq!(queue.next().await, Next::Notice(Box::new(call(id))));
        }
        assert_eq!(queue.next().await, Next::Notice(Box::new(Notice::Proposed(proposal("p-2", "late")))));
        assert_eq!(queue.next().await, Next::Lost(100));
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
        let queue = Queue::default();
        let piece = "y\n".repeat(LARGEST_OUTPUT / 4);
        queue.push(Notice::Command(command(CommandState::Started, "")));
        for _ in 0..100 {
            queue.push(Notice::Command(command(CommandState::Output, &piece)));
        }
        queue.push(Notice::Command(command(CommandState::Ended, "")));
        let mut told = Vec::new();
        while !queue.is_empty() {
            let Next::Notice(notice) = queue.next().await else { panic!("calls were counted") };
            let Notice::Command(command) = *notice else { panic!("{notice:?}") };
            told.push((command.state, command.text.len(), command.left_out));
        }
        let output = (CommandState::Output, LARGEST_OUTPUT, 98 * piece.len() as u64);
        assert_eq!(told, [(CommandState::Started, 0, 0), output, (CommandState::Ended, 0, 0)]);
    }
}
