//! Where an agent's client breaks off a call that waits for decisions, the person is asked whether the hunks stay.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::item::Item;
use super::queue::ProposalQueue;
use super::waiting::pending;
use crate::base::hidden::in_line;
use crate::base::{CallId, ProposalId, WorkspacePath};
use crate::protocol::{AskParams, Door, HunkState, Notice};

/// How long further calls are waited for that are broken off with the first: an interrupt ends all of an agent's calls.
const GATHER: Duration = Duration::from_millis(200);

/// The answer by which the hunks stay: so they do with no answer.
const KEEP: &str = "Keep them";
/// The answer by which they go.
const WITHDRAW: &str = "Withdraw them";

/// The proposals whose calls were broken off and about which the person was not asked yet.
#[derive(Debug, Default)]
pub(super) struct InterruptedCalls(Mutex<Unasked>);

#[derive(Debug, Default)]
struct Unasked {
    proposals: Vec<ProposalId>,
    /// Whether somebody asks about them, one question at a time.
    is_asking: bool,
}

impl InterruptedCalls {
    /// Takes one more; whether its caller has to ask.
    fn add(&self, id: ProposalId) -> bool {
        let mut unasked = self.0.lock();
        unasked.proposals.push(id);
        !std::mem::replace(&mut unasked.is_asking, true)
    }

    /// All that there are; nothing, and nobody asks any more, where there are none.
    fn take(&self) -> Option<Vec<ProposalId>> {
        let mut unasked = self.0.lock();
        unasked.is_asking = !unasked.proposals.is_empty();
        unasked.is_asking.then(|| std::mem::take(&mut unasked.proposals))
    }
}

impl ProposalQueue {
    /// Has the person asked about the hunks of a proposal whose agent waits no more. With nobody to ask they stay.
    pub(crate) fn interrupted(self: &Arc<Self>, id: &str) {
        let Some(item) = self.get(id) else { return };
        let is_meant = item.is_waiting() && item.proposal().origin.door == Door::Mcp;
        if !is_meant || !self.session.editor().attached() {
            return;
        }
        if self.interrupted.add(item.proposal().id.clone()) {
            let queue = self.clone();
            tokio::spawn(async move { queue.ask_about_interrupted().await });
        }
    }

    async fn ask_about_interrupted(&self) {
        loop {
            tokio::time::sleep(GATHER).await;
            let Some(ids) = self.interrupted.take() else { return };
            let mut items: Vec<Arc<Item>> = ids.iter().filter_map(|id| self.get(id)).collect();
            items.retain(|item| item.is_waiting());
            if items.is_empty() {
                continue;
            }
            let question = self.question(&items);
            drop(items);
            if self.session.editor().ask(question).await.as_deref() != Some(WITHDRAW) {
                continue;
            }
            // What was decided meanwhile is decided: only what still waits goes.
            for fault in ids.iter().filter_map(|id| self.withdraw(id).err()) {
                self.session.editor().tell(Notice::Trouble(fault.message));
            }
        }
    }

    fn question(&self, items: &[Arc<Item>]) -> AskParams {
        let waiting = pending(items.iter().map(|item| item.proposal()));
        let mut agents: Vec<&str> = items
            .iter()
            .map(|item| &item.proposal().origin)
            .map(|origin| origin.bare_name().unwrap_or(origin.who()))
            .collect();
        agents.dedup();
        let who = match agents.as_slice() {
            [agent] => in_line(agent).into_owned(),
            agents => format!("{} agents", agents.len()),
        };
        let is_one = items
            .iter()
            .flat_map(|item| item.proposal().hunks())
            .filter(|hunk| hunk.state == HunkState::Pending)
            .count()
            == 1;
        let (waits, them) = if is_one { ("waits", "it") } else { ("wait", "them") };
        let text = format!(
            "{who} was interrupted while {waiting} {waits} for you. Keep {them} for review, or withdraw {them}?"
        );
        AskParams {
            root: self.session.workspace().uri(&WorkspacePath::root()),
            session: self.session.log().id().to_owned(),
            call_id: CallId::default(),
            tool: "review".to_owned(),
            // The question is about no one call, and its text names the agent.
            why: String::new(),
            agent: None,
            text,
            answers: vec![KEEP.to_owned(), WITHDRAW.to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_asks_at_a_time_about_all_that_came_meanwhile() {
        let calls = InterruptedCalls::default();
        assert!(calls.add("p-1".into()));
        assert!(!calls.add("p-2".into()));
        assert_eq!(calls.take(), Some(vec!["p-1".into(), "p-2".into()]));
        assert!(!calls.add("p-3".into()), "the question about the first two stands");
        assert_eq!(calls.take(), Some(vec!["p-3".into()]));
        assert_eq!(calls.take(), None);
        assert!(calls.add("p-4".into()));
    }
}
