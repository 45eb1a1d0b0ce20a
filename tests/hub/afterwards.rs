//! Review at the end: what a policy applied is looked at later, across calls; and hunks that a person changes first.

use serde_json::json;
use wherefore::base::{CallId, WorkspacePath};
use wherefore::protocol::{
    Act, Code, DecideParams, HunkState, Point, Policy, Proposal, ProposalsParams, Status,
};
use wherefore::requests::cancel::CancelParams;
use wherefore::requests::{Cancel, Decide};

use crate::support::{Bench, numbers, states};

async fn auto(bench: &Bench, path: &str, content: &str) -> CallId {
    let arguments = json!({ "path": path, "content": content });
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let answer = bench.call("fs.write", arguments, None).await;
    assert_eq!(answer.result.unwrap()["status"], "applied");
    answer.call_id
}

fn applied(bench: &Bench, since: Option<&str>) -> Vec<Proposal> {
    let since = since.map(|since| Point::try_from(since.to_owned()).unwrap());
    bench.served().queue().store().list_proposals(&ProposalsParams {
        applied: true,
        since,
        ..ProposalsParams::default()
    })
}

#[tokio::test]
async fn what_was_applied_is_reviewed_at_the_end() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[])), ("b.txt", "b\n")]);
    let first = auto(&bench, "a.txt", &numbers(9, &[(2, "two"), (6, "six")])).await;
    auto(&bench, "b.txt", "B\n").await;
    // Typing moves what was applied.
    bench.open("a.txt");
    bench.type_in("a.txt", &format!("new\n{}", numbers(9, &[(2, "two"), (6, "six")])));
    let found = applied(&bench, None);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].hunks().map(|hunk| hunk.start).collect::<Vec<_>>(), [2, 6]);
    assert_eq!(bench.served().workspace_status().unreviewed_hunks, 3);
    assert_eq!(bench.proposals(), [], "nothing waits");
    let after: Vec<WorkspacePath> =
        applied(&bench, Some(&first)).iter().map(|proposal| proposal.files[0].path.clone()).collect();
    assert_eq!(after, ["b.txt"]);

    let id = found[0].id.clone();
    bench.decide(&id, &["h1"], Act::Accept, None).await.unwrap();
    bench.decide(&id, &["h2"], Act::Reject, Some("six is a number")).await.unwrap();
    assert_eq!(bench.buffer("a.txt"), format!("new\n{}", numbers(9, &[(2, "two")])));
    assert_eq!(applied(&bench, None).len(), 1, "what was looked at is not shown again");
    let again = bench.decide(&id, &["h1"], Act::Accept, None).await.unwrap_err();
    assert_eq!(again.code, Code::NotFound);

    // The agent gets the hunk that was taken back, once, and none of those that stay.
    let told = bench.call("fs.ls", json!({ "path": "." }), None).await.decisions;
    assert_eq!(
        (told.len(), told[0].proposal.as_str(), told[0].status.as_str()),
        (1, id.as_str(), "partly_applied")
    );
    assert_eq!(told[0].hunks[1].reason.as_deref(), Some("six is a number"));
    assert_eq!(bench.call("fs.ls", json!({ "path": "." }), None).await.decisions, []);
}

#[tokio::test]
async fn all_that_was_applied_since_a_point_is_taken_back() {
    let bench = Bench::with(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")], false);
    let first = auto(&bench, "a.txt", "A\n").await;
    auto(&bench, "b.txt", "B\n").await;
    bench.call("fs.write", json!({ "path": "c.txt", "content": "C\n" }), Some(Policy::Hold)).await;
    auto(&bench, "new.txt", "new\n").await;
    let since = Some(Point::try_from(String::from(first)).unwrap());
    bench
        .ask::<Decide>(DecideParams { applied: true, since, ..DecideParams::all(Act::Reject) })
        .await
        .unwrap();
    let all = ["a.txt", "b.txt", "c.txt", "new.txt"].map(|path| bench.disk(path));
    assert_eq!(all, ["A\n", "b\n", "c\n", "(none)"]);
    assert_eq!(bench.proposals(), [], "what waited was rejected with it");
    bench.ask::<Decide>(DecideParams { applied: true, ..DecideParams::all(Act::Accept) }).await.unwrap();
    assert_eq!(applied(&bench, None), []);
    assert_eq!(bench.disk("a.txt"), "A\n");
}

#[tokio::test]
async fn a_hunk_is_changed_before_it_is_accepted() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    let content = numbers(9, &[(2, "two"), (6, "six")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": content })).await;
    let edit = |hunk: &str, text: &str, act| DecideParams {
        proposal: Some(proposal.id.clone()),
        hunks: vec![hunk.into()],
        texts: [(hunk.into(), text.to_owned())].into(),
        ..DecideParams::all(act)
    };
    for wrong in
        [edit("h1", "x", Act::Reject), DecideParams { proposal: None, ..edit("h1", "x", Act::Accept) }]
    {
        assert_eq!(bench.ask::<Decide>(wrong).await.unwrap_err().code, Code::InvalidArgs);
    }
    let other = DecideParams { hunks: vec!["h2".into()], ..edit("h1", "x", Act::Accept) };
    assert_eq!(bench.ask::<Decide>(other).await.unwrap_err().code, Code::InvalidArgs);
    bench.ask::<Decide>(edit("h1", "TWO\nand a half", Act::Accept)).await.unwrap();
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let result = call.await.unwrap().result.unwrap();
    let now = numbers(9, &[(2, "TWO\nand a half"), (6, "six")]);
    assert_eq!(bench.disk("a.txt"), now);
    assert_eq!(states(&result), ["h1 accepted", "h2 accepted"]);
    assert_eq!(
        (&result["hunks"][0]["text"], &result["hunks"][1]["text"]),
        (&json!("TWO\nand a half\n"), &json!(null))
    );
    assert!(bench.log().contains("TWO"), "the log tells what was accepted");
    let wrong = bench.ask::<Decide>(edit("h1", "late", Act::Accept)).await.unwrap_err();
    assert_eq!((wrong.code, bench.disk("a.txt")), (Code::NotFound, now));
}

#[tokio::test]
async fn a_person_stops_a_call() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    let (call, proposal) = bench.propose("fs.write", json!({ "path": "a.txt", "content": "b\n" })).await;
    let cancel = |id: &str| bench.ask::<Cancel>(CancelParams { call_id: id.into(), root: None });
    cancel(&proposal.call_id).await.unwrap();
    let answer = call.await.unwrap();
    assert_eq!((answer.status, answer.error.unwrap().code), (Status::Error, Code::Cancelled));
    assert_eq!(cancel(&proposal.call_id).await.unwrap_err().code, Code::NotFound);
    assert_eq!(bench.proposals()[0].files[0].hunks[0].state, HunkState::Pending, "what it proposed stays");
}

#[tokio::test]
async fn a_long_session_forgets_its_oldest_changes_and_none_before_its_call_is_answered() {
    let bench = Bench::new(&[("a.txt", "0\n")]);
    let first = auto(&bench, "a.txt", "1\n").await;
    for number in 2..=230 {
        auto(&bench, "a.txt", &format!("{number}\n")).await;
    }
    let found = applied(&bench, None);
    assert_eq!(found.len(), 200);
    assert!(found.iter().all(|proposal| proposal.call_id != first));
}

/// As with the arrow of a diff editor whose right side is the file.
#[tokio::test]
async fn what_a_person_takes_out_of_the_text_by_hand_is_taken_back() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    auto(&bench, "a.txt", &numbers(9, &[(2, "two"), (6, "six")])).await;
    bench.open("a.txt");
    bench.type_in("a.txt", &numbers(9, &[(2, "two")]));
    let found = applied(&bench, None);
    let stood: Vec<HunkState> = found[0].hunks().map(|hunk| hunk.state).collect();
    assert_eq!(stood, [HunkState::Accepted, HunkState::Rejected]);
    assert_eq!(bench.served().workspace_status().unreviewed_hunks, 1, "the other is still to look at");
    let told = bench.call("fs.ls", json!({ "path": "." }), None).await.decisions;
    assert_eq!(told[0].hunks[1].state, HunkState::Rejected);

    // A larger change is a person's own edit, which has no meaning for the hunk.
    bench.type_in("a.txt", &numbers(9, &[(1, "one"), (2, "2 (two)")]));
    assert_eq!(applied(&bench, None)[0].hunks().next().unwrap().state, HunkState::Accepted);
}

#[tokio::test]
async fn of_what_nobody_looked_at_the_last_changes_are_kept() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    for number in 0..205 {
        auto(&bench, "a.txt", &format!("{number}\n")).await;
    }
    let found = applied(&bench, None);
    assert_eq!(found.len(), 200);
    let kept = bench.served().session().workspace().state().list_folder("proposals").unwrap();
    let listed: std::collections::BTreeSet<String> =
        found.iter().map(|proposal| format!("{}.json", proposal.id)).collect();
    assert_eq!(
        kept.into_iter().collect::<std::collections::BTreeSet<_>>(),
        listed,
        "and no others in the folder"
    );
}
