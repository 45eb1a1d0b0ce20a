//! The safety net: changes on the disk by unknown programs are offered for review afterwards.

use std::process::Command;
use std::time::Duration;

use serde_json::json;
use wherefore::base::WorkspacePath;
use wherefore::base::text::TextEncoding;
use wherefore::protocol::{Act, ChangeKind, Door, HunkState, Origin, Policy, Proposal, ProposalsParams};
use wherefore::registry::{CallDraft, ChangeContent, PathChange};
use wherefore::requests::Undo;
use wherefore::requests::undo::UndoParams;

use crate::support::{Bench, numbers};

/// Longer than a change takes to be looked at.
const SETTLED: Duration = Duration::from_millis(2_500);

/// A folder whose files are known.
async fn watched(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(files);
    known(&bench).await;
    bench
}

async fn known(bench: &Bench) {
    for _ in 0..2_000 {
        if bench.served().session().files().known_files().is_complete() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("what the files hold was not noted");
}

/// Runs a script that was not announced.
fn script(bench: &Bench, text: &str) {
    let done = Command::new("sh").args(["-ec", text]).current_dir(bench.folder.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with all files of the folder committed.
const COMMIT: &str = "git init -q -b main; git config user.email a@b.c; git config user.name a; git add -A; git commit -qm one";

fn offered(bench: &Bench) -> Vec<Proposal> {
    bench
        .served()
        .queue()
        .store()
        .list_proposals(&ProposalsParams { applied: true, ..ProposalsParams::default() })
}

/// Waits until as many changes are offered.
async fn offers(bench: &Bench, count: usize) -> Vec<Proposal> {
    for _ in 0..1_000 {
        if offered(bench).len() >= count {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let found = offered(bench);
    let paths: Vec<&str> = found.iter().map(|proposal| proposal.files[0].path.as_str()).collect();
    assert_eq!(found.len(), count, "{paths:?}");
    found
}

async fn nothing_is_offered(bench: &Bench) {
    tokio::time::sleep(SETTLED).await;
    offers(bench, 0).await;
}

async fn take_back(bench: &Bench, proposal: &Proposal) {
    let hunks: Vec<&str> = proposal.hunks().map(|hunk| hunk.id.as_str()).collect();
    let answer = bench.decide(&proposal.id, &hunks, Act::Reject, None).await.unwrap();
    assert_eq!(answer.problems, Vec::<String>::new());
}

#[tokio::test]
async fn a_script_edits_three_files_and_each_is_taken_back_byte_for_byte() {
    let files = [("a.txt", "a\r\n\r\nend"), ("b.txt", "b\n"), ("deep/c.txt", "c\n")];
    let bench = watched(&files).await;
    bench.open("a.txt");
    script(&bench, r"printf 'a\r\nnew\r\nend' > a.txt; echo B > b.txt; echo more >> deep/c.txt");
    let found = offers(&bench, 3).await;
    for proposal in &found {
        assert_eq!((proposal.origin.door, proposal.origin.agent.as_deref()), (Door::Outside, None));
        assert!(proposal.hunks().all(|hunk| hunk.is_unreviewed()));
    }
    let hot: Vec<String> = bench
        .served()
        .session()
        .working_files()
        .working_set()
        .files
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert!(hot.contains(&"b.txt".to_owned()), "{hot:?}");
    // The editor reads the file again, as editors do.
    bench.type_in("a.txt", &bench.disk("a.txt"));
    for proposal in &found {
        take_back(&bench, proposal).await;
    }
    assert_eq!(files.map(|(path, _)| bench.disk(path)), files.map(|(_, text)| text.to_owned()));
    assert_eq!(bench.buffer("a.txt"), files[0].1);
    let log = bench.log();
    for part in [
        "\"door\":\"outside\"",
        "why: null",
        "\"type\":\"proposal\"",
        "\"by\":\"policy\"",
        "\"by\":\"person\"",
    ] {
        assert!(log.contains(part), "{part} is not in {log}");
    }
    tokio::time::sleep(SETTLED).await;
    assert_eq!(offered(&bench), [], "what was taken back is nobody else's");
}

#[tokio::test]
async fn what_git_has_and_what_a_person_changed_before_is_what_a_script_replaced() {
    let bench = Bench::with(
        &[("clean.txt", "1\n2\n"), ("dirty.txt", "1\n"), ("gone.txt", "gone\n"), ("a/old.txt", "moved\n")],
        true,
    );
    script(
        &bench,
        &format!("echo build > .gitignore; {COMMIT}; echo mine >> dirty.txt; echo mine > untracked.txt"),
    );
    bench.hub.remove_root(&bench.hub.roots()[0]);
    let root = bench.folder.path().canonicalize().unwrap();
    bench.hub.add_root(root.to_str().unwrap()).unwrap();
    known(&bench).await;
    script(
        &bench,
        "echo 3 >> clean.txt; echo 4 >> dirty.txt; echo 5 >> untracked.txt; rm gone.txt; echo new > new.txt; \
         mkdir build; echo made > build/made.txt; mv a/old.txt a/moved.txt; touch .gitignore",
    );
    let found = offers(&bench, 6).await;
    let kinds: Vec<(&str, ChangeKind)> =
        found.iter().map(|proposal| (proposal.files[0].path.as_str(), proposal.files[0].kind)).collect();
    assert!(kinds.contains(&("gone.txt", ChangeKind::Delete)), "{kinds:?}");
    assert!(kinds.contains(&("a/moved.txt", ChangeKind::Rename)), "{kinds:?}");
    assert!(kinds.contains(&("new.txt", ChangeKind::Create)), "{kinds:?}");
    for proposal in &found {
        take_back(&bench, proposal).await;
    }
    let texts =
        ["clean.txt", "dirty.txt", "untracked.txt", "gone.txt", "new.txt", "a/old.txt", "a/moved.txt"];
    let texts = texts.map(|path| bench.disk(path));
    assert_eq!(texts, ["1\n2\n", "1\nmine\n", "mine\n", "gone\n", "(none)", "moved\n", "(none)"]);
}

#[tokio::test]
async fn a_checkout_of_two_thousand_files_raises_none() {
    let bench = Bench::with(&[("seed.txt", "seed\n")], true);
    script(
        &bench,
        &format!(
            "for i in $(seq 2000); do echo $i > f$i.txt; done; {COMMIT}; git checkout -qb other; \
             for i in $(seq 2000); do echo other >> f$i.txt; done; git commit -qam two; git checkout -q main"
        ),
    );
    bench.hub.remove_root(&bench.hub.roots()[0]);
    let root = bench.folder.path().canonicalize().unwrap();
    bench.hub.add_root(root.to_str().unwrap()).unwrap();
    known(&bench).await;
    bench.call("fs.ls", json!({ "path": "." }), None).await;
    script(&bench, "git checkout -q other");
    nothing_is_offered(&bench).await;
    assert!(bench.log().contains("\"type\":\"outside_changes\""), "the log says so");
    // A stash, and what comes back from it.
    known(&bench).await;
    script(&bench, "echo mine >> f1.txt");
    offers(&bench, 1).await;
    script(&bench, "git stash -q");
    tokio::time::sleep(SETTLED).await;
    known(&bench).await;
    script(&bench, "git stash pop -q");
    tokio::time::sleep(SETTLED).await;
    assert_eq!(offered(&bench).len(), 1);
}

#[tokio::test]
async fn as_many_files_as_no_agent_edits_raise_none() {
    let bench = watched(&[("seed.txt", "seed\n")]).await;
    script(&bench, "for i in $(seq 60); do echo $i > f$i.txt; done");
    nothing_is_offered(&bench).await;
    known(&bench).await;
    script(&bench, "echo again >> f1.txt");
    take_back(&bench, &offers(&bench, 1).await[0]).await;
    assert_eq!(bench.disk("f1.txt"), "1\n");
}

#[tokio::test]
async fn two_quick_edits_of_one_file_are_taken_back_both() {
    let bench = watched(&[("a.txt", &numbers(9, &[]))]).await;
    script(&bench, "sed -i s/2/two/ a.txt; sleep 0.1; sed -i s/8/eight/ a.txt");
    tokio::time::sleep(SETTLED).await;
    let found = offered(&bench);
    assert!((1..=2).contains(&found.len()));
    for proposal in found.iter().rev() {
        take_back(&bench, proposal).await;
    }
    assert_eq!(bench.disk("a.txt"), numbers(9, &[]));
}

#[tokio::test]
async fn a_call_that_is_undone_brings_back_what_a_script_replaced() {
    let bench = watched(&[("a.txt", "a\n")]).await;
    script(&bench, "echo b > a.txt");
    let call = offers(&bench, 1).await[0].call_id.clone();
    script(&bench, "echo c >> a.txt");
    offers(&bench, 2).await;
    bench.ask::<Undo>(UndoParams { call: Some(call.to_string()), ..UndoParams::default() }).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "a\nc\n", "the later change stays");
}

#[tokio::test]
async fn what_a_person_or_a_call_writes_is_not_offered() {
    let bench = watched(&[("a.txt", "a\n"), ("b.txt", "b\n")]).await;
    bench.open("a.txt");
    bench.type_in("a.txt", "typed\n");
    bench.save("a.txt");
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let answer = bench.call("fs.write", json!({ "path": "b.txt", "content": "B\n" }), None).await;
    assert_eq!(answer.error, None);
    tokio::time::sleep(SETTLED).await;
    assert_eq!(offers(&bench, 1).await[0].call_id, answer.call_id);
    bench
        .ask::<Undo>(UndoParams { call: Some(answer.call_id.to_string()), ..UndoParams::default() })
        .await
        .unwrap();
    let arguments = json!({ "line": "echo run > run.txt; echo run >> b.txt" });
    let ran = bench.call("terminal.run", arguments, Some(Policy::Auto)).await;
    assert_eq!((ran.error, bench.disk("run.txt").as_str()), (None, "run\n"));
    tokio::time::sleep(SETTLED).await;
    let doors: Vec<Door> = offered(&bench).iter().map(|proposal| proposal.origin.door).collect();
    assert!(!doors.contains(&Door::Outside), "{doors:?}");
}

#[tokio::test]
async fn what_an_agents_own_tool_tells_of_is_offered_once() {
    let bench = watched(&[("a.txt", "a\n")]).await;
    let path = WorkspacePath::from_relative("a.txt").unwrap();
    bench.served().session().files().known_files().expect_change(&path, Duration::from_secs(20));
    script(&bench, "echo b > a.txt");
    nothing_is_offered(&bench).await;
    let [before, after] = ["a\n", "b\n"]
        .map(|text| ChangeContent::Text { text: text.to_owned(), encoding: TextEncoding::Utf8 });
    let changes = vec![PathChange::of_text(path, Some(before), after)];
    let draft = CallDraft { changes, ..CallDraft::default() };
    bench.served().adopt_draft(Origin::from_door(Door::Hook), None, draft).await.unwrap();
    tokio::time::sleep(SETTLED).await;
    let found = offers(&bench, 1).await;
    assert_eq!(found[0].origin.door, Door::Hook);
    assert!(found[0].hunks().all(|hunk| hunk.state == HunkState::Accepted));
}

#[tokio::test]
async fn nothing_is_offered_of_closed_files_where_it_is_off_or_where_nobody_is_there() {
    let bench = watched(&[("secrets.json", "KEY=before\n"), ("a.txt", "a\n")]).await;
    script(&bench, "echo KEY=after > secrets.json");
    nothing_is_offered(&bench).await;
    bench.hub.settings_changed(Some(json!({ "native": { "outside": false } })));
    script(&bench, "echo b > a.txt");
    nothing_is_offered(&bench).await;
    let alone = Bench::with(&[("a.txt", "a\n")], false);
    tokio::time::sleep(SETTLED).await;
    assert!(!alone.served().session().files().known_files().is_on(), "nothing is read where nobody is there");
    script(&alone, "echo b > a.txt");
    nothing_is_offered(&alone).await;
    // With an agent, there is somebody to notify.
    let agent = alone.hub.connect_agent(alone.hub.roots()[0].as_str(), "agent", None);
    known(&alone).await;
    script(&alone, "echo c > a.txt");
    offers(&alone, 1).await;
    drop(agent);
}
