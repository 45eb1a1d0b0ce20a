//! Changes that another tool made already: reviewed, taken back and undone like those that a policy applied.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;
use wherefore::base::WorkspacePath;
use wherefore::base::text::TextEncoding;
use wherefore::protocol::{
    Act, ChangeKind, Code, Door, EditorNotice, Envelope, HunkState, Origin, PathContent, Proposal,
    ProposalsParams, Status,
};
use wherefore::registry::{CallDraft, ChangeContent, PathChange};
use wherefore::requests::Undo;
use wherefore::requests::undo::UndoParams;

use crate::support::{Bench, numbers};

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::from_relative(path).unwrap()
}

fn text(text: &str) -> ChangeContent {
    ChangeContent::Text { text: text.to_owned(), encoding: TextEncoding::Utf8 }
}

fn edit(name: &str, before: &str, after: &str) -> PathChange {
    PathChange::of_text(path(name), Some(text(before)), text(after))
}

fn origin() -> Origin {
    let [agent, session, tool] = ["claude-code/2.1", "s1", "Edit"].map(|word| Some(word.to_owned()));
    Origin { agent, session, tool, ..Origin::from_door(Door::Hook) }
}

async fn adopt(bench: &Bench, why: Option<&str>, changes: Vec<PathChange>) -> Option<Envelope> {
    bench.served().adopt_draft(origin(), why, CallDraft { changes, ..CallDraft::default() }).await.unwrap()
}

fn applied(bench: &Bench) -> Vec<Proposal> {
    bench
        .served()
        .queue()
        .store()
        .list_proposals(&ProposalsParams { applied: true, ..ProposalsParams::default() })
}

async fn undo(bench: &Bench, call: &str) {
    bench.ask::<Undo>(UndoParams { call: Some(call.into()), ..UndoParams::default() }).await.unwrap();
}

#[tokio::test]
async fn a_change_that_stands_is_reviewed_and_taken_back_hunk_by_hunk() {
    let (was, now) = (numbers(9, &[]), numbers(9, &[(2, "two"), (6, "six\nand a half")]));
    let bench = Bench::new(&[("a.txt", &was)]);
    bench.write("a.txt", &now);
    let answer = adopt(&bench, None, vec![edit("a.txt", &was, &now)]).await.unwrap();
    assert_eq!((answer.status, answer.error), (Status::Ok, None));
    assert_eq!(answer.result.unwrap()["status"], "applied");

    let found = applied(&bench);
    let proposal = &found[0];
    assert_eq!((found.len(), proposal.why.as_str()), (1, "no reason given"));
    assert_eq!((proposal.origin.door, proposal.origin.tool.as_deref()), (Door::Hook, Some("Edit")));
    assert!(proposal.hunks().all(|hunk| hunk.is_unreviewed()));
    assert_eq!(bench.served().workspace_status().unreviewed_hunks, 2);
    assert_eq!(bench.proposals(), [], "nothing waits");
    let is_shown =
        |notice: &EditorNotice| matches!(notice, EditorNotice::Changed(shown) if shown.id == proposal.id);
    assert!(bench.editor.told.lock().unwrap().iter().any(is_shown));

    bench.decide(&proposal.id, &["h1"], Act::Reject, Some("two is a number")).await.unwrap();
    assert_eq!(bench.disk("a.txt"), numbers(9, &[(6, "six\nand a half")]));
    bench.decide(&proposal.id, &["h2"], Act::Accept, None).await.unwrap();
    assert_eq!(applied(&bench), []);
    let log = bench.log();
    for part in [
        "tool: fs.patch",
        "why: null",
        "\"door\":\"hook\"",
        "\"type\":\"proposal\"",
        "\"by\":\"policy\"",
        "\"by\":\"person\"",
    ] {
        assert!(log.contains(part), "{part} is not in {log}");
    }
}

#[tokio::test]
async fn every_kind_of_change_that_stands_is_undone_byte_for_byte() {
    let bench = Bench::new(&[
        ("edited.txt", "one\r\ntwo\r\n"),
        ("gone.sh", "#!/bin/sh\n"),
        ("old.txt", "1\n2\n3\n"),
        ("run.sh", "#!/bin/sh\n"),
    ]);
    let root = bench.folder.path().canonicalize().unwrap();
    let state = |bytes: &[u8]| {
        let hash = wherefore::base::hash::short_hash(bytes);
        bench.served().session().workspace().state().put_object(bytes).unwrap();
        PathContent::Bytes { hash, size: bytes.len() as u64 }
    };
    let mode = |name: &str| std::fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("gone.sh", 0o755);
    std::fs::write(root.join("bytes"), [0, 1]).unwrap();
    let before = snapshot(&root);

    bench.write("edited.txt", "one\r\nTWO\r\n");
    std::fs::create_dir(root.join("deep")).unwrap();
    bench.write("deep/new.txt", "new\n");
    std::fs::remove_file(root.join("gone.sh")).unwrap();
    std::fs::rename(root.join("old.txt"), root.join("new name.txt")).unwrap();
    bench.write("new name.txt", "1\nzwei\n3\n");
    set("run.sh", 0o755);
    std::fs::write(root.join("bytes"), [0, 2]).unwrap();
    symlink("edited.txt", root.join("link")).unwrap();
    let changes = vec![
        PathChange { executable: Some(true), ..PathChange::of_removal(path("gone.sh"), text("#!/bin/sh\n")) },
        PathChange::without_content(path("new name.txt"), ChangeKind::Rename, Some(path("old.txt"))),
        edit("new name.txt", "1\n2\n3\n", "1\nzwei\n3\n"),
        edit("edited.txt", "one\r\ntwo\r\n", "one\r\nTWO\r\n"),
        PathChange::of_mode(path("run.sh"), true),
        PathChange::of_content(path("bytes"), Some(state(&[0, 1])), Some(state(&[0, 2]))),
        PathChange::of_text(path("deep/new.txt"), None, text("new\n")),
        PathChange::of_content(path("link"), None, Some(PathContent::Symlink("edited.txt".to_owned()))),
    ];
    let after = snapshot(&root);
    let answer = adopt(&bench, Some("Make it better"), changes).await.unwrap();
    assert_eq!((answer.status, &answer.error), (Status::Ok, &None));
    assert_eq!(snapshot(&root), after, "nothing is written");
    assert_eq!(applied(&bench)[0].hunks().count(), 8);

    undo(&bench, &answer.call_id).await;
    std::fs::remove_dir(root.join("deep")).unwrap();
    assert_eq!(snapshot(&root), before);
    assert_eq!((mode("gone.sh") & 0o111, mode("run.sh") & 0o111), (0o111, 0));
}

#[tokio::test]
async fn each_hunk_of_every_kind_is_taken_back_by_itself() {
    let bench = Bench::new(&[("gone.txt", "gone\n"), ("old.txt", "1\n2\n3\n")]);
    let root = bench.folder.path().canonicalize().unwrap();
    let before = snapshot(&root);
    bench.write("new.txt", "new\n");
    std::fs::remove_file(root.join("gone.txt")).unwrap();
    std::fs::rename(root.join("old.txt"), root.join("moved.txt")).unwrap();
    bench.write("moved.txt", "1\nzwei\n3\n");
    let changes = vec![
        PathChange::of_removal(path("gone.txt"), text("gone\n")),
        PathChange::without_content(path("moved.txt"), ChangeKind::Rename, Some(path("old.txt"))),
        edit("moved.txt", "1\n2\n3\n", "1\nzwei\n3\n"),
        PathChange::of_text(path("new.txt"), None, text("new\n")),
    ];
    adopt(&bench, None, changes).await.unwrap();
    let proposal = applied(&bench).remove(0);
    for hunk in ["h2", "h3", "h1", "h4"] {
        let answer = bench.decide(&proposal.id, &[hunk], Act::Reject, None).await.unwrap();
        assert_eq!(answer.problems, Vec::<String>::new(), "{hunk}");
    }
    assert_eq!(snapshot(&root), before);
}

#[tokio::test]
async fn an_editor_that_reads_the_file_again_later_still_takes_single_hunks_back() {
    let (was, now) = (numbers(9, &[]), numbers(9, &[(2, "two\nand"), (6, "six"), (9, "")]));
    let bench = Bench::new(&[("a.txt", &was)]);
    bench.open("a.txt");
    bench.write("a.txt", &now);
    adopt(&bench, None, vec![edit("a.txt", &was, &now)]).await.unwrap();
    let proposal = applied(&bench).remove(0);
    // The watch reports the file before the editor shows it.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    bench.type_in("a.txt", &now);
    bench.decide(&proposal.id, &["h2"], Act::Reject, None).await.unwrap();
    let one_back = numbers(9, &[(2, "two\nand"), (9, "")]);
    assert_eq!((bench.buffer("a.txt"), bench.disk("a.txt")), (one_back.clone(), one_back));
    bench.decide(&proposal.id, &["h1", "h3"], Act::Reject, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), was);
}

#[tokio::test]
async fn what_the_rules_close_is_neither_shown_nor_kept() {
    let bench = Bench::new(&[("a.txt", "a\n"), (".env", "KEY=before\n")]);
    bench.write("a.txt", "A\n");
    bench.write(".env", "KEY=afterwards\n");
    std::fs::rename(bench.folder.path().join(".env"), bench.folder.path().join("env.txt")).unwrap();
    let closed = vec![
        PathChange::without_content(path("env.txt"), ChangeKind::Rename, Some(path(".env"))),
        edit("env.txt", "KEY=before\n", "KEY=afterwards\n"),
        edit(".env", "KEY=before\n", "KEY=afterwards\n"),
    ];
    assert!(adopt(&bench, None, closed.clone()).await.is_none());
    let both = [vec![edit("a.txt", "a\n", "A\n")], closed].concat();
    adopt(&bench, None, both.clone()).await.unwrap();
    assert_eq!(applied(&bench).iter().map(|proposal| proposal.files.len()).sum::<usize>(), 1);
    let raw = wherefore::protocol::RawCall {
        tool: "fs.patch".to_owned(),
        arguments: json!({ "diff": "KEY=afterwards" }),
        origin: origin(),
        ..Default::default()
    };
    let draft = CallDraft { changes: both, ..CallDraft::default() };
    let refused = bench.served().pipeline().adopt_draft(raw, draft).await;
    assert_eq!(refused.error.unwrap().code, Code::PermissionDenied);
    bench.hub.close();
    for folder in [bench.state.path(), &bench.folder.path().join(".wherefore")] {
        for (name, bytes) in snapshot(folder) {
            let held = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!held.contains("KEY="), "{name} holds it: {held}");
        }
    }
}

#[tokio::test]
async fn a_change_that_stands_goes_by_what_the_file_holds_by_now() {
    let bench = Bench::new(&[("a.txt", &numbers(9, &[]))]);
    let now = numbers(9, &[(2, "two"), (6, "six")]);
    // Somebody wrote the file again before the change was reported.
    bench.write("a.txt", &format!("new\n{now}"));
    adopt(&bench, None, vec![edit("a.txt", &numbers(9, &[]), &now)]).await.unwrap();
    let proposal = applied(&bench).remove(0);
    bench.decide(&proposal.id, &["h2"], Act::Reject, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), format!("new\n{}", numbers(9, &[(2, "two")])));
    let states: Vec<HunkState> = bench
        .served()
        .queue()
        .store()
        .get(&proposal.id)
        .unwrap()
        .proposal()
        .hunks()
        .map(|hunk| hunk.state)
        .collect();
    assert_eq!(states, [HunkState::Accepted, HunkState::Rejected]);
}

/// Every file below a folder with its bytes, and every link with what it leads to; but for what is ours.
fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            match (kind.is_dir(), kind.is_symlink()) {
                (true, _) if path.ends_with(".wherefore") => {}
                (true, _) => folders.push(path),
                (_, true) => {
                    let target = std::fs::read_link(&path).unwrap();
                    found.push((path.display().to_string(), target.display().to_string().into_bytes()));
                }
                _ => found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
            }
        }
    }
    found.sort();
    found
}
