//! Nobody has to wait: pending answers, review.wait, decisions with the next result, proposals that outlive a process.

use serde_json::json;
use wherefore::hub::{Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{Act, Code, Policy, ProposalsParams, Status};

use crate::support::{Bench, states};

#[tokio::test]
async fn a_held_change_is_answered_pending_and_decided_later() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    let answer = bench.call("fs.write", json!({ "path": "a.txt", "content": "b\n" }), None).await;
    assert_eq!(answer.status, Status::Pending);
    let result = answer.result.unwrap();
    let id = result["proposal"].as_str().unwrap().to_owned();
    assert_eq!(result["next_action"]["tool"], "review.wait");
    assert_eq!(bench.disk("a.txt"), "a\n");
    bench.decide(&id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "b\n");
    let other = bench.call_as("other/1", "fs.ls", json!({ "path": "." }), None).await;
    assert_eq!(other.decisions, [], "decisions go to the agent whose call it was");
    let next = bench.call("fs.ls", json!({ "path": "." }), None).await;
    assert_eq!(next.decisions.len(), 1);
    assert_eq!(
        (next.decisions[0].proposal.as_str(), next.decisions[0].status.as_str()),
        (id.as_str(), "applied")
    );
    assert_eq!(bench.call("fs.ls", json!({ "path": "." }), None).await.decisions, [], "each is told once");
}

#[tokio::test]
async fn review_wait_brings_the_decision() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    let answer = bench.call("fs.write", json!({ "path": "a.txt", "content": "b\n" }), None).await;
    let id = answer.result.unwrap()["proposal"].as_str().unwrap().to_owned();
    let still =
        bench.call("review.wait", json!({ "proposal": id, "timeout_s": 0 }), None).await.result.unwrap();
    assert_eq!(still["status"], "pending");
    let (hub, decided) = (bench.hub.clone(), id.clone());
    let person = tokio::spawn(async move { hub.decide_all(&decided, Act::Accept).await });
    let told = bench.call("review.wait", json!({ "proposal": id, "timeout_s": 10 }), None).await;
    person.await.unwrap().unwrap();
    assert_eq!((states(&told.result.unwrap()), told.decisions.len()), (vec!["h1 accepted".to_owned()], 0));
    let gone = bench.call("review.wait", json!({ "proposal": "p-none" }), None).await;
    assert_eq!(gone.error.unwrap().code, Code::NotFound);
}

#[tokio::test]
async fn proposals_outlive_the_process() {
    let bench = Bench::with(&[("a.txt", "a\nb\nc\n")], false);
    bench.call("fs.write", json!({ "path": "a.txt", "content": "A\nb\nC\n" }), Some(Policy::Hold)).await;
    let before = bench.proposals();
    let hub = Hub::new(HubOptions { editor: std::sync::Arc::new(NoEditor), shared_log: true });
    hub.add_root(bench.folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    assert_eq!(hub.proposals(&ProposalsParams::default()).proposals, before);
    hub.decide_all(&before[0].id, Act::Accept).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "A\nb\nC\n");
}

#[tokio::test]
async fn a_cancelled_call_leaves_its_proposal_open() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": "b\n" })).await;
    call.abort();
    let _ = call.await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "b\n");
    // The cancelled call may still be on its way out: its decision comes with one of the next results.
    let mut told = Vec::new();
    for _ in 0..100 {
        told.extend(bench.call("fs.ls", json!({ "path": "." }), None).await.decisions);
        if !told.is_empty() {
            break;
        }
    }
    assert_eq!(told.len(), 1);
}
