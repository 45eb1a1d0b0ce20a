//! Whatever happens to a proposal, in whatever order.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::base::HunkId;
use crate::lifecycle::{LifecycleEffect, LifecycleEvent};
use crate::patch::LineMoves;
use crate::protocol::{Act, DecidedBy, Hunk};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// The actions of the rest of review, and of the world.
#[derive(Clone, Debug)]
enum WorldStep {
    /// Somebody decides on some hunks, by the bits of a number.
    Decide(u8, DecidedBy, bool),
    /// The first of the errands is run: those of its hunks are found in place, by the bits of a number.
    Run(u8),
    /// It is put in place without a decision.
    Unasked(usize, bool),
    /// The task of a decision is cancelled, and reports no more.
    Stop,
    Conclude,
    GiveUp(bool),
    Withdraw,
    /// The text changes: so many lines before it, and some of its lines as the hunks have them or otherwise.
    Text(u8, u8, u8, bool),
    Gone,
    Unfit,
    Answer,
    Deliver,
    Edit(u8),
}

fn steps() -> impl Strategy<Value = Vec<WorldStep>> {
    let by = prop_oneof![Just(DecidedBy::Person), Just(DecidedBy::Client), Just(DecidedBy::Policy)];
    let one = prop_oneof![
        4 => (any::<u8>(), by, any::<bool>()).prop_map(|(hunks, by, yes)| WorldStep::Decide(hunks, by, yes)),
        6 => any::<u8>().prop_map(WorldStep::Run),
        1 => (0_usize..2, any::<bool>()).prop_map(|(file, back)| WorldStep::Unasked(file, back)),
        1 => Just(WorldStep::Stop),
        4 => Just(WorldStep::Conclude),
        1 => any::<bool>().prop_map(WorldStep::GiveUp),
        1 => Just(WorldStep::Withdraw),
        3 => (0_u8..3, any::<u8>(), any::<u8>(), any::<bool>())
            .prop_map(|(above, put, other, open)| WorldStep::Text(above, put, other, open)),
        1 => Just(WorldStep::Gone),
        1 => Just(WorldStep::Unfit),
        1 => Just(WorldStep::Answer),
        1 => Just(WorldStep::Deliver),
        1 => any::<u8>().prop_map(WorldStep::Edit),
    ];
    proptest::collection::vec(one, 0..40)
}

/// A proposal that changes three lines of one file and makes a folder.
fn item() -> QueuedProposal {
    let hunk = |id: &str, start: u32, old: &str, new: &str| json!({ "id": id, "start": start, "old": [old], "new": [new], "state": "pending" });
    let hunks =
        [hunk("h1", 1, "two\n", "TWO\n"), hunk("h2", 3, "four\n", "FOUR\n"), hunk("h3", 5, "six\n", "SIX\n")];
    let folder = json!({ "id": "h4", "start": 0, "old": [], "new": [], "state": "pending" });
    let proposal = json!({
        "id": "p-1", "call_id": "c-1", "session": "s", "tool": "fs.edit", "why": "", "created": "",
        "origin": { "door": "mcp" },
        "files": [
            { "path": "a", "uri": "file:///a", "kind": "edit", "hunks": hunks },
            { "path": "d", "uri": "file:///d", "kind": "mkdir", "hunks": [folder] },
        ],
    });
    let view = HunkBase { text: Some(TEXT.into()), encoding: None };
    let item = QueuedProposal::new(
        serde_json::from_value(proposal).unwrap(),
        Policy::Ask,
        vec![view, HunkBase::default()],
        Map::new(),
    );
    apply_event(item, ReviewEvent::Call(LifecycleEvent::Logged(Policy::Ask))).0
}

/// The hunks among four whose bits are set.
fn named(bits: u8) -> Vec<HunkId> {
    (0..4).filter(|at| bits & (1 << at) != 0).map(|at| format!("h{}", at + 1).into()).collect()
}

fn states(item: &QueuedProposal) -> BTreeMap<HunkId, HunkState> {
    item.proposal().hunks().map(|hunk| (hunk.id.clone(), hunk.state)).collect()
}

/// The text with some lines as the hunks have them and others as somebody else does.
fn text(above: u8, put: u8, other: u8) -> Arc<str> {
    let mut lines: Vec<String> = (0..above).map(|at| format!("new {at}\n")).collect();
    for (at, line) in TEXT.split_inclusive('\n').enumerate() {
        let hunk = (at % 2 == 1).then_some(at / 2);
        lines.push(match hunk {
            Some(hunk) if other & (1 << hunk) != 0 => "someone's\n".to_owned(),
            Some(hunk) if put & (1 << hunk) != 0 => line.to_uppercase(),
            _ => line.to_owned(),
        });
    }
    lines.concat().into()
}

/// The item with what the world knows of it.
struct World {
    item: QueuedProposal,
    /// The hunks to put in place or take out, as the effects asked for it.
    errands: Vec<(usize, Vec<HunkId>, bool)>,
    /// The decision under way.
    deciding: Option<(Act, Vec<HunkId>)>,
    /// The reason of the last decision.
    reason: Option<String>,
    /// The hunks whose change of state is not logged yet.
    owed: BTreeMap<HunkId, HunkState>,
}

impl World {
    /// Applies an event, and checks every invariant afterwards.
    fn happen(&mut self, event: ReviewEvent<'_>) -> Result<Vec<ReviewEffect>, TestCaseError> {
        let before = states(&self.item);
        let asked = matches!(event, ReviewEvent::Placed { .. } | ReviewEvent::TextMoved(_));
        let is_text = matches!(event, ReviewEvent::TextMoved(_));
        let (item, effects) = apply_event(self.item.clone(), event);
        self.item = item;
        for (hunk, now) in states(&self.item) {
            let was = before[&hunk];
            if was == now {
                continue;
            }
            let returns = is_text && (was, now) == (HunkState::Stale, HunkState::Pending);
            prop_assert!(now != HunkState::Pending || returns, "{hunk} waits again");
            let may = returns
                || was == HunkState::Pending
                || (was, now) == (HunkState::Accepted, HunkState::Rejected);
            prop_assert!(may, "{hunk} was {was:?} and is {now:?}");
            prop_assert!(now != HunkState::Accepted || asked, "{hunk} is accepted and stands nowhere");
            let untold = self.owed.insert(hunk.clone(), now);
            prop_assert!(untold.is_none(), "nothing was told of {hunk} as it was before: {untold:?}");
        }
        let mut logged = Vec::new();
        for effect in &effects {
            if let ReviewEffect::Log(_, hunks) = effect {
                prop_assert!(!hunks.is_empty());
                logged.extend(hunks.iter().cloned());
            }
        }
        let count = logged.len();
        logged.sort();
        logged.dedup();
        prop_assert_eq!(logged.len(), count, "each is logged once");
        self.owed.retain(|hunk, _| !logged.contains(hunk));
        let updates =
            effects.iter().filter(|effect| **effect == ReviewEffect::Call(LifecycleEffect::Update)).count();
        prop_assert!(logged.is_empty() || updates > 0, "what is logged is told");
        Ok(effects)
    }

    /// Checks that a hunk which a decision changed has its reason from then on: a caller that waits may look at once.
    fn has_reasons(
        &self,
        before: &BTreeMap<HunkId, HunkState>,
        reason: Option<&str>,
    ) -> Result<(), TestCaseError> {
        for hunk in self.item.proposal().hunks().filter(|hunk| before[&hunk.id] != hunk.state) {
            prop_assert!(reason.is_none() || hunk.reason.as_deref() == reason, "{}", hunk.id);
        }
        Ok(())
    }

    fn errands(&mut self, effects: Vec<ReviewEffect>) {
        let errand = |effect| match effect {
            ReviewEffect::Place { file, hunks, back } => Some((file, hunks, back)),
            _ => None,
        };
        self.errands = effects.into_iter().filter_map(errand).collect();
    }

    fn decide(&mut self, hunks: Vec<HunkId>, by: DecidedBy, act: Act) -> Result<(), TestCaseError> {
        let before = states(&self.item);
        let reason = (by != DecidedBy::Policy).then(|| "a word".to_owned());
        let decision =
            ReviewDecision { by, act, reason: reason.clone(), hunks: hunks.iter().cloned().collect() };
        let effects = self.happen(ReviewEvent::Decided(decision))?;
        self.has_reasons(&before, reason.as_deref())?;
        self.reason = reason;
        self.errands(effects);
        self.deciding = Some((act, hunks.clone()));
        for (file, wanted, back) in &self.errands {
            let state = if *back { HunkState::Accepted } else { HunkState::Pending };
            prop_assert_eq!(*back, act == Act::Reject, "nothing is put in place that nobody accepted");
            for hunk in wanted {
                prop_assert!(hunks.contains(hunk) && before[hunk] == state);
                prop_assert!(self.item.proposal().files[*file].hunks.iter().any(|known| known.id == *hunk));
            }
        }
        Ok(())
    }

    fn text(&mut self, now: Option<Arc<str>>, open: bool) -> Result<(), TestCaseError> {
        let was = self.item.views()[0].text.clone();
        let moves = was.as_deref().zip(now.as_deref()).map(|(was, now)| LineMoves::new(was, now));
        let known = |_: &Arc<str>| moves.as_ref();
        let path = WorkspacePath::from_relative("a").unwrap();
        let version = open.then_some(1);
        let moved = TextMove { path: &path, version, now: now.as_ref(), moves: &known, typed: open };
        let before = states(&self.item);
        let effects = self.happen(ReviewEvent::TextMoved(&moved))?;
        for (hunk, state) in states(&self.item).into_iter().filter(|(hunk, state)| before[hunk] != *state) {
            let log = |effect: &ReviewEffect| match effect {
                ReviewEffect::Log(by, hunks) if hunks.contains(&hunk) => Some(*by),
                _ => None,
            };
            let by = effects.iter().find_map(log);
            let expected = match !matches!(state, HunkState::Stale | HunkState::Pending) && open {
                true => DecidedBy::Editor,
                false => DecidedBy::Text,
            };
            prop_assert_eq!(by, Some(expected), "what a text did is logged at once: {}", hunk);
        }
        Ok(())
    }

    fn step(&mut self, step: WorldStep) -> Result<(), TestCaseError> {
        match step {
            WorldStep::Decide(hunks, by, yes) => {
                self.decide(named(hunks), by, if yes { Act::Accept } else { Act::Reject })?;
            }
            WorldStep::Run(found) => {
                let Some((file, mut hunks, back)) =
                    (!self.errands.is_empty()).then(|| self.errands.remove(0))
                else {
                    return Ok(());
                };
                hunks.retain(|hunk| named(found).contains(hunk));
                let before = states(&self.item);
                self.happen(ReviewEvent::Placed { file, hunks: &hunks, back, text: None })?;
                self.has_reasons(&before, self.reason.clone().as_deref())?;
            }
            WorldStep::Unasked(file, back) => {
                let (before, mut hunks) = (states(&self.item), named(15));
                let asked = self.deciding.as_ref().filter(|(act, _)| (*act == Act::Reject) == back);
                hunks.retain(|hunk| !asked.is_some_and(|(_, asked)| asked.contains(hunk)));
                self.happen(ReviewEvent::Placed { file, hunks: &hunks, back, text: None })?;
                prop_assert_eq!(states(&self.item), before, "nothing is accepted unasked");
            }
            WorldStep::Stop => self.errands.clear(),
            WorldStep::Conclude => {
                self.errands.clear();
                self.deciding = None;
                self.happen(ReviewEvent::Concluded)?;
                prop_assert!(self.owed.is_empty(), "not told: {:?}", self.owed);
                prop_assert_eq!(self.happen(ReviewEvent::Concluded)?, [], "nothing is told twice");
            }
            WorldStep::GiveUp(stale) => drop(self.happen(ReviewEvent::GivenUp(stale))?),
            WorldStep::Withdraw => {
                self.errands.clear();
                self.deciding = None;
                self.happen(ReviewEvent::Withdrawn(DecidedBy::Person))?;
                prop_assert!(self.owed.is_empty() && self.item.is_decided());
            }
            WorldStep::Text(above, put, other, open) => self.text(Some(text(above, put, other)), open)?,
            WorldStep::Gone => self.text(None, false)?,
            WorldStep::Unfit => drop(self.happen(ReviewEvent::Unfit(1))?),
            WorldStep::Answer => drop(self.happen(ReviewEvent::Call(LifecycleEvent::AnsweredPending))?),
            WorldStep::Deliver => {
                self.happen(ReviewEvent::Call(LifecycleEvent::CallEnded))?;
                self.happen(ReviewEvent::Call(LifecycleEvent::Delivered))?;
                let again = self.happen(ReviewEvent::Call(LifecycleEvent::Delivered))?;
                prop_assert_eq!(again, [], "an outcome is delivered once");
            }
            WorldStep::Edit(hunks) => {
                let decided: Vec<Hunk> = self.decided();
                let lines = named(hunks).into_iter().map(|hunk| (hunk, vec!["mine\n".to_owned()]));
                self.happen(ReviewEvent::Edited(lines.collect()))?;
                prop_assert_eq!(self.decided(), decided, "what is decided is not edited");
            }
        }
        Ok(())
    }

    fn decided(&self) -> Vec<Hunk> {
        self.item.proposal().hunks().filter(|hunk| hunk.state != HunkState::Pending).cloned().collect()
    }
}

proptest! {
    #[test]
    fn each_decision_is_told_once_and_nothing_is_applied_that_was_not_accepted(steps in steps()) {
        let mut world = World { item: item(), errands: Vec::new(), deciding: None, reason: None, owed: BTreeMap::new() };
        for step in steps {
            world.step(step)?;
        }
        world.step(WorldStep::Conclude)?;
        world.step(WorldStep::Withdraw)?;
        world.step(WorldStep::Deliver)?;
    }
}

/// Gives the proposal's file another text, as the disk has it.
fn move_to(item: QueuedProposal, now: Option<&str>) -> (QueuedProposal, Vec<ReviewEffect>) {
    let now: Option<Arc<str>> = now.map(Arc::from);
    let was = item.views()[0].text.clone();
    let moves = was.as_deref().zip(now.as_deref()).map(|(was, now)| LineMoves::new(was, now));
    let path = WorkspacePath::from_relative("a").unwrap();
    let known = |_: &Arc<str>| moves.as_ref();
    let moved = TextMove { path: &path, version: None, now: now.as_ref(), moves: &known, typed: false };
    apply_event(item, ReviewEvent::TextMoved(&moved))
}

fn decide(item: QueuedProposal, hunks: &[&str], act: Act) -> QueuedProposal {
    let hunks = hunks.iter().map(|hunk| (*hunk).into()).collect();
    let decision = ReviewDecision { by: DecidedBy::Person, act, reason: None, hunks };
    let (item, _) = apply_event(item, ReviewEvent::Decided(decision));
    apply_event(item, ReviewEvent::Concluded).0
}

#[test]
fn a_stale_hunk_waits_again_where_its_lines_are_back() {
    let (item, _) = move_to(item(), Some(&TEXT.replace("four", "other")));
    assert_eq!(states(&item)["h2"], HunkState::Stale);
    assert_eq!(item.followed_files().count(), 1);
    let (item, effects) = move_to(item, Some(&format!("zero\n{TEXT}")));
    assert_eq!(states(&item)["h2"], HunkState::Pending);
    assert_eq!(item.proposal().files[0].hunks[1].start, 4, "it goes along with lines above it");
    assert!(effects.contains(&ReviewEffect::Log(DecidedBy::Text, vec!["h2".into()])), "{effects:?}");
}

#[test]
fn all_hunks_of_a_file_that_was_away_come_back_and_their_agent_hears_how_they_end() {
    let (item, _) = move_to(decide(item(), &["h4"], Act::Reject), None);
    assert!(item.is_decided(), "{:?}", states(&item));
    let (item, _) = apply_event(item, ReviewEvent::Call(LifecycleEvent::DeliveredByAnswer));
    let (item, _) = move_to(apply_event(item, ReviewEvent::Call(LifecycleEvent::CallEnded)).0, Some(TEXT));
    assert!(item.is_waiting());
    let item = decide(item, &["h1", "h2", "h3"], Act::Reject);
    assert!(item.is_due(), "the agent knew another outcome");
}

#[test]
fn a_stale_hunk_that_is_rejected_taken_back_or_proposed_anew_does_not_come_back() {
    let stale = || move_to(item(), Some(&TEXT.replace("four", "other"))).0;
    for over in [
        decide(stale(), &["h2"], Act::Reject),
        decide(stale(), &["h1", "h3", "h4"], Act::Reject),
        apply_event(stale(), ReviewEvent::Withdrawn(DecidedBy::Person)).0,
        apply_event(stale(), ReviewEvent::Superseded(&WorkspacePath::from_relative("a").unwrap())).0,
    ] {
        let (item, _) = move_to(over, Some(TEXT));
        assert_eq!(states(&item)["h2"], HunkState::Stale);
    }
    let others = decide(stale(), &["h1"], Act::Reject);
    assert_eq!(states(&move_to(others, Some(TEXT)).0)["h2"], HunkState::Pending);
}
