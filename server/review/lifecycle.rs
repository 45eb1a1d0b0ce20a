//! How far a proposal is on its way: up for review or not, kept where, and what its agent knows of the outcome. A pure
//! function of events, and a part of the one for the whole proposal.

use serde::{Deserialize, Serialize};

use crate::protocol::Policy;

/// How far the call of a proposal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallStage {
    /// The proposal is not up for review: it is not in the log yet, or a policy applies it just now.
    Deciding,
    /// The call waits for its answer.
    Called,
    /// The call was answered.
    #[default]
    Answered,
}

/// What the agent of a proposal knows of its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptHearing", into = "KeptHearing")]
pub(super) enum Hearing {
    /// The answer of the call itself tells it.
    #[default]
    ByAnswer,
    /// The call was answered before there was one, or nobody heard the answer: a later result tells it.
    Owed,
    /// It was told.
    Told,
}

/// The form in which the state folder keeps what an agent knows.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct KeptHearing {
    answered: bool,
    delivered: bool,
}

impl From<KeptHearing> for Hearing {
    fn from(kept: KeptHearing) -> Self {
        match (kept.answered, kept.delivered) {
            (_, true) => Self::Told,
            (true, false) => Self::Owed,
            (false, false) => Self::ByAnswer,
        }
    }
}

impl From<Hearing> for KeptHearing {
    fn from(hearing: Hearing) -> Self {
        Self { answered: hearing != Hearing::ByAnswer, delivered: hearing == Hearing::Told }
    }
}

/// Where a proposal is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Keeping {
    /// In memory alone.
    #[default]
    Memory,
    /// In the state folder too, so that it outlives this process.
    Folder,
}

/// A proposal's way so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lifecycle {
    /// How far its call is.
    #[serde(skip)]
    pub stage: CallStage,
    /// What its agent knows.
    #[serde(flatten)]
    pub hearing: Hearing,
    /// Where it is kept.
    #[serde(skip)]
    pub keeping: Keeping,
}

/// What happens to the call of a proposal, and where it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifecycleEvent {
    /// The log holds it, under this policy.
    Logged(Policy),
    /// A policy has decided on it.
    PolicyDecided,
    /// Its call was answered while hunks still waited, or nobody heard the answer.
    AnsweredPending,
    /// The answer of its call told the outcome, where there is one.
    ToldByAnswer,
    /// A later result of its agent goes out, which tells the outcome, where there is one.
    Delivered,
    /// A hunk that stood was taken back: whether the agent may know another outcome, by the policy it fell under.
    TakenBack(Policy),
    /// Its call is over.
    CallEnded,
    /// The state folder holds it now.
    Stored,
    /// The state folder holds it no more.
    Removed,
    /// Another process finds it in the state folder: whoever waited for its call is gone.
    LeftBehind,
}

/// What a transition asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifecycleEffect {
    /// The editor is shown it, pending.
    Announce,
    /// The state folder is to hold it as it is now, or no more.
    Keep,
    /// Everybody is told how it stands, and the state folder too.
    Update,
    /// The result that goes out tells the outcome.
    Deliver,
    /// What is over may be forgotten.
    Forget,
}

/// The way of a proposal after an event, and what that asks for; `decided` where no hunk of it waits.
pub(super) fn transition(
    life: Lifecycle,
    event: LifecycleEvent,
    decided: bool,
) -> (Lifecycle, Option<LifecycleEffect>) {
    use LifecycleEffect as Effect;
    use LifecycleEvent as Event;
    match event {
        // What a policy applies is not up for review before that.
        Event::Logged(Policy::Auto) => (life, None),
        Event::Logged(_) => (Lifecycle { stage: CallStage::Called, ..life }, Some(Effect::Announce)),
        Event::PolicyDecided => (Lifecycle { stage: CallStage::Called, ..life }, Some(Effect::Update)),
        Event::AnsweredPending => {
            let hearing = if life.hearing == Hearing::Told { Hearing::Told } else { Hearing::Owed };
            // One that waits in the state folder counts as answered for whoever finds it there.
            let is_known = !decided && life.keeping == Keeping::Folder;
            (Lifecycle { hearing, ..life }, (!is_known).then_some(Effect::Update))
        }
        Event::ToldByAnswer if decided => (Lifecycle { hearing: Hearing::Told, ..life }, Some(Effect::Keep)),
        Event::Delivered if life.is_due(decided) && life.stage == CallStage::Answered => {
            (Lifecycle { hearing: Hearing::Told, ..life }, Some(Effect::Deliver))
        }
        Event::ToldByAnswer | Event::Delivered => (life, None),
        Event::TakenBack(policy) if policy == Policy::Auto || life.hearing == Hearing::Told => {
            (Lifecycle { hearing: Hearing::Owed, ..life }, None)
        }
        Event::TakenBack(_) => (life, None),
        Event::CallEnded => (Lifecycle { stage: CallStage::Answered, ..life }, Some(Effect::Forget)),
        Event::Stored => (Lifecycle { keeping: Keeping::Folder, ..life }, None),
        Event::Removed => (Lifecycle { keeping: Keeping::Memory, ..life }, None),
        Event::LeftBehind => {
            let hearing = if life.hearing == Hearing::Told { Hearing::Told } else { Hearing::Owed };
            (Lifecycle { stage: CallStage::Answered, hearing, keeping: Keeping::Folder }, None)
        }
    }
}

impl Lifecycle {
    /// That of a proposal which was made just now.
    pub(super) fn begun() -> Self {
        Self { stage: CallStage::Deciding, ..Self::default() }
    }

    /// Whether it is up for review.
    pub(super) fn is_up(self) -> bool {
        self.stage != CallStage::Deciding
    }

    /// Whether its agent has to hear of an outcome with a later result.
    pub(super) fn is_due(self, decided: bool) -> bool {
        decided && self.hearing == Hearing::Owed
    }

    /// Whether everyone knows its outcome, so that the state folder need not keep it.
    pub(super) fn is_over(self, decided: bool) -> bool {
        decided && self.hearing != Hearing::Owed
    }

    /// Whether memory may forget it.
    pub(super) fn is_past(self, decided: bool) -> bool {
        self.is_over(decided) && self.keeping == Keeping::Memory && self.stage == CallStage::Answered
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the rest of review does: events in any order, each with what it knows of the hunks.
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
            let start = Lifecycle::begun();
            let (mut life, effect) = transition(start, LifecycleEvent::Logged(policy), false);
            prop_assert_eq!(effect.is_some(), !auto, "what a policy applies is not announced before");
            let mut decided = auto;
            if auto {
                life = transition(life, LifecycleEvent::PolicyDecided, true).0;
            }
            // How often the outcome as it is now was told, by the answer or by a result.
            let mut told = 0;
            for step in steps {
                let event = match step {
                    Step::Decide => { decided = true; continue }
                    Step::AnsweredPending => LifecycleEvent::AnsweredPending,
                    Step::ToldByAnswer => LifecycleEvent::ToldByAnswer,
                    Step::Result => LifecycleEvent::Delivered,
                    Step::TakeBack if decided => LifecycleEvent::TakenBack(policy),
                    Step::TakeBack => continue,
                    Step::CallEnded => LifecycleEvent::CallEnded,
                    Step::Keep if life.is_over(decided) => LifecycleEvent::Removed,
                    Step::Keep => LifecycleEvent::Stored,
                };
                let before = life;
                let (now, effect) = transition(life, event, decided);
                life = now;
                prop_assert!(life.is_up(), "what was up stays up");
                if effect == Some(LifecycleEffect::Deliver) {
                    prop_assert_eq!(before.hearing, Hearing::Owed);
                    told += 1;
                }
                if matches!(event, LifecycleEvent::TakenBack(_)) && life.hearing == Hearing::Owed {
                    told = 0;
                }
                prop_assert!(told <= 1, "an outcome is delivered once");
                prop_assert!(!(life.is_due(decided) && life.is_over(decided)));
                prop_assert!(!life.is_past(decided) || life.keeping == Keeping::Memory);
            }
            // Whatever came before: the call ends, the person decides, the agent calls again, and all of it is let go.
            life = transition(life, LifecycleEvent::CallEnded, true).0;
            let (after, effect) = transition(life, LifecycleEvent::Delivered, true);
            prop_assert_eq!(effect.is_some(), life.is_due(true));
            prop_assert_eq!(transition(after, LifecycleEvent::Delivered, true).1, None, "nothing is told twice");
            let last = transition(after, LifecycleEvent::Removed, true).0;
            prop_assert!(last.is_past(true));
        }
    }

    #[test]
    fn the_form_in_the_state_folder_is_that_of_earlier_versions() {
        for (json, hearing) in [
            (r#"{"answered":false,"delivered":false}"#, Hearing::ByAnswer),
            (r#"{"answered":true,"delivered":false}"#, Hearing::Owed),
            (r#"{"answered":true,"delivered":true}"#, Hearing::Told),
        ] {
            let life: Lifecycle = serde_json::from_str(json).unwrap();
            assert_eq!(life, Lifecycle { hearing, ..Lifecycle::default() });
            assert_eq!(serde_json::to_string(&life).unwrap(), json);
        }
        let odd: Lifecycle = serde_json::from_str(r#"{"answered":false,"delivered":true}"#).unwrap();
        assert_eq!(odd.hearing, Hearing::Told);
    }
}
