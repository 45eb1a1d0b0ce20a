//! No agent has to wait: pending answers, review.wait, decisions with the next result, proposals that outlive a process.

use serde_json::json;
use wherefore::base::ProposalId;
use wherefore::hub::{Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{Act, Code, DecideParams, Door, Fault, Policy, ProposalsParams, Status};
use wherefore::requests::decide::DecideAnswer;
use wherefore::requests::{Asker, Decide, Request};

use crate::support::{Bench, launcher, states};

/// Decides every pending hunk of one proposal.
async fn decide(hub: &Hub, proposal: &str, act: Act) -> Result<DecideAnswer, Fault> {
    let params = DecideParams { proposal: Some(proposal.into()), ..DecideParams::all(act) };
    Decide::answer_request(hub, params, Asker::from_door(Door::Lsp)).await
}

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
    let person = tokio::spawn(async move { decide(&hub, &decided, Act::Accept).await });
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
    let state = Some(bench.state.path().to_owned());
    let hub = Hub::new(HubOptions {
        editor: std::sync::Arc::new(NoEditor),
        shared_log: true,
        state,
        launcher: launcher(),
        environment: None,
    });
    hub.add_root(bench.folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    assert_eq!(
        hub.folder_at(None).unwrap().queue().store().list_proposals(&ProposalsParams::default()),
        before
    );
    decide(&hub, &before[0].id, Act::Accept).await.unwrap();
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

#[tokio::test]
async fn no_more_changes_wait_than_may() {
    let bench = Bench::with(&[], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold" }, "limits": { "held": 3 } })));
    let write = |number: usize| {
        bench.call("fs.write", json!({ "path": format!("{number}.txt"), "content": "new\n" }), None)
    };
    let answers = futures::future::join_all((0..8).map(write)).await;
    let held = answers.iter().filter(|answer| answer.status == Status::Pending).count();
    assert_eq!((held, bench.proposals().len()), (3, 3));
    let fault = answers.into_iter().find_map(|answer| answer.error).unwrap();
    assert_eq!((fault.code, fault.applied), (Code::QuotaExceeded, None));
    assert!(fault.message.contains("limits.held") && fault.suggestion.unwrap().contains("wherefore review"));
    // Applied changes need no place, and each decision frees one.
    let id = bench.proposals().remove(0).id;
    bench.decide(&id, &[], Act::Reject, None).await.unwrap();
    assert_eq!(write(9).await.status, Status::Pending);
    assert_eq!(write(10).await.error.unwrap().code, Code::QuotaExceeded);
}

/// The proposals whose decisions a log holds, in order.
fn decided(log: &str) -> Vec<ProposalId> {
    let id = |event: &str| Some(event.split("\"proposal\":\"").nth(1)?.split('"').next()?.into());
    log.lines().filter(|line| line.contains("\"type\":\"decision\"")).filter_map(id).collect()
}

#[tokio::test]
async fn every_decision_is_told_and_logged_however_many_there_are() {
    let bench = Bench::with(&[], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold" } })));
    for number in 0..260 {
        let write = json!({ "path": format!("{number}.txt"), "content": "new\n" });
        bench.call_as(&format!("agent-{number}/1"), "fs.write", write, None).await;
    }
    let ids: Vec<ProposalId> = bench.proposals().into_iter().map(|proposal| proposal.id).collect();
    let answer = bench.ask::<Decide>(DecideParams::all(Act::Accept)).await.unwrap();
    let told: Vec<ProposalId> = answer.proposals.iter().map(|proposal| proposal.id.clone()).collect();
    assert_eq!((told, answer.problems.len()), (ids.clone(), 0));
    assert!(answer.proposals.iter().all(|proposal| proposal.state().as_str() == "applied"));
    assert_eq!(decided(&bench.log()), ids);
}

#[tokio::test]
async fn a_decision_that_the_log_does_not_take_is_said_and_written_later() {
    let bench = Bench::with(&[("a.txt", "a\n"), ("b.txt", "b\n")], false);
    for path in ["a.txt", "b.txt"] {
        bench.call("fs.write", json!({ "path": path, "content": "new\n" }), Some(Policy::Hold)).await;
    }
    // Made within one second, they stand in no certain order.
    let mut waiting = bench.proposals();
    waiting.sort_by(|a, b| a.files[0].path.cmp(&b.files[0].path));
    let ids: Vec<ProposalId> = waiting.into_iter().map(|proposal| proposal.id).collect();
    let state = Some(bench.state.path().to_owned());
    let hub = Hub::new(HubOptions {
        editor: std::sync::Arc::new(NoEditor),
        shared_log: false,
        state,
        launcher: launcher(),
        environment: None,
    });
    hub.add_root(bench.folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    // Its log is opened by its first event: something is in the way at that moment.
    let sessions = bench.folder.path().join(".wherefore/sessions");
    let aside = bench.folder.path().join("aside");
    std::fs::rename(&sessions, &aside).unwrap();
    std::fs::write(&sessions, "in the way").unwrap();
    let answer = decide(&hub, &ids[0], Act::Accept).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "new\n");
    assert!(
        answer.problems.iter().any(|problem| problem.contains("not in the session log yet")),
        "{answer:?}"
    );
    std::fs::remove_file(&sessions).unwrap();
    std::fs::rename(&aside, &sessions).unwrap();
    let answer = decide(&hub, &ids[1], Act::Reject).await.unwrap();
    assert_eq!(answer.problems, Vec::<String>::new());
    let log = hub.folder_at(None).unwrap().session_log(None).unwrap().text;
    assert_eq!(decided(&log), ids, "{log}");
    hub.close();
}
