//! Twenty agents and a reviewer who accepts, rejects and takes back meanwhile: no answer is untrue, and every decision
//! is in the log. `WHEREFORE_CROWD_S` sets the number of seconds.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wherefore::base::{CallId, ProposalId};
use wherefore::protocol::{Act, Code, DecideParams, Envelope, HunkState, Policy, Proposal, ProposalsParams};
use wherefore::requests::undo::UndoParams;
use wherefore::requests::{Decide, Undo};

use crate::support::Bench;

const AGENTS: usize = 20;
const SHARED: usize = 4;

/// An answered call: it was to add the line `mark` to a file.
struct Answered {
    mark: String,
    path: String,
    envelope: Envelope,
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// The actions of the reviewer.
#[derive(Default)]
struct Reviewed {
    /// The proposals as each decision left them.
    decided: Vec<Proposal>,
    undone: Vec<CallId>,
}

async fn agent(bench: &Bench, number: usize, until: Instant, over: &AtomicUsize) -> Vec<Answered> {
    let (mut dice, mut answered) = (Dice(number as u64 + 1), Vec::new());
    let name = format!("agent-{number}/1");
    let mut round = 0;
    while Instant::now() < until {
        round += 1;
        let mark = format!("mark-{number}-{round}-end");
        let path = match dice.below(2) {
            0 => format!("shared-{}.txt", dice.below(SHARED)),
            _ => format!("own-{number}.txt"),
        };
        let policy = (dice.below(3) == 0).then_some(Policy::Hold);
        let (tool, arguments) = match dice.below(3) {
            0 => ("fs.append", json!({ "path": path, "text": format!("{mark}\n") })),
            1 => {
                let find = format!("slot {}", dice.below(8));
                ("fs.edit", json!({ "path": path, "find": find, "replace": format!("{find}\n{mark}") }))
            }
            _ => {
                let path = format!("new/{number}-{round}.txt");
                let envelope = bench.call_as(
                    &name,
                    "fs.write",
                    json!({ "path": path, "content": format!("{mark}\n") }),
                    policy,
                );
                answered.push(Answered { mark, path, envelope: envelope.await });
                continue;
            }
        };
        let envelope = bench.call_as(&name, tool, arguments, policy).await;
        check_now(&envelope);
        answered.push(Answered { mark, path, envelope });
    }
    over.fetch_add(1, Ordering::SeqCst);
    answered
}

/// Checks on an answer by itself.
fn check_now(envelope: &Envelope) {
    match (&envelope.result, &envelope.error) {
        (Some(result), None) => {
            let status = result["status"].as_str().unwrap();
            assert!(["applied", "pending", "partly_applied"].contains(&status), "{envelope:?}");
        }
        (_, Some(fault)) => {
            let expected = [Code::Stale, Code::Rejected, Code::PatchMismatch, Code::QuotaExceeded];
            assert!(expected.contains(&fault.code), "{fault:?}");
            if fault.code == Code::Stale {
                let details = fault.details.as_ref().unwrap();
                assert!(details["hash"].is_string() && fault.next_action.is_some(), "{fault:?}");
            }
        }
        (None, None) => panic!("neither result nor fault: {envelope:?}"),
    }
}

async fn reviewer(bench: &Bench, over: &AtomicUsize) -> Reviewed {
    let (mut dice, mut reviewed) = (Dice(99), Reviewed::default());
    let mut round = 0;
    while over.load(Ordering::SeqCst) < AGENTS {
        round += 1;
        if round % 8 == 0 {
            let all = DecideParams { applied: round % 32 == 0, ..DecideParams::all(Act::Accept) };
            if let Ok(answer) = bench.ask::<Decide>(all).await {
                reviewed.decided.extend(answer.proposals);
            }
        }
        let params = ProposalsParams { all: true, ..ProposalsParams::default() };
        let shown = bench.served().queue().store().list_proposals(&params);
        tokio::time::sleep(Duration::from_millis(2)).await;
        if shown.is_empty() {
            continue;
        }
        let one = &shown[dice.below(shown.len())];
        match dice.below(3) {
            0 => {
                let hunks: Vec<&str> = one.hunks().map(|hunk| hunk.id.as_str()).collect();
                if let Ok(answer) = bench.decide(&one.id, &hunks, Act::Reject, Some("not like this")).await {
                    reviewed.decided.extend(answer.proposals);
                }
            }
            1 => {
                let call = Some(one.call_id.to_string());
                match bench.ask::<Undo>(UndoParams { call, root: None }).await {
                    Ok(_) => reviewed.undone.push(one.call_id.clone()),
                    Err(fault) => assert_eq!(fault.applied, None, "{fault:?}"),
                }
            }
            _ => {
                if let Ok(answer) = bench.decide(&one.id, &[], Act::Accept, None).await {
                    reviewed.decided.extend(answer.proposals);
                }
            }
        }
    }
    reviewed
}

/// The calls whose hunks a person took back or rejected, whatever was answered before.
fn taken_back(reviewed: &Reviewed) -> HashSet<CallId> {
    let rejected = |proposal: &&Proposal| proposal.hunks().any(|hunk| hunk.state == HunkState::Rejected);
    let calls = reviewed.decided.iter().filter(rejected).map(|proposal| proposal.call_id.clone());
    calls.chain(reviewed.undone.iter().cloned()).collect()
}

fn compare(
    bench: &Bench,
    answered: &Answered,
    taken_back: &HashSet<CallId>,
    last: &HashMap<ProposalId, Proposal>,
) {
    let Answered { mark, path, envelope } = answered;
    let times = bench.disk(path).lines().filter(|line| line == mark).count();
    assert!(times <= 1, "{mark} stands {times} times in {path}");
    if taken_back.contains(&envelope.call_id) {
        return;
    }
    let stands = match (&envelope.result, &envelope.error) {
        (Some(result), _) if result["status"] == "applied" => true,
        (Some(result), _) => {
            assert_eq!(result["status"], "pending", "one hunk is not applied in part: {envelope:?}");
            let proposal = last.get(result["proposal"].as_str().unwrap());
            proposal.is_some_and(|proposal| proposal.hunks().all(|hunk| hunk.state == HunkState::Accepted))
        }
        (_, Some(fault)) => fault.applied == Some(true),
        (None, None) => false,
    };
    assert_eq!(times, usize::from(stands), "{mark} in {path}: {envelope:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_is_untrue_and_every_decision_is_in_the_log() {
    let seconds = std::env::var("WHEREFORE_CROWD_S").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let slots: String = (0..8).map(|slot| format!("slot {slot}\n\n")).collect();
    let names = (0..SHARED).map(|number| format!("shared-{number}.txt"));
    let names: Vec<String> = names.chain((0..AGENTS).map(|number| format!("own-{number}.txt"))).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), slots.as_str())).collect();
    let bench = Bench::with(&files, false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let (until, over) = (Instant::now() + Duration::from_secs(seconds), AtomicUsize::new(0));
    let agents = futures::future::join_all((0..AGENTS).map(|number| agent(&bench, number, until, &over)));
    let (answers, reviewed) = tokio::join!(agents, reviewer(&bench, &over));
    let answers: Vec<Answered> = answers.into_iter().flatten().collect();

    // Pending hunks are decided, so that all of them have an outcome.
    let mut reviewed = reviewed;
    if let Ok(answer) = bench.ask::<Decide>(DecideParams::all(Act::Accept)).await {
        reviewed.decided.extend(answer.proposals);
    }
    let taken_back = taken_back(&reviewed);
    let last: HashMap<ProposalId, Proposal> =
        reviewed.decided.iter().map(|proposal| (proposal.id.clone(), proposal.clone())).collect();
    for answered in &answers {
        check_now(&answered.envelope);
        compare(&bench, answered, &taken_back, &last);
    }
    every_decision_is_logged(&bench, &answers, &reviewed);
    assert!(!answers.is_empty() && !reviewed.decided.is_empty());
}

fn every_decision_is_logged(bench: &Bench, answers: &[Answered], reviewed: &Reviewed) {
    let log = bench.log();
    let mut decided: HashSet<String> = HashSet::new();
    for event in log.lines().filter(|line| line.contains("\"type\":\"decision\"")) {
        let id = event.split("\"proposal\":\"").nth(1).and_then(|rest| rest.split('"').next());
        decided.extend(id.map(str::to_owned));
    }
    for proposal in &reviewed.decided {
        assert!(decided.contains(&*proposal.id), "the decision on {} is not in the log", proposal.id);
    }
    for Answered { envelope, .. } in answers {
        let applied = envelope.result.as_ref().filter(|result| result["status"] == "applied");
        if let Some(id) = applied.and_then(|result| result.get("proposal").and_then(Value::as_str)) {
            assert!(decided.contains(id), "what the policy decided on {id} is not in the log");
        }
    }
}
