//! The stage of a proposal: up for review or not, its storage, and its agent's knowledge of the outcome. A pure
//! function of events, and a part of the one for the whole proposal.
//!
//! # Invariants
//!
//! - No decision is lost when its call was answered before.
//!   Test: `a_held_change_is_answered_pending_and_decided_later`
//! - No hunk goes because its agent waits no more, unless the person decides so.
//!   Test: `a_client_that_breaks_off_has_the_person_asked_whether_the_hunks_go`,
//!   `an_agent_that_is_gone_has_the_person_asked_and_with_no_editor_the_hunks_stay`

use serde::{Deserialize, Serialize};

use crate::protocol::Policy;

/// The stage of a proposal's call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallStage {
    /// The proposal is not up for review: it is not in the log yet, or a policy applies it just now.
    Deciding,
    /// The call waits for its answer.
    Called,
    /// The call was answered.
    #[default]
    Answered,
}

/// The delivery of a proposal's outcome to its agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptHearing", into = "KeptHearing")]
pub enum OutcomeDelivery {
    /// The answer of the call itself delivers it.
    #[default]
    ByAnswer,
    /// The call was answered before there was one, or its answer was not read: a later result delivers it.
    Owed,
    /// It was delivered.
    Told,
}

/// The form in which the state folder keeps what an agent knows.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct KeptHearing {
    answered: bool,
    delivered: bool,
}

impl From<KeptHearing> for OutcomeDelivery {
    fn from(kept: KeptHearing) -> Self {
        match (kept.answered, kept.delivered) {
            (_, true) => Self::Told,
            (true, false) => Self::Owed,
            (false, false) => Self::ByAnswer,
        }
    }
}

impl From<OutcomeDelivery> for KeptHearing {
    fn from(hearing: OutcomeDelivery) -> Self {
        Self { answered: hearing != OutcomeDelivery::ByAnswer, delivered: hearing == OutcomeDelivery::Told }
    }
}

/// The place where a proposal is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProposalStorage {
    /// In memory alone.
    #[default]
    Memory,
    /// In the state folder too, so that it outlives this process.
    Folder,
}

/// A proposal's way so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLifecycle {
    /// The stage of its call.
    #[serde(skip)]
    pub stage: CallStage,
    /// The delivery of its outcome.
    #[serde(flatten)]
    pub hearing: OutcomeDelivery,
    /// The place where it is stored.
    #[serde(skip)]
    pub keeping: ProposalStorage,
}

/// An event of a proposal's call, or of its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleEvent {
    /// The log holds it, under this policy.
    Logged(Policy),
    /// A policy has decided on it.
    PolicyDecided,
    /// Its call was answered while hunks still waited, or its answer was not read.
    AnsweredPending,
    /// The answer of its call delivered the outcome, where there is one.
    DeliveredByAnswer,
    /// A later result of its agent is sent, and delivers the outcome, where there is one.
    Delivered,
    /// A hunk that stood was taken back: whether the agent may know another outcome, by the policy it fell under.
    TakenBack(Policy),
    /// A hunk that was stale waits again: its outcome is another one than its agent may know.
    WaitsAgain,
    /// Its call is over.
    CallEnded,
    /// The state folder holds it now.
    Stored,
    /// The state folder holds it no more.
    Removed,
    /// Another process finds it in the state folder: the caller of its call is gone.
    LeftBehind,
}

/// An effect that a transition asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleEffect {
    /// The editor is shown it, pending.
    Announce,
    /// The state folder is to hold it as it is now, or no more.
    Keep,
    /// All receivers and the state folder get its state.
    Update,
    /// The result that is sent delivers the outcome.
    Deliver,
    /// Finished proposals may be forgotten.
    Forget,
}

/// The way of a proposal after an event, and what that asks for; `decided` where no hunk of it waits.
pub(crate) fn apply_call_event(
    life: CallLifecycle,
    event: LifecycleEvent,
    decided: bool,
) -> (CallLifecycle, Option<LifecycleEffect>) {
    use LifecycleEffect as Effect;
    use LifecycleEvent as Event;
    match event {
        // A change that a policy applies is not up for review before that.
        Event::Logged(Policy::Auto) => (life, None),
        Event::Logged(_) => (CallLifecycle { stage: CallStage::Called, ..life }, Some(Effect::Announce)),
        Event::PolicyDecided => (CallLifecycle { stage: CallStage::Called, ..life }, Some(Effect::Update)),
        Event::AnsweredPending => {
            let hearing = if life.hearing == OutcomeDelivery::Told {
                OutcomeDelivery::Told
            } else {
                OutcomeDelivery::Owed
            };
            // A proposal that waits in the state folder counts as answered for the process that finds it there.
            let is_known = !decided && life.keeping == ProposalStorage::Folder;
            (CallLifecycle { hearing, ..life }, (!is_known).then_some(Effect::Update))
        }
        Event::DeliveredByAnswer if decided => {
            (CallLifecycle { hearing: OutcomeDelivery::Told, ..life }, Some(Effect::Keep))
        }
        Event::Delivered if life.is_due(decided) && life.stage == CallStage::Answered => {
            (CallLifecycle { hearing: OutcomeDelivery::Told, ..life }, Some(Effect::Deliver))
        }
        Event::DeliveredByAnswer | Event::Delivered => (life, None),
        Event::TakenBack(policy) if policy == Policy::Auto || life.hearing == OutcomeDelivery::Told => {
            (CallLifecycle { hearing: OutcomeDelivery::Owed, ..life }, None)
        }
        Event::TakenBack(_) => (life, None),
        Event::WaitsAgain => (CallLifecycle { hearing: OutcomeDelivery::Owed, ..life }, None),
        Event::CallEnded => (CallLifecycle { stage: CallStage::Answered, ..life }, Some(Effect::Forget)),
        Event::Stored => (CallLifecycle { keeping: ProposalStorage::Folder, ..life }, None),
        Event::Removed => (CallLifecycle { keeping: ProposalStorage::Memory, ..life }, None),
        Event::LeftBehind => {
            let hearing = if life.hearing == OutcomeDelivery::Told {
                OutcomeDelivery::Told
            } else {
                OutcomeDelivery::Owed
            };
            (CallLifecycle { stage: CallStage::Answered, hearing, keeping: ProposalStorage::Folder }, None)
        }
    }
}

impl CallLifecycle {
    /// Returns the lifecycle of a proposal that was made just now.
    pub(crate) fn at_start() -> Self {
        Self { stage: CallStage::Deciding, ..Self::default() }
    }

    /// Returns whether it is up for review.
    pub fn is_up(self) -> bool {
        self.stage != CallStage::Deciding
    }

    /// Returns whether its agent has to hear of an outcome with a later result.
    pub fn is_due(self, decided: bool) -> bool {
        decided && self.hearing == OutcomeDelivery::Owed
    }

    /// Returns whether everyone knows its outcome, so that the state folder need not keep it.
    pub fn is_over(self, decided: bool) -> bool {
        decided && self.hearing != OutcomeDelivery::Owed
    }

    /// Returns whether memory may forget it.
    pub fn is_past(self, decided: bool) -> bool {
        self.is_over(decided) && self.keeping == ProposalStorage::Memory && self.stage == CallStage::Answered
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The actions of the rest of review: events in any order, each with its knowledge of the hunks.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Decide,
        AnsweredPending,
        ToldByAnswer,
        Result,
        TakeBack,
        CallEnded,
        Keep,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        use Step::*;
        let one = prop_oneof![
            Just(Decide),
            Just(AnsweredPending),
            Just(ToldByAnswer),
            Just(Result),
            Just(TakeBack),
            Just(CallEnded),
            Just(Keep)
        ];
        proptest::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn an_outcome_is_told_once_and_what_is_over_is_let_go(steps in steps(), auto in any::<bool>()) {
            let policy = if auto { Policy::Auto } else { Policy::Ask };
            let start = CallLifecycle::at_start();
            let (mut life, effect) = apply_call_event(start, LifecycleEvent::Logged(policy), false);
            prop_assert_eq!(effect.is_some(), !auto, "what a policy applies is not announced before");
            let mut decided = auto;
            if auto {
                life = apply_call_event(life, LifecycleEvent::PolicyDecided, true).0;
            }
            // The number of times that the current outcome was delivered, by the answer or by a result.
            let mut told = 0;
            for step in steps {
                let event = match step {
                    Step::Decide => { decided = true; continue }
                    Step::AnsweredPending => LifecycleEvent::AnsweredPending,
                    Step::ToldByAnswer => LifecycleEvent::DeliveredByAnswer,
                    Step::Result => LifecycleEvent::Delivered,
                    Step::TakeBack if decided => LifecycleEvent::TakenBack(policy),
                    Step::TakeBack => continue,
                    Step::CallEnded => LifecycleEvent::CallEnded,
                    Step::Keep if life.is_over(decided) => LifecycleEvent::Removed,
                    Step::Keep => LifecycleEvent::Stored,
                };
                let before = life;
                let (now, effect) = apply_call_event(life, event, decided);
                life = now;
                prop_assert!(life.is_up(), "what was up stays up");
                if effect == Some(LifecycleEffect::Deliver) {
                    prop_assert_eq!(before.hearing, OutcomeDelivery::Owed);
                    told += 1;
                }
                if matches!(event, LifecycleEvent::TakenBack(_)) && life.hearing == OutcomeDelivery::Owed {
                    told = 0;
                }
                prop_assert!(told <= 1, "an outcome is delivered once");
                prop_assert!(!(life.is_due(decided) && life.is_over(decided)));
                prop_assert!(!life.is_past(decided) || life.keeping == ProposalStorage::Memory);
            }
            // Whatever came before: the call ends, the person decides, the agent calls again, and all of it is let go.
            life = apply_call_event(life, LifecycleEvent::CallEnded, true).0;
            let (after, effect) = apply_call_event(life, LifecycleEvent::Delivered, true);
            prop_assert_eq!(effect.is_some(), life.is_due(true));
            prop_assert_eq!(apply_call_event(after, LifecycleEvent::Delivered, true).1, None, "nothing is told twice");
            let last = apply_call_event(after, LifecycleEvent::Removed, true).0;
            prop_assert!(last.is_past(true));
        }
    }

    #[test]
    fn the_form_in_the_state_folder_is_that_of_earlier_versions() {
        for (json, hearing) in [
            (r#"{"answered":false,"delivered":false}"#, OutcomeDelivery::ByAnswer),
            (r#"{"answered":true,"delivered":false}"#, OutcomeDelivery::Owed),
            (r#"{"answered":true,"delivered":true}"#, OutcomeDelivery::Told),
        ] {
            let life: CallLifecycle = serde_json::from_str(json).unwrap();
            assert_eq!(life, CallLifecycle { hearing, ..CallLifecycle::default() });
            assert_eq!(serde_json::to_string(&life).unwrap(), json);
        }
        let odd: CallLifecycle = serde_json::from_str(r#"{"answered":false,"delivered":true}"#).unwrap();
        assert_eq!(odd.hearing, OutcomeDelivery::Told);
    }
}
