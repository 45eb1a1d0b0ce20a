//! An applied change is taken back, with later edits kept; or refused where they overlap.

mod back;
mod plan;

use super::item::{Item, ReviewEffect, ReviewEvent};
use super::queue::ProposalQueue;
use crate::base::CallId;
use crate::protocol::{Code, DecidedBy, Fault, UndoAnswer};
use crate::workspace::{Checkpoint, Checkpoints};

/// What an undo is about.
enum Chosen<'a> {
    /// A change that was applied.
    Applied(Checkpoint, tokio::sync::MutexGuard<'a, ()>),
    /// Nothing was applied: what waited is rejected, and that is the answer.
    Withdrawn(UndoAnswer),
}

impl ProposalQueue {
    /// Takes back what a call changed: the last one that changed anything when none is named. What still waits of it is
    /// rejected. The undo has an id of its own and can be undone.
    ///
    /// # Errors
    /// NOT_FOUND where nothing of that call is kept or nothing of it is left to take back, STALE where later edits
    /// overlap; then nothing changed, unless the fault says `applied`.
    pub async fn undo(&self, call: Option<&str>) -> Result<UndoAnswer, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let (found, _one_at_a_time) = match self.chosen(call).await? {
            Chosen::Applied(found, one_at_a_time) => (found, one_at_a_time),
            Chosen::Withdrawn(answer) => return Ok(answer),
        };
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let name = format!("{}/{}", found.session, found.call);
        let _turn = self.turns.call(&name).await;
        let paths = found.steps.iter().flat_map(|step| [Some(step.path.clone()), step.from.clone()]);
        let _files = self.turns.files(paths.flatten().collect()).await;
        // As it is by now: a decision on another hunk of the call may have come first.
        let checkpoint = checkpoints.find(&name)?;
        if checkpoint.undone {
            return Err(Fault::new(Code::NotFound, format!("call {} was undone already", checkpoint.call))
                .suggest("undo the undo by its own id to bring the change back"));
        }
        let proposal = self.items().of_call(&name).map(|item| item.proposal().id.clone());
        let withdraw = || proposal.as_ref().map_or(Ok(0), |id| self.withdraw(id));
        match self.take_all_back(&checkpoint).await {
            // Nothing of it stands any more. What still waits of it goes where the call was named, and only then.
            Err(fault) if fault.code == Code::NotFound && fault.applied.is_none() && call.is_some() => {
                match withdraw()? {
                    0 => Err(fault),
                    withdrawn => {
                        let call = checkpoint.call;
                        Ok(UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn })
                    }
                }
            }
            Err(fault) => Err(fault),
            Ok((undo_id, paths)) => {
                let done = withdraw().map_err(|fault| Fault { applied: Some(true), ..fault });
                if let Some(item) = proposal.as_ref().and_then(|id| self.get(id)) {
                    self.deliver_undone(item.proposal());
                    self.told(&item.proposal().id)?;
                }
                done.map(|withdrawn| UndoAnswer { call: checkpoint.call, undo_id, paths, withdrawn })
            }
        }
    }

    /// The change that is to be taken back, once the person said yes where they are asked; no other undo goes on until what
    /// it comes with is dropped.
    async fn chosen(&self, call: Option<&str>) -> Result<Chosen<'_>, Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let find = || call.map_or_else(|| checkpoints.last(None), |call| checkpoints.find(call));
        loop {
            let found = match (find(), call.and_then(|call| self.undecided(call))) {
                (Ok(found), _) => found,
                (Err(_), Some(item)) => {
                    // Nothing of it was applied: what waits is all there is.
                    let _turn = self.turns.call(&item.call()).await;
                    let withdrawn = self.withdraw(&item.proposal().id)?;
                    let call = item.proposal().call_id.clone();
                    let answer =
                        UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn };
                    return Ok(Chosen::Withdrawn(answer));
                }
                (Err(error), None) => return Err(error.into()),
            };
            // A person may take minutes to answer: no other undo waits for that.
            self.may_undo(&found).await?;
            let one_at_a_time = self.undoing.lock().await;
            // Another undo may have come first; then a different call is the last one, with files of its own.
            if call.is_some()
                || find().is_ok_and(|now| (&now.session, &now.call) == (&found.session, &found.call))
            {
                return Ok(Chosen::Applied(found, one_at_a_time));
            }
        }
    }

    /// The proposal of a call, named as `c-0007` or `SESSION/c-0007`, with hunks that wait.
    fn undecided(&self, call: &str) -> Option<std::sync::Arc<Item>> {
        let items = self.items();
        let named = |item: &&std::sync::Arc<Item>| item.proposal().call_id == call || item.call() == call;
        items.waiting().filter(named).last().cloned()
    }

    /// Rejects what still waits of a proposal whose call is taken back, and says how many hunks that were.
    pub(crate) fn withdraw(&self, id: &str) -> Result<u32, Fault> {
        let happened = self.items().happen(id, ReviewEvent::Withdrawn);
        let Some((item, effects)) = happened else { return Ok(0) };
        let dropped = effects.iter().find_map(|effect| match effect {
            ReviewEffect::Log(DecidedBy::Person, hunks) => Some(hunks.len()),
            _ => None,
        });
        match self.publish(item, effects).into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(dropped.and_then(|dropped| u32::try_from(dropped).ok()).unwrap_or_default()),
        }
    }
}
