//! Asks the person whether hunks stay where an agent's client breaks off a call that waits for decisions.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::store::ProposalStore;
use super::wait_for_person::describe_pending;
use crate::base::hidden::escape_to_line;
use crate::base::{CallId, ProposalId, WorkspacePath};
use crate::protocol::{AskParams, DecidedBy, Door, EditorNotice, HunkState};
use crate::review::QueuedProposal;
use crate::session::WorkspaceSession;

/// The time that further calls are waited for that are broken off with the first: an interrupt ends all of an agent's
/// calls.
const GATHER: Duration = Duration::from_millis(200);

/// The answer by which the hunks stay: so they do with no answer.
const KEEP: &str = "Keep them";
/// The answer by which they go.
const WITHDRAW: &str = "Withdraw them";

/// The proposals whose calls were broken off and about which the person was not asked yet.
#[derive(Debug, Default)]
struct UnaskedCalls(Mutex<UnaskedProposals>);

#[derive(Debug, Default)]
struct UnaskedProposals {
    proposals: Vec<ProposalId>,
    /// True where somebody asks about them, one question at a time.
    is_asking: bool,
}

impl UnaskedCalls {
    /// Takes one more; whether its caller has to ask.
    fn add_proposal(&self, id: ProposalId) -> bool {
        let mut unasked = self.0.lock();
        unasked.proposals.push(id);
        !std::mem::replace(&mut unasked.is_asking, true)
    }

    /// Takes all of them; where there are none, returns nothing and marks that no one asks any more.
    fn take_proposals(&self) -> Option<Vec<ProposalId>> {
        let mut unasked = self.0.lock();
        unasked.is_asking = !unasked.proposals.is_empty();
        unasked.is_asking.then(|| std::mem::take(&mut unasked.proposals))
    }
}

/// Calls that their agents' clients broke off: the person is asked what becomes of their hunks.
#[derive(Debug)]
pub struct InterruptedCalls {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    unasked: UnaskedCalls,
}

impl InterruptedCalls {
    /// Asks about the proposals of a store.
    pub(super) fn new(session: Arc<WorkspaceSession>, store: Arc<ProposalStore>) -> Self {
        Self { session, store, unasked: UnaskedCalls::default() }
    }

    /// Asks the person about the hunks of a proposal whose agent no longer waits. They stay where there is no one to
    /// ask.
    pub(crate) fn note_interruption(self: &Arc<Self>, id: &str) {
        let Some(item) = self.store.get(id) else { return };
        let is_meant = item.is_waiting() && item.proposal().origin.door == Door::Mcp;
        if !is_meant || !self.session.editor().attached() {
            return;
        }
        if self.unasked.add_proposal(item.proposal().id.clone()) {
            let calls = self.clone();
            tokio::spawn(async move { calls.ask_about_interrupted().await });
        }
    }

    async fn ask_about_interrupted(&self) {
        loop {
            tokio::time::sleep(GATHER).await;
            let Some(ids) = self.unasked.take_proposals() else { return };
            let mut items: Vec<Arc<QueuedProposal>> =
                ids.iter().filter_map(|id| self.store.get(id)).collect();
            items.retain(|item| item.is_waiting());
            if items.is_empty() {
                continue;
            }
            let question = self.interruption_question(&items);
            drop(items);
            if self.session.editor().ask(question).await.as_deref() != Ok(WITHDRAW) {
                continue;
            }
            // Decisions made in the meantime hold: only the hunks that still wait are withdrawn.
            for fault in ids.iter().filter_map(|id| self.store.withdraw_pending(id, DecidedBy::Person).err())
            {
                self.session.editor().tell(EditorNotice::Trouble(fault.message));
            }
        }
    }

    fn interruption_question(&self, items: &[Arc<QueuedProposal>]) -> AskParams {
        let waiting = describe_pending(items.iter().map(|item| item.proposal()));
        let mut agents: Vec<&str> = items
            .iter()
            .map(|item| &item.proposal().origin)
            .map(|origin| origin.bare_name().unwrap_or(origin.display_name()))
            .collect();
        agents.dedup();
        let who = match agents.as_slice() {
            [agent] => escape_to_line(agent).into_owned(),
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
        let calls = UnaskedCalls::default();
        assert!(calls.add_proposal("p-1".into()));
        assert!(!calls.add_proposal("p-2".into()));
        assert_eq!(calls.take_proposals(), Some(vec!["p-1".into(), "p-2".into()]));
        assert!(!calls.add_proposal("p-3".into()), "the question about the first two stands");
        assert_eq!(calls.take_proposals(), Some(vec!["p-3".into()]));
        assert_eq!(calls.take_proposals(), None);
        assert!(calls.add_proposal("p-4".into()));
    }
}
