//! What a call is answered on its proposal: a policy decides at once, or its caller waits for a person.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::item::Item;
use super::queue::ProposalQueue;
use super::{answer, client};
use crate::base::ProposalId;
use crate::protocol::{Code, Fault, HunkState, Policy, ProposalState, Status};
use crate::session::Scope;

impl ProposalQueue {
    /// Lets the policy or the person decide on a proposal, and answers how it stands then.
    ///
    /// # Errors
    /// CANCELLED where the call was, and why a policy could not carry its decision out.
    pub(crate) async fn outcome(
        self: &Arc<Self>,
        id: &str,
        policy: Policy,
        scope: &Scope,
    ) -> Result<(Status, Value), Fault> {
        if policy == Policy::Auto {
            return self.applied(id, scope).await;
        }
        let attached = self.session.editor().attached();
        if policy == Policy::Ask && !attached {
            self.ask_client(id, scope).await;
        }
        let caller = scope.caller();
        let decides = caller.is_some_and(|caller| caller.decides());
        let is_shown = policy == Policy::Ask && (attached || decides);
        let limit = if is_shown { scope.patience() } else { Duration::ZERO };
        let limit = caller.and_then(|caller| caller.patience()).filter(|_| is_shown).unwrap_or(limit);
        if let (Some(caller), Some(item)) = (caller.filter(|_| is_shown), self.get(id)) {
            caller.proposed(&item.proposal().id, &item.proposal().call_id);
        }
        let proposal = ProposalId::from(id);
        let left = async {
            match caller {
                Some(caller) => caller.left(&proposal).await,
                None => std::future::pending().await,
            }
        };
        let item = tokio::select! {
            item = self.wait_for_person(id, limit, scope) => item,
            () = left => self.get(id),
            () = scope.cancel().cancelled() => None,
        };
        if scope.cancel().is_cancelled() {
            // Nobody hears this answer: what is decided on it comes with the agent's next result.
            self.answered_pending(id)?;
            self.interrupted(id);
            let message = format!(
                "the call was cancelled; what nobody decided of its proposal {id} stays open for review"
            );
            return Err(Fault::new(Code::Cancelled, message));
        }
        let item = present(id, item)?;
        let is_pending = item.proposal().state() == ProposalState::Pending;
        if is_pending {
            self.answered_pending(id)?
        } else {
            self.told(id)?
        }
        let status = if is_pending { Status::Pending } else { Status::Ok };
        Ok((status, answer(self, scope.files(), &item)?.value()))
    }

    /// With no editor to show the change in, the person is asked in the agent's own client, where that can ask.
    async fn ask_client(&self, id: &str, scope: &Scope) {
        let Some(caller) = scope.caller().filter(|caller| caller.waits()) else { return };
        let Some(item) = self.get(id) else { return };
        let limit = scope.patience();
        tokio::select! {
            () = client::ask(self, &**caller, item.proposal(), limit) => {}
            () = scope.cancel().cancelled() => {}
        }
    }

    /// Has the policy `auto` apply a proposal, and answers by what became of it.
    async fn applied(&self, id: &str, scope: &Scope) -> Result<(Status, Value), Fault> {
        let (item, fault) = self.apply(id).await;
        let item = present(id, item)?;
        if scope.cancel().is_cancelled() {
            // Nobody hears this answer: it comes with the agent's next result too.
            self.answered_pending(id)?;
        }
        let dropped = item.proposal().hunks().any(|hunk| hunk.state == HunkState::Rejected);
        match fault {
            // A policy that could not carry its decision out says why; what took effect before that stays and is said.
            Some(fault) if fault.applied == Some(true) || dropped => Err(fault),
            _ => Ok((Status::Ok, answer(self, scope.files(), &item)?.value())),
        }
    }
}

fn present(id: &str, item: Option<Arc<Item>>) -> Result<Arc<Item>, Fault> {
    item.ok_or_else(|| Fault::internal(format!("proposal {id} is gone")))
}
